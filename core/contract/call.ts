import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Contact } from "./chat.ts"
import { asking, body, Ok, proxy, refusals, reply } from "./reply.ts"

export const rejectCall = createRoute({
  method: "post",
  path: `${proxy}/calls/{id}/reject`,
  summary: "Decline a call",
  request: {
    params: path.extend({
      id: z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, "a call id, as `call_incoming` gave it"),
    }),
    body: body(z.object({ contact_id: Contact })),
  },
  responses: { 200: reply("Declined, or over already.", Ok), ...refusals(...asking) },
})
