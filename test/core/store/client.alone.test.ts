import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { askByHttp } from "#core/store/client.ts"
import { isPassing } from "#core/store/store.ts"

Object.assign(process.env, {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret",
})

/** A store that answers as the test says, and records the requests. */
async function aStore(host: string, answer: RequestListener) {
  const asked: IncomingMessage["headers"][] = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    request.resume().on("end", () => answer(request, response))
  }).listen(0)
  await once(server, "listening")
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  config.AWS_ENDPOINT_URL_DYNAMODB = `http://${host}:${(server.address() as AddressInfo).port}`
  return { asked }
}

const isEmpty: RequestListener = (_, response) => response.end("{}")

test("a store elsewhere is asked with a signature, one on this machine with the form of one", async () => {
  const elsewhere = await aStore("0.0.0.0", isEmpty)
  await askByHttp(1)("GetItem", { TableName: "Events" }, {})
  expect(elsewhere.asked).toMatchObject([
    {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/dynamodb\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-target, Signature=[0-9a-f]{64}$/,
      ),
      "x-amz-target": "DynamoDB_20120810.GetItem",
      "content-type": "application/x-amz-json-1.0",
    },
  ])

  const here = await aStore("127.0.0.1", isEmpty)
  await askByHttp(1)("GetItem", { TableName: "Events" }, {})
  expect(here.asked).toMatchObject([{ authorization: expect.stringMatching(/Signature=0$/) }])
})

test("a machine whose clock is wrong signs with the store's time as soon as it was told", async () => {
  const there = new Date(Date.now() + 3_600_000)
  const { asked } = await aStore("0.0.0.0", (request, response) => {
    const isLate = String(request.headers["x-amz-date"]).slice(0, 11) !== stamp(there).slice(0, 11)
    response.writeHead(isLate ? 400 : 200, { date: there.toUTCString() })
    response.end(isLate ? JSON.stringify({ __type: "x#InvalidSignatureException" }) : "{}")
  })
  expect(await askByHttp(1)("GetItem", {}, {})).toEqual({})
  expect(asked).toHaveLength(2)
})

/** In the form of `x-amz-date`. */
function stamp(date: Date): string {
  return date.toISOString().replaceAll(/[-:]|\.\d+/g, "")
}

test("an answer that is not the store's is no answer, whatever its status", async () => {
  const { asked } = await aStore("127.0.0.1", (_, response) => response.end("<html>a proxy</html>"))
  const ended = await askByHttp(1)("GetItem", {}, {}).catch((error: unknown) => error)
  expect(isPassing(ended)).toBe(true)
  expect(asked).toHaveLength(4)
})

test("a request that is refused as wrong is made once", async () => {
  const { asked } = await aStore("127.0.0.1", (_, response) => {
    response.writeHead(400).end(JSON.stringify({ __type: "x#ValidationException", message: "no such table" }))
  })
  await expect(askByHttp(1)("GetItem", {}, {})).rejects.toMatchObject({
    name: "ValidationException",
    message: "no such table",
  })
  expect(asked).toHaveLength(1)
})

test("a connection is used again", async () => {
  const ports = new Set<number | undefined>()
  await aStore("127.0.0.1", (request, response) => {
    ports.add(request.socket.remotePort)
    response.end("{}")
  })
  const ask = askByHttp(2)
  await Promise.all(Array.from({ length: 10 }, () => ask("GetItem", {}, {})))
  expect(ports.size).toBeLessThanOrEqual(2)
})
