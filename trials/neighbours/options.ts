import { z } from "zod"

export const Options = z.object({
  /**
   * The harm that one account does to the others on its host: floods of some kind, linking a large account; what a
   * stranger does to it: messages that nobody can read; or what its own crowd does: the largest group.
   */
  what: z
    .enum(["calls", "contacts", "chats", "media", "groups", "crowd", "link", "unreadable"])
    .default("calls"),
  /** How long each part lasts. */
  seconds: z.coerce.number().positive().default(25),
  /** The rate of the flood of calls, a second. */
  calls: z.coerce.number().int().min(10).default(200),
  /** The session host runs for this share of the time: a quarter is what it has on AWS. */
  share: z.coerce.number().min(0.05).max(1).default(1),
  /** The size of the large account; with `chats`, how many its bridge keeps. */
  contacts: z.coerce.number().int().min(1).default(50_000),
  chats: z.coerce.number().int().min(1).default(5000),
  /** That nobody can decrypt. */
  messages: z.coerce.number().int().min(1).default(10_000),
  /** How often each of its neighbours gets a message, in seconds. */
  each: z.coerce.number().positive().default(5),
  /** How long its neighbours are watched from when it is linked, in seconds. */
  linking: z.coerce.number().positive().default(60),
  /** Who has traffic while it is linked. */
  neighbours: z.coerce.number().int().min(1).default(19),
})
export type Options = z.infer<typeof Options>
