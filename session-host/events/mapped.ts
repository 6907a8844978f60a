import type { Event } from "#core/contract/event.ts"
import type { MessageContent } from "../network/connection.ts"

/** What a mapper makes of something that happened. */
export interface Mapped {
  /**
   * What makes it this happening and no other: of what was received, never of what was resolved. A message is told from
   * others by its name (`MessageName`).
   */
  identity: string[]
  event: Event
  /** The network may tell it again, with the same identity, without it being a message. */
  mayRepeat?: true
  /** The message that it is. */
  message?: MessageName
  /** What is kept of that message beside its event, if others may refer to it. */
  remember?: Remembered
}

/** What tells one message from every other, however its author is addressed. */
export interface MessageName {
  id: string
  fromMe: boolean
  /**
   * Chat and author, without device, under each address that is known of them: the private one (LID) first. Empty for
   * our own: the ids that our devices choose are ours alone.
   */
  forms: { chat: string; sender: string }[]
}

/** A message as others may refer to it later: where it belongs, and what a quote, a vote or a download needs of it. */
export interface Remembered {
  id: string
  /** The chat as its stanzas name it. */
  chat: string
  /** The author as the stanza named them, without device; `""` for our own. */
  sender: string
  fromMe: boolean
  content: MessageContent
}

/** Somebody said something that this release cannot read. */
export class Unreadable extends Error {}
