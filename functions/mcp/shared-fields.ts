import { z } from "zod"

// Fields that several tools take.

export const number = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe("The name of the number, as list_numbers has it (`customer_ref`); without it the first one.")

export const chat = z
  .string()
  .min(1)
  .max(128)
  .describe("A phone number with its country code, a person's JID or a group's: `chat_id` of messages.")

export const message_id = z.string().min(1).max(128)

export const chatOfMessage = chat
  .optional()
  .describe(
    "The chat of the message; needed only with a key for some chats, or if two messages have this id.",
  )

/** How many are wanted. */
export function count(usual: number) {
  return z.int().min(1).max(100).default(usual)
}
