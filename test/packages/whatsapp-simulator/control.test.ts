import { get } from "node:http"
import { afterAll, expect, test } from "vitest"
import * as StanzaLog from "#simulator/network/stanza-log.ts"
import { el } from "#simulator/wire/node.ts"
import { aNetwork } from "../../support/network/network.ts"

const network = await aNetwork()
afterAll(() => network.close())

const send = (method: string, path: string, body?: string, type = "application/json") =>
  fetch(`${network.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { "content-type": type } }),
  })

test.for([
  ["POST", "/phones", "{", 400, "invalid_json"],
  ["POST", "/phones", '{"number":"12"}', 400, "invalid_request"],
  ["GET", "/phones/15551234567", undefined, 404, "unknown_phone"],
  ["POST", "/phones/15551234567/messages", '{"to":"15551234568","text":"x"}', 404, "unknown_phone"],
  ["POST", "/phones/15551234567/messages", '{"to":"15551234568"}', 400, "invalid_request"],
  ["POST", "/groups", '{"creator":"15551234567","subject":"x"}', 404, "unknown_phone"],
  ["POST", "/faults", '{"kind":"earthquake"}', 400, "invalid_request"],
  ["DELETE", "/faults/99", undefined, 404, "unknown_fault"],
  ["POST", "/connections/15551234567:1/end", "{}", 404, "not_connected"],
  ["GET", "/log?wait=forever", undefined, 400, "invalid_request"],
  ["GET", "/nowhere", undefined, 404, "not_found"],
] as const)("%s %s with %s is refused with %i %s", async ([method, path, body, status, code]) => {
  const response = await send(method, path, body)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code, error: expect.any(String) as string })
})

test("a page of another site cannot steer, nor one that names this address otherwise", async () => {
  const foreign = await fetch(`${network.controlUrl}/phones`, {
    method: "POST",
    body: "{}",
    headers: { origin: "https://example.com", "content-type": "text/plain" },
  })
  expect(foreign.status).toBe(403)
  const { port } = new URL(network.controlUrl)
  const renamed = await new Promise<number | undefined>((resolve) => {
    get({ port, host: "127.0.0.1", path: "/phones", headers: { host: `evil.example:${port}` } }, (response) =>
      resolve(response.resume().statusCode),
    )
  })
  expect(renamed).toBe(403)
})

test("a phone is made with the number and name that are asked for, once", async () => {
  const made = await send("POST", "/phones", '{"number":"4915112345678","name":"Ada"}')
  expect(made.status).toBe(201)
  expect(await made.json()).toMatchObject({
    number: "4915112345678",
    jid: "4915112345678@s.whatsapp.net",
    name: "Ada",
    devices: [{ id: 0, connected: true, prekeys: 30 }],
  })
  const again = await send("POST", "/phones", '{"number":"4915112345678"}')
  expect(again.status).toBe(409)
  expect(await again.json()).toMatchObject({ code: "number_taken" })
})

test("a code that is none, a picture without one, and a ref that no companion shows are told apart", async () => {
  const { number } = await network.phone()
  const path = `/phones/${number}/scan`
  expect(await (await send("POST", path, "hello", "text/plain")).json()).toMatchObject({ code: "not_a_code" })
  expect(await (await send("POST", path, "hello", "image/png")).json()).toMatchObject({
    code: "unreadable_image",
  })
  const key = Buffer.alloc(32).toString("base64")
  expect(await (await send("POST", path, `2@x,${key},${key},${key},1`, "text/plain")).json()).toMatchObject({
    code: "unknown_ref",
  })
})

test("a phone texts a phone; reading waits, and gives up when its time is over", async () => {
  const [ada, bob] = [await network.phone("Ada"), await network.phone("Bob")]
  const waiting = bob.read({ text: "hi" })
  const sent = await ada.send(bob.lid, "hi")
  expect(await waiting).toMatchObject([
    { id: sent.id, from: ada.number, chat: ada.number, kind: "conversation" },
  ])
  const nothing = await send("GET", `/phones/${bob.number}/messages?text=never&wait=20`)
  expect(await nothing.json()).toEqual([])
  const unknown = await send("POST", `/phones/${ada.number}/messages`, '{"to":"15559999999","text":"x"}')
  expect(await unknown.json()).toMatchObject({ code: "unknown_recipient" })
  const wrong = await send("POST", `/phones/${ada.number}/messages`, '{"to":"1","text":"x"}')
  expect(await wrong.json()).toEqual({
    error: "to: 7 to 15 digits, their address, or that of a group or broadcast list",
    code: "invalid_request",
  })
})

test("of a longer list the log has the first thousand parts", () => {
  const log = StanzaLog.create()
  const list = Array.from({ length: 1001 }, (_, i) => el("item", { id: i }))
  log.stanza("out", "1:1", el("list", {}, list))
  expect(log.after(0)[0]?.stanza?.content).toHaveLength(1000)
})
