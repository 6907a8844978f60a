import { z } from "@hono/zod-openapi"

// The fields that several events have.

export const ContactJid = z
  .string()
  .openapi({ description: "JID of the person: the phone number's where known, else the LID." })
export const Phone = z.string().openapi({ description: 'Digits; `""` where the number is not known.' })
export const ChatJid = z.string().openapi({
  description:
    "JID of the chat: the group's, or in a chat of two that of the other person, in the form of `contact_id`.",
})
export const Username = z.string().optional().openapi({
  description:
    "The sender's username, without its `@`. People who have one may be written to by it, and their number may be unknown.",
})
export const Name = z.string().openapi({ description: "The sender's display name, as the network gives it." })
export const FromMe = z
  .boolean()
  .openapi({ description: "Written on the phone of this session, or another of its devices." })
export const Offline = z
  .literal(true)
  .optional()
  .openapi({ description: "It happened while the session was offline." })
