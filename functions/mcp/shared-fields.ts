import { z } from "zod"

// Fields that several tools take. Each word of a description is paid for in every conversation, so what holds
// for all tools is said once: by `instructions` (server.ts) and by list_numbers.

export const number = z.string().min(1).max(64).optional()

/** A name would match no message, and an agent would take that for "nobody has written". */
export const chat = z
  .string()
  .max(128)
  .refine((text) => /@|^\+?\d{7,15}$/.test(text), {
    message: "the digits of a phone number, or a JID: find_person and list_groups give them",
  })
  .describe("Phone number, or JID of a person or group.")

export const message_id = z.string().min(1).max(128)

export const chatOfMessage = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe("Needed with a key for some chats, or if two messages have this id.")

/** Where a list goes on. */
export const after = z.string().max(256).optional().describe("`next` of the answer before.")

/** All fields of what is shown, instead of those that are needed to act. */
export const detail = z.boolean().optional()

/** A day or a time, as Unix seconds. */
export const time = z
  .string()
  .max(40)
  .refine((text) => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)), {
    message: "a day or a time in ISO 8601, such as 2026-11-29 or 2026-11-29T18:00Z",
  })
  .transform((text) => Math.floor(Date.parse(text) / 1000))

/** How many are wanted. */
export function count(usual: number) {
  return z.int().min(1).max(100).default(usual)
}
