import { createRoute, z } from "@hono/zod-openapi"
import { path } from "./bridge.ts"
import { Group as GroupId } from "./chat.ts"
import { asking, proxy, refusals, reply } from "./reply.ts"

/** Contract, "Groups". `participants` is their number. */
export const Group = z
  .object({
    created: z.number().int().openapi({ description: "Unix seconds." }),
    jid: z.string(),
    name: z.string(),
    participants: z.number().int().openapi({ description: "How many." }),
    topic: z.string(),
  })
  .openapi("Group")

export const getGroup = createRoute({
  method: "get",
  path: `${proxy}/groups/{jid}` as const,
  summary: "A group's metadata",
  request: { params: path.extend({ jid: GroupId }) },
  responses: { 200: reply("The group.", Group), ...refusals(...asking) },
})
