import { createRoute, z } from "@hono/zod-openapi"
import { integer, string } from "./field-types.ts"
import { refusals, reply } from "./route-parts.ts"

const Day = z.iso
  .date("must be a day, as 2026-11-22")
  .openapi({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", example: "2026-11-22" })

/** Contract, "Usage" */
const Usage = z
  .object({
    date: string("In UTC."),
    customer_ref: z.string(),
    events: integer("Delivered, or put into the inbox."),
    messages: integer("How many of these were of the type `message`."),
    messages_in: integer(
      "Incoming messages, except those switched off by `events` or `ignore`: each counts when it comes, whether or not a webhook takes it.",
    ),
    messages_out: integer(
      "Messages that were sent through the API, or written on the phone; up to ten minutes late here. A send that was answered with 504 is counted once the network has acknowledged it.",
    ),
    undelivered: integer("Given up, without those that were sent again and delivered on the same day."),
    attempts: integer("POSTs of events, also of those that were sent again."),
    success: z.number().openapi({ description: "The share of attempts that succeeded; 1 without attempts." }),
    p95_ms: integer(
      "What 95 of 100 attempts did not exceed, rounded up to 25, 50, 100, 200, 400, 800, 1,600, 3,200, 6,400 or 10,000.",
    ),
  })
  .openapi("Usage")
export type UsageRow = z.infer<typeof Usage>

export const getUsage = createRoute({
  method: "get",
  path: "/api/usage",
  summary: "What the bridges of the account delivered, day by day",
  request: {
    query: z.object({
      from: Day.optional().openapi({
        description: "The first day; 30 days before `to`, unless you say otherwise.",
      }),
      to: Day.optional().openapi({ description: "The last day; today, unless you say otherwise." }),
    }),
  },
  responses: {
    200: reply("A row for each bridge and day on which something happened, oldest first.", z.array(Usage)),
    ...refusals(),
  },
})
