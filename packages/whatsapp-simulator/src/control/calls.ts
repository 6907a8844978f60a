import { randomBytes } from "node:crypto"
import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Network } from "../network/network.ts"
import { callOffer, callStep } from "../phone/calls.ts"
import { jidOfTarget } from "../phone/target.ts"
import { route } from "./http/route.ts"
import { phoneOf } from "./phones.ts"
import * as Schema from "./schemas.ts"
import { targetOf } from "./target.ts"

/** Calls, as far as they are signalled: there is no sound. */
export function routeCalls(app: OpenAPIHono, network: Network) {
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/calls",
      summary: "Call somebody",
      body: Schema.NewCall,
      answer: Schema.Call,
      status: 201,
    },
    ({ params, body }) => {
      const { handset } = phoneOf(network, params.number)
      const { video, group, addressing: mode } = body
      const id = randomBytes(16).toString("hex").toUpperCase()
      handset.submit(callOffer(handset, jidOfTarget(targetOf(network, body)), { id, mode, video, group }))
      return { call_id: id }
    },
  )
  route(
    app,
    {
      method: "post",
      path: "/phones/{number}/calls/{id}",
      summary: "Go on with a call, or end it",
      body: Schema.CallStep,
      answer: z.object({}),
    },
    ({ params, body }) => {
      const { handset } = phoneOf(network, params.number)
      const call = { id: params.id ?? "", mode: body.addressing, step: body.step, reason: body.reason }
      handset.submit(callStep(handset, jidOfTarget(targetOf(network, body)), call))
      return {}
    },
  )
}
