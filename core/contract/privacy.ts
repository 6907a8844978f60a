import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { asking, proxy, refusals, reply } from "./reply.ts"

/** Contract, "Profile and privacy" */
export const StatusPrivacy = z
  .object({ is_default: z.boolean(), list: z.array(z.string()), type: z.string() })
  .openapi("StatusPrivacy")

export const statusPrivacy = createRoute({
  method: "get",
  path: `${proxy}/status/privacy` as const,
  summary: "Who sees status updates",
  request: { params: path },
  responses: { 200: reply("The lists.", z.array(StatusPrivacy)), ...refusals(...asking) },
})
