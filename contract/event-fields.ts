import { z } from "@hono/zod-openapi"
import { string, boolean } from "./field-types.ts"

// The fields that several events have.

export const ContactJid = string("JID of the person: the phone number's where known, else the LID.")
export const Phone = string('Digits; `""` where the number is not known.')
const ChatJid = string(
  "JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`.",
)
/** The names of a chat. */
export const ofChat = {
  chat_id: ChatJid,
  chat_lid: string(
    "In a chat of two, beside the number: the other person's private id (LID), where it is known. Before their number was known, `chat_id` was this.",
  ).optional(),
}
export const Username = string(
  "The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown.",
).optional()
export const SenderName = string("The sender's display name, as the network gives it.")
export const FromMe = boolean("Written on the phone of this session, or another of its devices.")
export const Offline = z
  .literal(true)
  .optional()
  .openapi({ description: "It happened while the session was offline." })
