import { afterAll, expect, test } from "vitest"
import "#test/support/store.ts"
import { callHost } from "#core/lease/call-host.ts"
import { config } from "#core/platform/config.ts"
import { handler } from "#functions/calls/handler.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { startLambdaApi } from "#test/support/service/lambda-api.ts"

const lambda = await startLambdaApi({ Calls: handler, Full: "full" })
afterAll(lambda.close)
config.AWS_ENDPOINT_URL_LAMBDA = lambda.endpoint

test("where the function inside has no place left, nothing was sent, and it may be tried again", async () => {
  config.CALLS_FUNCTION = "Full"
  const holder = { host: "host", addr: "127.0.0.1:1", epoch: 1 }
  const call = { method: "POST", path: "/send/text", bridgeId: "bridge", requestId: "request-2" } as const
  expect(await callHost(holder, { ...call, messageId: "3EB0" }, 5000)).toBe("unreachable")
})

test("a process outside the hosts' network has the function call them, and learns the same of the outcome", async () => {
  config.CALLS_FUNCTION = "Calls"
  const bridge = await aBridge()
  let answers = 0
  const host = await aScriptedHost((_, response) => {
    answers++
    if (answers === 2) return void response.writeHead(421).end()
    if (answers === 3) return void response.destroy()
    sayJson(response, 200, { status: "connected", bytes: "\u0000\u00ff" })
  })
  const lease = await host.take(bridge.id)
  const call = { method: "GET", path: "/status", bridgeId: bridge.id, requestId: "request-1" } as const
  const answered = await callHost(lease, call, 5000)
  expect(answered).toMatchObject({ status: 200, headers: { "content-type": "application/json" } })
  const { body } = answered as { body: Uint8Array } // as the line above says
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({ status: "connected", bytes: "\u0000\u00ff" })
  expect(await callHost(lease, call, 5000)).toBe("moved")
  await expect(callHost(lease, call, 5000)).rejects.toMatchObject({ code: "session_unavailable" })
  const sending = { ...call, method: "POST", messageId: "3EB0" } as const
  lambda.close()
  await expect(callHost(lease, sending, 5000)).rejects.toMatchObject({ code: "send_outcome_unknown" })
})
