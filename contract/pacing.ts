import { z } from "@hono/zod-openapi"

/** Contract, "Pacing": how slowly a bridge sends. A limit that is left out is none. */
export const Pacing = z
  .object({
    new_chats_a_day: z.int().min(0).max(10_000).optional().openapi({
      description: "How many chats with people it may begin in a day (UTC).",
    }),
    gap_ms: z.int().min(0).max(60_000).optional().openapi({
      description: "The least time from one message to the next; up to half as much is added at random.",
    }),
    typing_ms: z.int().min(0).max(3_000).optional().openapi({
      description: "For how long it is shown as typing before each message.",
    }),
  })
  .openapi("Pacing")
export type Pacing = z.infer<typeof Pacing>
