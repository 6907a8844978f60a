import { type OpenAPIHono, z } from "@hono/zod-openapi"
import type { Network } from "../network/network.ts"
import { ControlError } from "./http/errors.ts"
import { route } from "./http/route.ts"
import * as Schema from "./schemas.ts"

/** Faults, on demand, and how patient the network is. */
export function routeFaults(app: OpenAPIHono, network: Network) {
  const patience = () => {
    const { answerMs, passkeyMs } = network.patience
    return { answer_ms: answerMs, passkey_ms: passkeyMs }
  }
  route(
    app,
    { method: "get", path: "/patience", summary: "How patient the network is", answer: Schema.Patience },
    patience,
  )
  route(
    app,
    {
      method: "patch",
      path: "/patience",
      summary: "Change how patient the network is",
      body: Schema.ChangePatience,
      answer: Schema.Patience,
    },
    ({ body }) => {
      const { answer_ms, passkey_ms } = { ...patience(), ...body }
      network.patience = { answerMs: answer_ms, passkeyMs: passkey_ms }
      return patience()
    },
  )
  route(
    app,
    { method: "get", path: "/faults", summary: "The faults that are armed", answer: z.array(Schema.Fault) },
    () => network.faults.list(),
  )
  route(
    app,
    {
      method: "post",
      path: "/faults",
      summary: "Arm a fault",
      body: Schema.NewFault,
      answer: Schema.Fault,
      status: 201,
    },
    ({ body }) => network.faults.arm(body),
  )
  route(
    app,
    { method: "delete", path: "/faults", summary: "Remove all faults", answer: z.object({}) },
    () => {
      network.faults.clear()
      return {}
    },
  )
  route(
    app,
    { method: "delete", path: "/faults/{id}", summary: "Remove a fault", answer: z.object({}) },
    ({ params }) => {
      if (!network.faults.remove(Number(params.id)))
        throw new ControlError(404, "unknown_fault", "no such fault")
      return {}
    },
  )
}
