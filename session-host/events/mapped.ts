import type { Event } from "#core/contract/event.ts"

/** What a mapper makes of something that happened. */
export interface Mapped {
  /** What makes it this happening and no other: of what was received, never of what was resolved. Its id is the hash. */
  identity: string[]
  event: Event
}
