import { expect, test } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { app } from "#test/support/service/app.ts"
import { dynamoDb } from "#test/support/store.ts"
import { aNetwork } from "../support/network/network.ts"
import { aPairedSession } from "../support/session/paired.ts"

interface Answer {
  status: number
  replayed: string | null
  text: string
}

/** A paired bridge as its owner sees it, and the phone it writes to. */
async function aShop() {
  const network = await aNetwork()
  const { bridge } = await aPairedSession(network)
  const contact = await network.phone("Bob")
  const key = await ApiKey.create(bridge.accountId, "test")
  const call = async (method: string, suffix: string, body: unknown, idempotencyKey: string) => {
    const answer = await app.request(`/api/instances/${bridge.customerRef}/proxy/${suffix}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "idempotency-key": idempotencyKey,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const replayed = answer.headers.get("x-idempotency-replayed")
    return { status: answer.status, replayed, text: await answer.text() } satisfies Answer
  }
  return {
    network,
    contact,
    send: (text: string, idempotencyKey: string) =>
      call("POST", "send/text", { chat: contact.number, body: text }, idempotencyKey),
    edit: (id: string, text: string, idempotencyKey: string) =>
      call("PATCH", `messages/${id}/edit`, { body: text }, idempotencyKey),
  }
}

const idIn = ({ text }: Answer) => (JSON.parse(text) as { message_id: string }).message_id

test("a keyed message is shown once, however often it is asked for, and an edit answers with its id", async () => {
  const { contact, send, edit } = await aShop()
  const first = await send("hello", "greeting")
  expect(await send("hello", "greeting")).toEqual({ ...first, replayed: "true" })
  const edited = await edit(idIn(first), "hello!", "edit")
  expect([edited.status, idIn(edited)]).toEqual([200, idIn(first)])
  expect(await edit(idIn(first), "hello!", "edit")).toEqual({ ...edited, replayed: "true" })

  await send("end", "end")
  await contact.read({ text: "end" })
  expect(await contact.read({ text: "hello" })).toMatchObject([{ times: 1 }])
})

test("an acknowledgement that got lost: the retry sends the same bytes, and is then a replay", async () => {
  const { network, contact, send } = await aShop()
  await network.fault({ kind: "lose_acks", times: 1 })
  expect((await send("hello", "greeting")).status).toBe(504)
  const resolved = await send("hello", "greeting")
  expect(resolved).toMatchObject({ status: 200, replayed: "true" })
  expect(await send("hello", "greeting")).toEqual(resolved)
  expect(await contact.read({ id: idIn(resolved) })).toHaveLength(1)
})

test("a record that could not be completed is completed by the next request", async () => {
  const { contact, send } = await aShop()
  const back = dynamoDb.faults.add({
    fault: "throttling",
    operation: "UpdateItem",
    when: (request) => JSON.stringify(request).includes(":answer"),
  })
  const first = await send("hello", "greeting")
  expect(first).toMatchObject({ status: 200, replayed: null })
  back()
  // The claim is still in force.
  expect((await send("hello", "greeting")).status).toBe(409)
  expect(await contact.read({ text: "hello" })).toHaveLength(1)
})
