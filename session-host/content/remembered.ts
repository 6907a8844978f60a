import type { MessageContent } from "../network/connection.ts"
import type { Unknown } from "./unknown.ts"

/**
 * A message that others may refer to later: where it belongs, and the content that a quote, a vote or a
 * download needs.
 */
export interface Remembered {
  id: string
  /** The chat as its stanzas name it. */
  chat: string
  /** The author as the stanza named them, without device; `""` for our own. */
  sender: string
  fromMe: boolean
  content: MessageContent
  /** Of a message that this release cannot read: its kind and its words. */
  unknown?: Unknown | undefined
}
