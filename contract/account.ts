import { createRoute, z } from "@hono/zod-openapi"
import { integer, string, Timestamp } from "./field-types.ts"
import { refusals, reply } from "./route-parts.ts"

const Account = z
  .object({
    id: z.string(),
    name: string(
      "As its owners chose it in the dashboard. Before that, the e-mail address of the person who signed up.",
    ),
    subscription: z.enum(["none", "trialing", "active", "past_due", "unpaid", "canceled"]).openapi({
      description:
        "`active` and `trialing` may create bridges; while `unpaid` or `canceled`, existing bridges do not run.",
    }),
    bridges: integer("How many there are; the sandbox does not count."),
    bridge_limit: integer("How many there may be."),
    created_at: Timestamp,
  })
  .openapi("Account")

export const getAccount = createRoute({
  method: "get",
  path: "/api/account",
  summary: "Get the account that the key belongs to",
  responses: { 200: reply("The account.", Account), ...refusals() },
})
