import type { Book } from "./book.ts"

/** Everything at the pretend Stripe: what it knows, where its pages are, and where its events go. */
export interface World {
  book: Book
  url: () => string
  emit: (type: string, object: object) => void
}

export const day = 86_400
/** A month, as this calendar has it, in seconds. */
export const period = 30 * day

/** The time there, in Unix seconds: its clock can be ahead of ours. */
export function now({ book }: Pick<World, "book">): number {
  return Math.floor(Date.now() / 1000) + book.aheadS
}
