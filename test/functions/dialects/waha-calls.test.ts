import "#test/support/store.ts"
import { expect, test } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { trustMediaOf } from "#test/support/file-server.ts"
import { app } from "#test/support/service/app.ts"
import { at, anAddress, liftLimits } from "#test/support/service/customer.ts"
import { aSharedChat } from "#test/support/session/chat.ts"

// What WAHA's programs ask of a linked session, on the real app and the simulated network.

liftLimits()
const chat = await aSharedChat()
const { network, bob, bridge } = chat
trustMediaOf(network)
const key = await ApiKey.create(bridge.accountId, "waha's")
const session = bridge.customerRef
const from = at(anAddress())

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const init = {
    method,
    headers: {
      "x-api-key": key,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
  return await app.request(`/waha${path}`, init, from)
}

async function asked(method: string, path: string, body?: unknown) {
  const answer = await ask(method, path, body)
  const said: unknown = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`)
  return said as Record<string, unknown>
}

const bobId = `${bob.number}@c.us`
const textsOf = async () => (await network.control.read(bob.number, {})).map(({ text }) => text)

test("a text arrives, and is answered as WAHA answers it", async () => {
  const sent = await asked("POST", "/api/sendText", { session, chatId: bobId, text: "ready", reply_to: null })
  expect(sent).toMatchObject({
    body: "ready",
    fromMe: true,
    from: bobId,
    to: bobId,
    ack: 1,
    ackName: "SERVER",
  })
  expect(sent.id).toMatch(new RegExp(`^true_${bobId}_[0-9A-F]+$`))
  expect(await textsOf()).toContain("ready")
})

test("a retry under its Idempotency-Key sends nothing again, and says so", async () => {
  const body = { session, chatId: bobId, text: "once" }
  const headers = { "idempotency-key": "order-17" }
  const first = await ask("POST", "/api/sendText", body, headers)
  const again = await ask("POST", "/api/sendText", body, headers)
  expect(await again.json()).toEqual(await first.json())
  expect(again.headers.get("x-idempotency-replayed")).toBe("true")
  expect((await textsOf()).filter((text) => text === "once")).toHaveLength(1)
})

test("what was sent is edited, reacted to and deleted by the id that WAHA's programs know", async () => {
  const { id } = await asked("POST", "/api/sendText", { session, chatId: bob.number, text: "nearly" })
  const path = `/api/${session}/chats/${bobId}/messages/${String(id)}`
  expect(await asked("PUT", path, { text: "ready now" })).toMatchObject({
    id,
    body: "ready now",
    source: "api",
  })
  const reaction = { session, messageId: id, reaction: "👍" }
  expect(await asked("PUT", "/api/reaction", reaction)).toMatchObject({ fromMe: true })
  expect(await asked("DELETE", path)).toEqual({ success: true })
  const late = await ask("PUT", path, { text: "too late" })
  expect([late.status, await late.json()]).toMatchObject([422, { error: "Unprocessable Entity" }])
})

test.each([
  ["no chat", { text: "a" }, /^chatId: /],
  ["a chat that is none", { chatId: "Bob", text: "a" }, /^chatId: 7 to 15 digits/],
  ["no text", { chatId: "491711234567" }, /^text: /],
])("a send with %s is refused, and names the field as WAHA's programs know it", async (_, body, said) => {
  const answer = await ask("POST", "/api/sendText", { session, ...body })
  const { message } = (await answer.json()) as { message: string[] }
  expect([answer.status, message[0]]).toEqual([400, expect.stringMatching(said)])
})

test("the chats of a session that keeps no messages are refused with WAHA's status", async () => {
  const answer = await ask("GET", `/api/${session}/chats`)
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { message: expect.stringMatching(/keeps no messages/) },
  ])
})
