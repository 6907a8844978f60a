import type { MessageContent } from "../network/connection.ts"

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
}
