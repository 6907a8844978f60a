/** Random choices that a seed can repeat. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next: () => number
  below: (end: number) => number
  between: (first: number, end: number) => number
  pick: <Item>(items: readonly Item[]) => Item | undefined
}

/** mulberry32: 32 bits of state suffice to repeat a run. */
export function seeded(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    between: (first, end) => first + below(end - first),
    pick: (items) => items[below(items.length)],
  }
}
