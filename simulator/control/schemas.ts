import { z } from "zod"
import { kinds } from "../network/faults.ts"

const digits = z.string().regex(/^\d{7,15}$/, "7 to 15 digits")

export const NewPhone = z.object({ number: digits.optional(), name: z.string().min(1).max(100).optional() })

export const Scan = z.object({ qr: z.string().min(1) })

/** The recipient: a number, or an address of it. */
const To = z
  .string()
  .regex(/^\d{7,15}(@s\.whatsapp\.net|@lid)?$/, "a number, or an address @s.whatsapp.net or @lid")

export const NewMessage = z.object({
  to: To,
  text: z.string().min(1).max(65_536),
  /** The message's id; sending one twice makes a duplicate. */
  id: z
    .string()
    .regex(/^[0-9A-Za-z._-]{1,100}$/)
    .optional(),
  /** How the chat is addressed: by private id, as people's chats are today, or by phone number. */
  addressing: z.enum(["lid", "pn"]).optional(),
})

const whole = z.coerce.number().int().min(0)

/** What to read, and how long to wait until there is some, in milliseconds. */
export const Read = z.object({
  after: whole.default(0),
  wait: whole.max(60_000).default(0),
  /** How many must match before it answers early. */
  count: whole.min(1).max(10_000).default(1),
  id: z.string().optional(),
  from: z.string().optional(),
  text: z.string().optional(),
})

export const ReadLog = z.object({
  after: whole.default(0),
  wait: whole.max(60_000).default(0),
  kind: z.enum(["in", "out", "note"]).optional(),
  /** `number:device`, or the start of it. */
  who: z.string().optional(),
  tag: z.string().optional(),
  event: z.string().optional(),
  /** Attributes the stanza must have, as JSON. */
  attrs: z
    .string()
    .transform((text, context) => {
      try {
        return z.record(z.string(), z.string()).parse(JSON.parse(text))
      } catch {
        context.addIssue({ code: "custom", message: "a JSON object of strings" })
        return z.NEVER
      }
    })
    .optional(),
})

export const Settled = z.object({ wait: whole.max(60_000).default(0) })

export const NewFault = z.object({
  kind: z.enum(kinds),
  /** `number:device`; every client when not given. */
  device: z
    .string()
    .regex(/^\d+:\d+$/)
    .default("*"),
  times: z.number().int().min(1).nullable().default(null),
  code: z.number().int().min(100).max(999).default(503),
  ms: z.number().int().min(0).max(60_000).default(0),
})

/** `cut`: without a word. */
export const End = z.object({
  how: z.enum(["cut", "replaced", "device_removed", "restart", "unavailable"]).default("cut"),
})
