import type { MessageContent } from "../network/connection.ts"
import type { Unknown } from "./unknown.ts"

/**
 * A message that other messages may refer to later: its chat and author, and the content that a quote, a vote
 * or a download needs.
 */
export interface Remembered {
  id: string
  /** The chat as its stanzas name it. */
  chat: string
  /** The author as the stanza named them, without a device; `""` for our own messages. */
  sender: string
  fromMe: boolean
  /** When it was sent, by the network's clock, in Unix seconds. */
  time: number
  content: MessageContent
  /** Of a message that this release cannot read: its kind and its words. */
  unknown?: Unknown | undefined
  /** Set if it was edited or revoked since: the content is what it says now. */
  edit?: "edit" | "revoke"
}

/** The chat in which phones show a message and answer it: that of a broadcast is the chat with its author. */
export function chatOf({ chat, sender, fromMe }: Pick<Remembered, "chat" | "sender" | "fromMe">): string {
  return chat.endsWith("@broadcast") && !fromMe ? sender : chat
}
