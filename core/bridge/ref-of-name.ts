/** To our API `default` is whichever bridge is the first, and to WAHA's programs a session like any other. */
const ofDefault = "default-session"

/**
 * The reference of the bridge that another gateway's session of this name becomes: what a reference cannot
 * have is left out, or a dash. Calls in that gateway's language name the bridge by either.
 */
export function refOfName(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64)
  return plain === "default" ? ofDefault : plain || name
}

/** What a gateway's programs call the bridge of this reference. */
export function nameOfRef(customerRef: string): string {
  return customerRef === ofDefault ? "default" : customerRef
}
