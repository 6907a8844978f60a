import "#test/support/store.ts"
import { createServer } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { Connections } from "#core/fetch/safe-fetch.ts"
import { attempt } from "#functions/delivery/attempt.ts"
import { listen } from "#one-machine/listen.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import type { Answer } from "#test/support/service/start-receiver.ts"

test.for([
  [200, "delivered"],
  [201, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [300, "failed"],
  [301, "failed"],
  [304, "failed"],
  [307, "failed"],
  [400, "failed"],
  [401, "failed"],
  [404, "failed"],
  [410, "failed"],
  [428, "failed"],
  [429, "retry"],
  [430, "failed"],
  [499, "failed"],
  [500, "retry"],
  [503, "retry"],
  [599, "retry"],
] as const)("status %i: %s", async ([status, verdict]) => {
  const receiver = await aReceiver([status])
  expect(await attemptOn(receiver.url)).toMatchObject({ statusCode: status, verdict })
})

async function attemptOn(url: string) {
  const connections = new Connections()
  onTestFinished(() => connections.destroy())
  const body = Buffer.from(`{"event":"test"}`)
  return await attempt({
    id: { bridgeId: "b", webhookId: "first" },
    url,
    keys: { secrets: ["whsec_c2VjcmV0"], headers: {} },
    message: { id: "evt_1", body },
    number: 1,
    connections,
  })
}

describe("an answer's body is ignored", () => {
  test.for<[string, Answer]>([
    ["an endless one", (response) => void setInterval(() => response.write("x".repeat(10_000)), 1).unref()],
    [
      "one that breaks",
      (response) => {
        response.writeHead(200, { "content-length": "10" }).flushHeaders()
        response.write("x", () => response.socket?.resetAndDestroy())
      },
    ],
    ["a megabyte", (response) => void response.end(Buffer.alloc(1_000_000))],
    ["none", 204],
  ])("%s", async ([, said]) => {
    const receiver = await aReceiver([said])
    expect(await attemptOn(receiver.url)).toMatchObject({ verdict: "delivered", error: "" })
  })
})

test("a redirect is not followed", async () => {
  const elsewhere = await aReceiver()
  const receiver = await aReceiver([(response) => response.writeHead(307, { location: elsewhere.url }).end()])
  expect(await attemptOn(receiver.url)).toMatchObject({
    verdict: "failed",
    statusCode: 307,
    error: "redirect",
  })
  expect(elsewhere.arrivals).toHaveLength(0)
})

test("a receiver that does not answer within 10 s has failed, to be tried again", async () => {
  const receiver = await aReceiver([() => "says nothing"])
  expect(await attemptOn(receiver.url)).toMatchObject({ verdict: "retry", statusCode: 0, error: "timeout" })
})

test.for([
  ["hangs up", "reset"],
  ["is not there", "refused"],
] as const)("a receiver that %s: %s, to be tried again", async ([what, error]) => {
  const server = createServer((socket) => socket.once("data", () => socket.resetAndDestroy()))
  const port = await listen(server)
  onTestFinished(() => void server.close())
  if (what === "is not there") server.close()
  expect(await attemptOn(`http://127.0.0.1:${port}/`)).toMatchObject({
    verdict: "retry",
    statusCode: 0,
    error,
  })
})
