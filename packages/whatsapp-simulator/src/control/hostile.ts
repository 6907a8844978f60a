import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Network } from "../network/network.ts"
import { flood } from "../phone/hostile/floods.ts"
import { jump } from "../phone/hostile/jumps.ts"
import { route } from "./http/route.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"
import { targetOf } from "./target.ts"

/** The deeds of people who mean no good, or who write too much. */
export function routeHostileDeeds(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/jumps",
      summary: "Send texts whose counters say that others before them are still to come",
      body: Schema.Jumps,
      answer: z.object({ ids: z.array(z.string()) }),
      status: 201,
    },
    async ({ params, body }) => {
      const phone = phoneOf(network, params.number)
      const target = targetOf(network, body)
      const ids: string[] = []
      for (let i = 0; i < body.count; i++)
        ids.push(...(await phone.use((handset) => jump(handset, target, body))))
      return { ids }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/floods",
      summary: "Send many of a kind, one right after the other",
      body: Schema.Flood,
      answer: z.object({ ids: z.array(z.string()) }),
      status: 201,
    },
    async ({ params, body }) => {
      const { kind, count } = body
      const target = targetOf(network, body)
      const phone = phoneOf(network, params.number)
      return { ids: await phone.use((handset) => flood(handset, target, kind, count)) }
    },
  )
}
