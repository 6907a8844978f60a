import "#test/support/store.ts"
import { createServer } from "node:http"
import { setImmediate as turn } from "node:timers/promises"
import { expect, onTestFinished, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { attempt } from "#functions/delivery/attempt.ts"
import { newReceiverConnections } from "#functions/delivery/receiver-connections.ts"
import { stopListening, listen } from "#one-machine/listen.ts"

/** Makes two deliveries, one after the other. @returns how many connections the receiver saw */
async function connectionsOfTwo(): Promise<number> {
  let connections = 0
  const server = createServer((_request, response) => response.end())
  server.on("connection", () => connections++)
  const url = `http://127.0.0.1:${await listen(server)}/`
  onTestFinished(() => stopListening(server))
  for (const eventId of ["evt_1", "evt_2"]) {
    const { connections, leave } = newReceiverConnections()
    const secret = "whsec_c2VjcmV0"
    const outcome = await attempt({
      id: { bridgeId: "b", webhookId: "first" },
      url,
      connections,
      keys: { secrets: [secret], headers: {} },
      message: { id: eventId, body: Buffer.from("{}") },
      number: 1,
    })
    expect(outcome.verdict).toBe("delivered")
    await leave()
    // A delivery writes its results, during which the connection becomes free.
    await turn()
  }
  return connections
}

test("events that come one after the other go over one connection", async () => {
  expect(await connectionsOfTwo()).toBe(1)
})

test("on Lambda each invocation has connections of its own, for those of the last one were frozen", async () => {
  config.AWS_LAMBDA_FUNCTION_NAME = "Delivery"
  onTestFinished(() => void (config.AWS_LAMBDA_FUNCTION_NAME = undefined))
  expect(await connectionsOfTwo()).toBe(2)
})
