import type { NetworkClient } from "#one-machine/network/client.ts"

/**
 * The shape of accounts.
 *
 * - `small`: two people in a group, and an empty address book.
 * - `real`: 5,000 people in the address book, 300 in the group, media, votes and answers to event messages;
 *   the first two bridges are written to from a companion, too, and the first has a long conversation behind
 *   it.
 */
export const shapes = ["small", "real"] as const
export type Shape = (typeof shapes)[number]

const book = 5000
const members = 300
/** So many bridges have contacts whose companion devices write as well. */
export const companions = 2

/** The people around a bridge, as numbers. */
export interface Around {
  /** In the address book of its phone. */
  book: string[]
  /** In its group, besides the two who write. */
  members: string[]
}

/** A crowd, which no phone plays, for all bridges of a cluster. */
export async function peopleFor(shape: Shape, network: NetworkClient): Promise<Around> {
  if (shape === "small") return { book: [], members: [] }
  const { numbers } = await network.crowd({ count: book, devices: 1.5 })
  return { book: numbers, members: numbers.slice(0, members - 2) }
}
