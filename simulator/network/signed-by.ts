/** Prefixes of what a phone and its companion sign about each other. */
export const signedBy = {
  phone: Buffer.from([6, 0]),
  companion: Buffer.from([6, 1]),
  /** The list of an account's devices. */
  phoneForList: Buffer.from([6, 2]),
}
