import { once } from "node:events"
import { createServer, request, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { getRequestListener } from "@hono/node-server"
import { expect, onTestFinished, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { listen } from "#one-machine/listen.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { app } from "#test/support/service/app.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { dynamoDb } from "#test/support/store.ts"

type Script = Parameters<typeof aScriptedHost>[0]

const body = { chat: "491711234567", body: "hi" }

/**
 * A customer's bridge on a host that completes records as session hosts do, unless a script says otherwise.
 */
async function aShop(...script: Script[]) {
  const customer = await aCustomer()
  const { id } = await json(customer.post("/api/instances", { customer_ref: "shop" }))
  const host = await aScriptedHost((call, response, request) => {
    const said = script.shift() ?? acknowledge
    said(call, response, request)
  })
  await host.take(String(id))
  const send = (key: string, input: unknown = body, suffix = "send/text", method = "POST") =>
    customer.call(method, `/api/instances/shop/proxy/${suffix}`, input, { "idempotency-key": key })
  return { ...customer, host, send, bridgeId: String(id) }
}

const acknowledge: Script = ({ token }, response) => {
  const { messageId, record, bridgeId } = token!
  const answer = { message_id: messageId!, chat_id: "4915112345678@s.whatsapp.net", timestamp: 1_800_000_000 }
  void (async () => {
    const deliveryKey = await Bridge.deliveryKeyOf((await Bridge.byId(bridgeId))!)
    await Idempotency.complete({ record: record!, messageId: messageId!, deliveryKey }, answer)
    sayJson(response, 200, answer)
  })()
}

const refuse =
  (status: number, code: string): Script =>
  (_, response) =>
    sayJson(response, status, { error: "a sentence", code })

const misdirected: Script = (_, response) => response.writeHead(421).end()

/** Lets the claim of a dead invocation look as if its time were over. */
async function overtake(record: string) {
  await updateRow({
    TableName: tables.requests,
    Key: { pk: record, sk: "IDEM" },
    UpdateExpression: "SET lease_until = :over",
    ExpressionAttributeValues: { ":over": 0 },
  })
}

test("a retry is answered from the record: same status and bytes, nothing is sent", async () => {
  const shop = await aShop()
  const first = await shop.send("order-1")
  expect(first.headers.has("x-idempotency-replayed")).toBe(false)
  const again = await shop.send("order-1")
  expect(again.status).toBe(first.status)
  expect(await again.text()).toBe(await first.text())
  expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
  expect(again.headers.get("x-idempotency-replayed")).toBe("true")
  expect(again.headers.has("x-idempotency-mismatch")).toBe(false)
  expect(shop.host.calls).toHaveLength(1)
})

test.for([
  ["another body", { ...body, body: "ho" }, "send/text"],
  ["another route", { chat: body.chat, lat: 1, lng: 2 }, "send/location"],
] as const)("%s under the same key gets the first answer, and is told so", async ([, input, suffix]) => {
  const shop = await aShop()
  const first = await shop.send("order-1")
  const other = await shop.send("order-1", input, suffix)
  expect(await other.text()).toBe(await first.text())
  expect(other.headers.get("x-idempotency-replayed")).toBe("true")
  expect(other.headers.get("x-idempotency-mismatch")).toBe("true")
  expect(shop.host.calls).toHaveLength(1)
})

test("while the first is under way a second is 409, and of twenty at once one is sent", async () => {
  const shop = await aShop()
  const answers = await Promise.all(Array.from({ length: 20 }, () => shop.send("order-1")))
  expect(shop.host.calls).toHaveLength(1)
  const refused = answers.filter(({ status }) => status === 409)
  for (const answer of refused) expect((await json(answer)).code).toBe("idempotency_conflict")
  expect(answers.filter(({ status }) => status === 200).length).toBe(20 - refused.length)
})

test("`default` is the bridge that it stands for; another bridge or account has keys of its own", async () => {
  const shop = await aShop()
  await shop.send("order-1")
  const path = "/api/instances/default/proxy/send/text"
  const again = await shop.call("POST", path, body, { "idempotency-key": "order-1" })
  expect(again.headers.get("x-idempotency-replayed")).toBe("true")
  const other = await aShop()
  expect((await other.send("order-1")).headers.has("x-idempotency-replayed")).toBe(false)
  expect(other.host.calls).toHaveLength(1)
})

test("what failed for certain frees the key: the next is a new message", async () => {
  const codes = { recipient_not_found: 422, not_paired: 409, network_rejected: 502, media_fetch_failed: 422 }
  const shop = await aShop(
    ...Object.entries(codes).flatMap(([code, status]) => [refuse(status, code), acknowledge]),
  )
  for (const code of Object.keys(codes)) {
    expect(await json(shop.send(code))).toMatchObject({ code })
    expect((await shop.send(code)).status).toBe(200)
    const [first, second] = shop.host.calls.splice(0).map(({ token }) => token!.messageId)
    expect(second).not.toBe(first)
  }
})

test.for<[string, Script, number]>([
  ["says so", refuse(504, "send_outcome_unknown"), 504],
  ["breaks", (_, response) => void response.socket?.resetAndDestroy(), 504],
  ["fails without a word", (_, response) => sayJson(response, 500, { error: "stack" }), 504],
  ["cannot do it now", refuse(503, "session_unavailable"), 503],
  ["is sending it", refuse(409, "idempotency_conflict"), 409],
])("the outcome is not known when the host %s: the key keeps its message id", async ([, script, status]) => {
  const shop = await aShop(script)
  const unknown = await shop.send("order-1")
  expect(unknown.status).toBe(status)
  const { message_id } = await json(unknown)
  expect((await shop.send("order-1")).status).toBe(200)
  const [first, second] = shop.host.calls.map(({ token }) => token!.messageId)
  expect(second).toBe(first)
  expect(message_id).toBe(status === 504 ? first : undefined)
})

test("the message of a key is looked up at the host, while the key is kept; a free or foreign key is 404", async () => {
  const shop = await aShop(refuse(422, "recipient_not_found"), acknowledge, ({ path }, response) =>
    sayJson(response, 200, { asked: path }),
  )
  const find = (key: string) =>
    shop.call("GET", `/api/instances/shop/proxy/messages?idempotency_key=${encodeURIComponent(key)}`)
  await shop.send("refused")
  const { message_id } = await json(shop.send("order 17/b"))
  for (const unknown of ["refused", "order 18", "__proto__"])
    expect(await json(find(unknown))).toMatchObject({
      code: "not_found",
      error: expect.stringMatching(/Idempotency-Key/),
    })
  expect(await json(find("order 17/b"))).toEqual({ asked: `/messages/${String(message_id)}` })
  expect(await json(find("x".repeat(256)))).toMatchObject({ code: "invalid_request" })
  const other = await aShop()
  const elsewhere = "/api/instances/shop/proxy/messages?idempotency_key=order%2017%2Fb"
  expect((await other.call("GET", elsewhere)).status).toBe(404)
})

test("a key whose message the host does not know yet is 404 with what may be: its request may still run", async () => {
  const shop = await aShop(refuse(504, "send_outcome_unknown"), refuse(404, "not_found"))
  await shop.send("slow")
  const found = await shop.call("GET", "/api/instances/shop/proxy/messages?idempotency_key=slow")
  expect([found.status, await found.json()]).toMatchObject([
    404,
    { code: "not_found", error: expect.stringMatching(/may still be running.* or made something else/) },
  ])
})

test("a bridge that must not run keeps the key's message id: an older stanza may be out", async () => {
  const shop = await aShop(refuse(504, "send_outcome_unknown"), misdirected)
  await shop.send("order-1")
  await Lease.stop(shop.bridgeId, "operator")
  expect(await json(shop.send("order-1"))).toMatchObject({ code: "bridge_paused" })
  await Lease.wake(shop.bridgeId, "operator")
  await shop.host.take(shop.bridgeId)
  expect((await shop.send("order-1")).status).toBe(200)
  expect(new Set(shop.host.calls.map(({ token }) => token!.messageId)).size).toBe(1)
})

test("a definite failure of a key that was taken over meanwhile is not called one", async () => {
  let taken: Response | undefined
  const shop = await aShop((call, response, request) => {
    void (async () => {
      await overtake(call.token!.record!)
      taken = await shop.send("order-1")
      refuse(422, "recipient_not_found")(call, response, request)
    })()
  })
  const answer = await shop.send("order-1")
  expect([answer.status, (await json(answer)).code]).toEqual([504, "send_outcome_unknown"])
  expect(taken?.status).toBe(200)
})

test("a retry that finds the earlier message acknowledged is a replay; of another request it says so", async () => {
  const shop = await aShop(refuse(504, "send_outcome_unknown"), ({ token }, response) =>
    sayJson(response, 200, { message_id: token!.messageId, timestamp: 1 }, { "x-send-repeated": "true" }),
  )
  await shop.send("order-1")
  const answer = await shop.send("order-1", { ...body, body: "ho" })
  expect(answer.status).toBe(200)
  expect(answer.headers.get("x-idempotency-replayed")).toBe("true")
  expect(answer.headers.get("x-idempotency-mismatch")).toBe("true")
  expect(answer.headers.has("x-send-repeated")).toBe(false)
})

test("a key has 1 to 255 characters of ASCII: any other is 400 invalid_idempotency_key, and sends nothing", async () => {
  const shop = await aShop()
  for (const key of ["", "x".repeat(256), "ä", "a\tb"]) {
    const answer = await shop.send(key)
    expect([key, answer.status, (await json(answer)).code]).toEqual([key, 400, "invalid_idempotency_key"])
  }
  expect(shop.host.calls).toHaveLength(0)
  expect((await shop.send("~".repeat(255))).status).toBe(200)
})

test("two keys in headers of one request are refused, though they be the same; a comma is part of one", async () => {
  const shop = await aShop()
  const server = createServer((...call) => void getRequestListener(app.fetch)(...call))
  onTestFinished(() => void server.close())
  const port = await listen(server)
  for (const [keys, expected] of [
    [
      ["order-1", "order-2"],
      [400, "invalid_idempotency_key"],
    ],
    [
      ["order-1", "order-1"],
      [400, "invalid_idempotency_key"],
    ],
    [["order-1, order-2"], [200, undefined]],
  ] as const) {
    const sending = request({
      port,
      host: "127.0.0.1",
      method: "POST",
      path: "/api/instances/shop/proxy/send/text",
      headers: {
        authorization: `Bearer ${shop.key}`,
        "content-type": "application/json",
        "Idempotency-Key": [...keys],
      },
    }).end(JSON.stringify(body))
    const [answer] = (await once(sending, "response")) as [IncomingMessage]
    const { code } = JSON.parse(await text(answer)) as { code?: string } // an error's body
    expect([answer.statusCode, code]).toEqual(expected)
  }
  expect(shop.host.calls).toHaveLength(1)
})

test("an invalid call does not use up the key, nor does one with a wrong API key", async () => {
  const shop = await aShop()
  expect((await shop.send("order-1", { chat: "491711234567" })).status).toBe(400)
  const stranger = { "idempotency-key": "order-1", authorization: "Bearer mbk_x" }
  const path = "/api/instances/shop/proxy/send/text"
  expect((await shop.call("POST", path, body, stranger)).status).toBe(401)
  expect((await shop.send("order-1")).headers.has("x-idempotency-replayed")).toBe(false)
})

test("edits and revocations take keys; typing and read receipts ignore them", async () => {
  const shop = await aShop()
  const edit = () => shop.send("edit", { body: "new" }, "messages/3EB0AA/edit", "PATCH")
  const revoke = () => shop.send("revoke", undefined, "messages/3EB0AA", "DELETE")
  for (const call of [edit, revoke]) {
    await call()
    expect((await call()).headers.get("x-idempotency-replayed")).toBe("true")
  }
  expect(shop.host.calls).toHaveLength(2)

  const typing = await aShop(...Array<Script>(4).fill((_, response) => sayJson(response, 200, { ok: true })))
  for (let i = 0; i < 2; i++) {
    await typing.send("same", { chat: body.chat, state: "composing" }, "send/typing")
    await typing.send("same", {}, "messages/3EB0AA/read")
  }
  expect(typing.host.calls).toHaveLength(4)
  for (const { token } of typing.host.calls) expect(token!.messageId).toBeUndefined()
})

test("while the store is away a keyed send is 503 and not sent", async () => {
  const shop = await aShop()
  await shop.get("/api/instances/shop/webhooks")
  const gone = dynamoDb.faults.add({
    fault: "throttling",
    operation: "UpdateItem",
    when: (request) => JSON.stringify(request).includes("IDEM#"),
  })
  const answer = await shop.send("order-1")
  gone()
  expect([answer.status, (await json(answer)).code]).toEqual([503, "session_unavailable"])
  expect(shop.host.calls).toHaveLength(0)
})

test("what a host keeps by itself, it gives to a retry: the key leads there under the same id", async () => {
  const made = { group: "as the host says" }
  const shop = await aShop(
    (_, response) => sayJson(response, 200, made, { "x-send-kept": "true" }),
    (_, response) => sayJson(response, 200, made, { "x-send-kept": "true", "x-send-repeated": "true" }),
  )
  const first = await shop.send("group-1", { name: "Ours" }, "groups")
  expect([first.status, await first.json()]).toEqual([200, made])
  const again = await shop.send("group-1", { name: "Others" }, "groups")
  expect([again.status, await again.json()]).toEqual([200, made])
  expect(again.headers.get("x-idempotency-replayed")).toBe("true")
  expect(again.headers.get("x-idempotency-mismatch")).toBe("true")
  const [one, other] = shop.host.calls
  expect([one!.token!.isNew, other!.token!.isNew]).toEqual([true, false])
  expect(other!.token!.messageId).toBe(one!.token!.messageId)
})
