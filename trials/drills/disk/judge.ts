/** What a partition holds: values by sort key. */
export type State = ReadonlyMap<string, string>

/**
 * What must never be found.
 *
 * - `lost`: what was confirmed, or seen, is not there.
 * - `half`: a part of a write is there.
 * - `twice`: a write was applied more often than it was confirmed.
 * - `unrefused`: a write is there that was refused.
 */
export type Kind = "lost" | "half" | "twice" | "unrefused"

export interface Known {
  confirmed: State
  /** What would be there with the last write, if that was not confirmed. */
  tried: State | undefined
  /** Whether the outcome of that write is unknown, since its connection ended. */
  isOpen: boolean
  /** The key of a number that each transaction raises. */
  counter: string
}

/** What is wrong with what is found; undefined if nothing is. */
export function judge(found: State, { confirmed, tried, isOpen, counter }: Known): Kind | undefined {
  if (isSame(found, confirmed)) return undefined
  if (tried && isSame(found, tried)) return isOpen ? undefined : "unrefused"
  const countOf = (state: State) => Number(state.get(counter) ?? 0)
  if (countOf(found) > countOf(tried ?? confirmed)) return "twice"
  return tried && isMixed(found, confirmed, tried) ? "half" : "lost"
}

function isSame(one: State, other: State): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
}

/** Every row is as it was either before or after. */
function isMixed(found: State, before: State, after: State): boolean {
  const keys = new Set([...found.keys(), ...before.keys(), ...after.keys()])
  return [...keys].every((key) => [before, after].some((state) => state.get(key) === found.get(key)))
}
