import type { Event } from "#core/contract/event.ts"
import type { MessageContent } from "../network.ts"

/** What a mapper makes of something that happened. */
export interface Mapped {
  /** What makes it this happening and no other: of what was received, never of what was resolved. Its id is the hash. */
  identity: string[]
  event: Event
  /** What is kept of the message beside its event. */
  remember?: Remembered
}

/** A message as others may refer to it later: where it belongs, and what a quote, a vote or a download needs of it. */
export interface Remembered {
  id: string
  /** The chat as its stanzas name it. */
  chat: string
  /** The author as the stanza named him, without device; `""` for our own. */
  sender: string
  fromMe: boolean
  content: MessageContent
}

/** Somebody said something that this release cannot read. */
export class Unreadable extends Error {}
