import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { ChatId } from "./field-types.ts"
import { codesOfNetwork, body, Ok, proxy, refusals, reply } from "./route-parts.ts"

export const setPresence = createRoute({
  method: "post",
  path: `${proxy}/presence` as const,
  summary: "Appear as available or not",
  request: { params: path, body: body(z.object({ state: z.enum(["available", "unavailable"]) })) },
  responses: { 200: reply("Done.", Ok), ...refusals(...codesOfNetwork) },
})

export const subscribePresence = createRoute({
  method: "post",
  path: `${proxy}/presence/subscribe` as const,
  summary: "Get a contact's presence and typing as events, for a few minutes",
  description:
    "Your own presence must be `available`. A group has no presence, and typing in it is sent without a subscription.",
  request: { params: path, body: body(z.object({ chat: ChatId })) },
  responses: {
    200: reply("Subscribed.", Ok),
    ...refusals(...codesOfNetwork, "presence_unavailable", "recipient_not_found"),
  },
})
