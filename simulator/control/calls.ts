import { randomBytes } from "node:crypto"
import { type OpenAPIHono, z } from "@hono/zod-openapi"
import { inMode, type Mode } from "../network/addressing.ts"
import type { Network } from "../network/network.ts"
import type { Desk } from "../phone/desk.ts"
import { newId } from "../phone/outgoing.ts"
import { jidOfTarget } from "../phone/target.ts"
import { el, type Node } from "../wire/node.ts"
import { phoneOf } from "./phones.ts"
import { route } from "./route.ts"
import * as Schema from "./schemas.ts"
import { targetOf } from "./target.ts"

/** Calls, as far as they are signalled: there is no sound. */
export function calls(app: OpenAPIHono, network: Network) {
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
      const { desk } = phoneOf(network, params.number)
      const call_id = randomBytes(16).toString("hex").toUpperCase()
      const offer = el("offer", {
        ...identified(desk, call_id, body.addressing),
        "group-jid": body.group,
        type: body.group && "group",
      })
      offer.content = [el("audio", { enc: "opus", rate: 16_000 }), ...(body.video ? [el("video")] : [])]
      desk.submit(step(network, body, offer))
      return { call_id }
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
      const { desk } = phoneOf(network, params.number)
      const attrs = { ...identified(desk, params.id ?? "", body.addressing), reason: body.reason }
      desk.submit(step(network, body, el(body.step, attrs)))
      return {}
    },
  )
}

function identified(desk: Desk, id: string, mode: Mode) {
  const caller = desk.user()
  return { "call-id": id, "call-creator": inMode(mode, caller), caller_pn: inMode("pn", caller) }
}

function step(network: Network, body: { to: string; addressing: Mode }, content: Node): Node {
  const to = jidOfTarget(targetOf(network, body))
  return el("call", { to, id: newId(), platform: "android", version: "2.26.1" }, [content])
}
