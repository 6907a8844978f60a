/**
 * Something that a session remembers for as long as its vault lives, over all its connections.
 * @returns what belongs to a vault, made when it is first asked for.
 */
export function perVault<Memory>(make: () => Memory): (vault: object) => Memory {
  const known = new WeakMap<object, Memory>()
  return (vault) => {
    const memory = known.get(vault) ?? make()
    known.set(vault, memory)
    return memory
  }
}
