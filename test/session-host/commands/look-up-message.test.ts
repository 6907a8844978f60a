import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { sentRow } from "#session-host/memory/messages/sent.ts"
import { encodeBare } from "#session-host/network/decode.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, call, held, sendText } from "#test/support/session/host.ts"
import { aMemory } from "#test/support/session/memory.ts"
import { until } from "#test/support/until.ts"

const time = expect.closeTo(Date.now() / 1000, -4)

/** A chat, and a look-up of its messages. */
async function aLookedUpChat(events?: string[], beside: Parameters<typeof aChat>[0] = {}) {
  const chat = await aChat({ timing: { ackMs: 1000 }, ...beside })
  if (events) {
    await Lease.choose(chat.bridge.id, { events })
    await call(chat.bridge.id, "POST", "/look-at-lease")
  }
  const lookUp = (id: string, query = "") => chat.ask("GET", `/messages/${id}${query}`)
  return {
    ...chat,
    lookUp,
    /** The message, once it has come as far. */
    once: (id: string, status: unknown) =>
      until(async () => {
        const found = await lookUp(id)
        return found.status === status && found
      }),
    reads: (id: string, more: object = {}) =>
      chat.network.call("POST", `/phones/${chat.bob.number}/read`, {
        chat: chat.phone.number,
        message_ids: [id],
        ...more,
      }),
  }
}

test("a message that was sent is found with all that became of it, if that was asked for", async () => {
  const { ask, bob, phone, once, reads } = await aLookedUpChat(["message", "message_status"])
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "hello" })
  await once(id, "delivered")
  await reads(id)
  await once(id, "read")
  await reads(id, { type: "played" })
  expect(await once(id, "played")).toEqual({
    status: "played",
    message_id: id,
    chat_id: bob.jid,
    contact_id: phone.jid,
    from_me: true,
    type: "text",
    media_type: "",
    body: "hello",
    sent_at: time,
    delivered_at: time,
    read_at: time,
    played_at: time,
    asked_at: time,
    request_id: expect.stringMatching(/-/),
  })
})

test("without that, it is known that the network has it", async () => {
  const { ask, bob, lookUp } = await aLookedUpChat()
  const { message_id: id } = await ask("POST", "/send/poll", {
    chat: bob.number,
    question: "When?",
    options: ["now", "later"],
  })
  await bob.read({ id })
  expect(await lookUp(id)).toMatchObject({ status: "sent", type: "poll", body: "When?", sent_at: time })
})

test("one that the network refused says why, and one that it did not acknowledge is pending", async () => {
  const { bridge, bob, network, lookUp } = await aLookedUpChat()
  const [refused, unknown] = [newMessageId(), newMessageId()]
  await network.fault({ kind: "nack", code: 463, times: 1 })
  await sendText(bridge.id, bob.number, "no", refused)
  expect(await lookUp(refused)).toMatchObject({
    status: "failed",
    failed_at: time,
    network_code: 463,
    reason: expect.stringMatching(/463/),
  })
  await network.fault({ kind: "lose_acks", times: 1 })
  await sendText(bridge.id, bob.number, "perhaps", unknown)
  const pending = await lookUp(unknown)
  expect(pending).toMatchObject({ status: "pending", body: "perhaps" })
  expect(Object.keys(pending).filter((name) => name.endsWith("_at"))).toEqual(["asked_at"])
})

test("a message to a group has come as far as all of its recipients", async () => {
  const { ask, bob, phone, network, once, reads, lookUp } = await aLookedUpChat(["message_status"])
  const cy = await network.phone("Cy")
  const group = await network.group([bob, phone, cy])
  const { message_id: id } = await ask("POST", "/send/text", { chat: group.jid, body: "all" })
  await once(id, "delivered")
  await reads(id, { chat: group.jid, from: phone.number })
  const counts = { recipients: 2, delivered: 2, read: 1, played: 0 }
  await until(async () => JSON.stringify(await lookUp(id)).includes(JSON.stringify(counts)))
  expect(await lookUp(id)).toMatchObject({ status: "delivered", chat_id: group.jid, counts, read_at: time })
})

test("what others or the phone wrote is found, and of one id the one in the named chat", async () => {
  const { bob, phone, network, message, lookUp } = await aLookedUpChat()
  const eve = await network.phone("Eve")
  const data = Buffer.from("a voice").toString("base64")
  const media = { kind: "audio", voice: true, mimetype: "audio/ogg", data }
  const { id } = (await bob.post(phone.number, { media })) as { id: string }
  await message(id)
  const about = { type: "media", media_type: "voice", status: "received", received_at: time, from_me: false }
  expect(await lookUp(id)).toMatchObject({ ...about, contact_id: bob.jid, chat_id: bob.jid })
  for (const chat of [bob.number, bob.jid, bob.lid])
    expect(await lookUp(id, `?chat=${chat}`)).toMatchObject(about)
  expect(await lookUp(id, `?chat=${eve.number}`)).toMatchObject({
    status: 404,
    error: expect.stringMatching(/in this chat/),
  })
  await eve.post(phone.number, { text: "the same id", id })
  await until(async () => JSON.stringify(await lookUp(id, `?chat=${eve.number}`)).includes("same id"))
  expect(await lookUp(id)).toMatchObject(about)
  const own = await phone.send(bob.number, "by hand")
  await message(own.id)
  expect(await lookUp(own.id)).toMatchObject({ status: "sent", from_me: true, contact_id: phone.jid })
})

test("an unknown id, and one of another bridge, is 404 with a sentence", async () => {
  const one = await aLookedUpChat()
  const { message_id: id } = await one.ask("POST", "/send/text", { chat: one.bob.number, body: "hello" })
  const { network, host } = one
  const other = await aLookedUpChat(undefined, { network, host })
  for (const unknown of [id, newMessageId(), "NOSUCH", "x".repeat(200), "__proto__"])
    expect(await other.lookUp(unknown)).toMatchObject({
      status: 404,
      code: "not_found",
      error: "this bridge has sent or received no such message: messages are remembered for 30 days",
    })
})

test("what was sent is listed newest first with its request, at any host, and with why it was refused", async () => {
  const { bridge, ask, bob, network, host } = await aLookedUpChat()
  const listed = async (query = "") =>
    (await (await call(bridge.id, "GET", `/sent${query}`)).json()) as Record<string, unknown>[]
  const ids: string[] = []
  const send = async (body: string) =>
    ids.push((await ask("POST", "/send/text", { chat: bob.number, body })).message_id)
  await send("first")
  expect(await listed()).toMatchObject([{ body: "first", status: "sent", chat_id: bob.jid, asked_at: time }])
  await send("second")
  const refused = newMessageId()
  await network.fault({ kind: "nack", code: 463, times: 1 })
  await sendText(bridge.id, bob.number, "refused", refused)
  const cy = await network.phone("Cy")
  await ask("POST", "/send/text", { chat: cy.number, body: "to another" })

  async function areThere() {
    expect(await listed(`?chat=${bob.number}`)).toMatchObject([
      { message_id: refused, status: "failed", network_code: 463, reason: expect.stringMatching(/463/) },
      { message_id: ids[1], body: "second", request_id: expect.any(String) },
      { message_id: ids[0], body: "first" },
    ])
    const page = await call(bridge.id, "GET", "/sent?limit=1")
    expect(await page.json()).toMatchObject([{ body: "to another" }])
    const after = page.headers.get("x-next-after")!
    expect((await listed(`?after=${after}&limit=2`)).map(({ body }) => body)).toEqual(["refused", "second"])
    expect((await call(bridge.id, "GET", `/sent?after=${newMessageId()}`)).status).toBe(400)
  }
  await areThere()
  await host.stop()
  await held(bridge.id, await aHost(network))
  await until(async () => (await call(bridge.id, "GET", "/sent")).status === 200)
  await areThere()
})

test("of very many messages the latest are listed, those among them that are made while it is found out", async () => {
  const { memory } = await aMemory()
  const { store, commits, sentList } = memory
  const message = encodeBare({ conversation: "hello" })
  const rows = Array.from({ length: 1500 }, (_, i) => ({ messageId: newMessageId(), askedMs: i + 1 }))
  const row = ({ messageId, askedMs }: { messageId: string; askedMs: number }) =>
    sentRow(store, { messageId, askedMs, chat: "1@s.whatsapp.net", message, generation: 1, state: "sent" })
  for (let i = 0; i < rows.length; i += 50) await commits.write(rows.slice(i, i + 50).map(row))
  const walk = Array.fromAsync(sentList.behind(undefined))
  const late = { messageId: newMessageId(), askedMs: rows.length + 1 }
  sentList.note(late)
  await commits.write([row(late)])
  // Sent again, and one that was refused before it had a row.
  sentList.note(late)
  sentList.note({ messageId: newMessageId(), askedMs: rows.length + 2 })
  const expected = [...rows, late].map(({ messageId }) => messageId).toReversed()
  expect((await walk).map(({ messageId }) => messageId)).toEqual(expected)
  expect((await Array.fromAsync(sentList.behind(expected[1499]))).length).toBe(1)
})
