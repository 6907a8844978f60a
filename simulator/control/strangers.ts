import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Network } from "../network/network.ts"
import { flood } from "../phone/floods.ts"
import { jump } from "../phone/jumps.ts"
import { phoneOf } from "./phones.ts"
import { route } from "./route.ts"
import * as Schema from "./schemas.ts"
import { targetOf } from "./target.ts"

/** What people do who mean no good, or too much of it. */
export function strangers(app: OpenAPIHono, network: Network) {
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
      for (let i = 0; i < body.count; i++) ids.push(...(await phone.use((desk) => jump(desk, target, body))))
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
      return { ids: await phone.use((desk) => flood(desk, target, kind, count)) }
    },
  )
}
