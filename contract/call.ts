import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { CallId, PersonAddress } from "./field-types.ts"
import { codesOfNetwork, body, Ok, proxy, refusals, reply } from "./route-parts.ts"

export const rejectCall = createRoute({
  method: "post",
  path: `${proxy}/calls/{id}/reject` as const,
  summary: "Decline a call",
  request: {
    params: path.extend({ id: CallId }),
    body: body(z.object({ contact_id: PersonAddress })),
  },
  responses: { 200: reply("Declined, or over already.", Ok), ...refusals(...codesOfNetwork) },
})
