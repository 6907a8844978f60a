import { z } from "zod"
import { takeNames } from "./takers.ts"

export const Options = z.object({
  what: z
    .enum(["calls", "contacts", "chats", "media", "groups", "crowd", "link", "unreadable", "full"])
    .default("calls")
    .describe(
      "The harm that one account does to the others on its host: floods of some kind, linking a large account; what a stranger does to it: messages that nobody can read; or what its own crowd does: the largest group; or what so many neighbours are to each other: a full host, which is then taken back.",
    ),
  take: z
    .enum(["all", ...takeNames])
    .optional()
    .describe(
      "In place of these: the account tries to take this from all others, or one thing after the other; without ffmpeg, no conversions. It compares the time that sends take with that in an equally long time before.",
    ),
  json: z.boolean().default(false).describe("The last line is nothing but the result."),
  seconds: z.coerce.number().positive().default(25).describe("How long each part lasts."),
  calls: z.coerce.number().int().min(10).default(200).describe("The rate of the flood of calls, a second."),
  share: z.coerce
    .number()
    .min(0.05)
    .max(1)
    .default(1)
    .describe("The session host runs for this share of the time: a quarter is what it has on AWS."),
  memory: z.coerce.number().positive().default(2).describe("With `full`: the memory of the host, in GB."),
  contacts: z.coerce
    .number()
    .int()
    .min(1)
    .default(50_000)
    .describe("The size of the large account; with `chats`, how many its bridge keeps."),
  chats: z.coerce.number().int().min(1).default(5000).describe("How many chats the account has."),
  messages: z.coerce.number().int().min(1).default(10_000).describe("Messages that nobody can decrypt."),
  each: z.coerce
    .number()
    .positive()
    .default(5)
    .describe("How often each of its neighbours gets a message, in seconds."),
  linking: z.coerce
    .number()
    .positive()
    .default(60)
    .describe("How long its neighbours are watched from when it is linked, in seconds."),
  neighbours: z.coerce
    .number()
    .int()
    .min(1)
    .default(19)
    .describe("How many have traffic while it is linked."),
})
export type Options = z.infer<typeof Options>
