import type { Event } from "#contract/event.ts"
import type { Change } from "./changes.ts"
import type { Remembered } from "./remembered.ts"

/** The event that a mapper makes of an occurrence. */
export interface Mapped {
  /**
   * Identifies this occurrence. It is made only of what was received, never of what was looked up. A message
   * also has an identity of its own (`message`).
   */
  identity: string[]
  event: Event
  /**
   * Set if the network may report the occurrence again, with the same identity. Never set for messages, which
   * have an identity of their own.
   */
  mayRepeat?: true
  /** The identity of the message, if the event is one. */
  message?: MessageIdentity
  /** The part of that message to remember beside its event, if others may refer to it. */
  remember?: Remembered
  /** What it makes of an earlier message. */
  change?: Change
  /** Whether that message is remembered: otherwise it may come later. */
  isOfKnown?: boolean
  /**
   * The kind of a message that this release cannot read: its event has what can be said about it, and a later
   * release tries to read it again.
   */
  unread?: string
  /** The id of the key that has not come, of a scheduled message. */
  awaitsKey?: string
}

/** Identifies a message, under whichever address its author is named. */
export interface MessageIdentity {
  id: string
  fromMe: boolean
  /**
   * The chat and the author, without a device, under each of their known addresses: the private one (LID)
   * first. Empty for our own messages, since the ids that our devices choose are ours alone.
   */
  forms: { chat: string; sender: string }[]
}

/**
 * A whole number that a stranger wrote, if JSON can hold it exactly and the contract allows it; otherwise 0.
 */
export function wholeNumber(given: unknown): number {
  const number = Number(given ?? 0)
  return Number.isSafeInteger(number) ? number : 0
}
