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

test("a chat is emptied and deleted, somebody gets a name, and labels are made and put, as WAHA does it", async () => {
  const phone = `/phones/${chat.phone.number}`
  const settings = async (collection: string) =>
    JSON.stringify(await network.call("GET", `${phone}/app-state/${collection}`))
  const of = `/api/${session}`
  for (const path of [`${of}/chats/${bobId}/messages`, `${of}/chats/${bobId}`])
    expect((await ask("DELETE", path)).status).toBe(200)
  expect(await settings("regular_high")).toMatch(/"clearChat".*"deleteChat"/)
  await asked("PUT", `${of}/contacts/${bobId}`, { firstName: "Robert", lastName: "Brown" })
  expect(await asked("GET", `${of}/contacts/${bobId}`)).toMatchObject({
    name: "Robert Brown",
    shortName: "Robert",
  })
  await asked("PUT", `${of}/profile/name`, { name: "The Shop" })
  expect(await asked("GET", `${of}/profile`)).toMatchObject({ name: "The Shop" })

  expect((await ask("GET", `${of}/labels`)).status).toBe(422)
  await network.call("PATCH", phone, { business: { name: "The Shop" } })
  const made = { id: "1", name: "Paid", color: 1, colorHex: "#64c4ff" }
  expect(await asked("POST", `${of}/labels`, { name: "Paid", colorHex: "#64C4FF" })).toEqual(made)
  expect((await ask("POST", `${of}/labels`, { name: "Odd", colorHex: "#000000" })).status).toBe(400)
  await asked("POST", `${of}/labels`, { name: "Waits", color: 2 })
  for (const id of ["2", "1"]) await asked("PUT", `${of}/labels/chats/${bobId}`, { labels: [{ id }] })
  expect(await asked("GET", `${of}/labels/chats/${bobId}`)).toEqual([made])
  expect(await asked("GET", `${of}/labels/1/chats`)).toEqual([{ id: bobId }])
  expect(await asked("PUT", `${of}/labels/1`, { name: "Is paid" })).toMatchObject({ name: "Is paid" })
  await asked("DELETE", `${of}/labels/2`)
  expect(await asked("GET", `${of}/labels`)).toMatchObject([{ id: "1", name: "Is paid" }])
})

async function evolution(method: string, path: string, body?: object) {
  const headers = { apikey: key, "content-type": "application/json" }
  const init = { method, headers, body: body && JSON.stringify(body) }
  const answer = await app.request(`/evolution${path}/${session}`, init, from)
  const said: unknown = await answer.json()
  return { status: answer.status, said }
}

test("Evolution's callers change the name, the privacy and the labels of the same account", async () => {
  expect(await evolution("POST", "/chat/updateProfileName", { name: "Corner Shop" })).toMatchObject({
    status: 200,
  })
  const privacy = { readreceipts: "none", last: "contacts", groupadd: "contacts" }
  expect(await evolution("POST", "/chat/updatePrivacySettings", privacy)).toMatchObject({
    status: 201,
    said: { update: "success", data: { ...privacy, profile: "all" } },
  })
  expect(await evolution("GET", "/chat/fetchPrivacySettings")).toMatchObject({ status: 200, said: privacy })
  const [label] = (await evolution("GET", "/label/findLabels")).said as { id: string; name: string }[]
  expect(label).toMatchObject({ name: "Is paid", color: "1" })
  for (const action of ["remove", "add"]) {
    const wanted = { number: bob.number, labelId: label!.id, action }
    expect(await evolution("POST", "/label/handleLabel", wanted)).toMatchObject({
      status: 200,
      said: { numberJid: bob.jid, labelId: label!.id, [action]: true },
    })
  }
  expect((await evolution("POST", "/label/handleLabel", { number: bob.number, labelId: "1" })).status).toBe(
    400,
  )
})
