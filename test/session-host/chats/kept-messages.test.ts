import "#test/support/store.ts"
import { isDeepStrictEqual } from "node:util"
import { expect, test } from "vitest"
import type { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOf, held, sendText, statusOf } from "#test/support/session/host.ts"
import { scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

interface Message {
  message_id: string
  body: string
  chat_id: string
  contact_id: string
  from_me: boolean
  timestamp: number
  status?: string
}

/** A chat of a bridge with this choice, and its list of messages. */
async function aKeptChat(choice: Choice.Given, options: Parameters<typeof aChat>[0] = {}) {
  const chat = await aChat(options)
  const { id } = chat.bridge
  const choose = async (other: Choice.Given) => {
    await Lease.choose(id, other)
    await call(id, "POST", "/look-at-lease")
  }
  await choose(choice)
  const page = async (of: string, asked: Record<string, string | number> = {}) => {
    const search = Object.entries({ limit: 50, ...asked }).map(([name, value]) => `${name}=${value}`)
    const answer = await call(id, "GET", `/chats/${of}/messages?${search.join("&")}`)
    expect(answer.status).toBe(200)
    const next = answer.headers.get("x-next-after") ?? undefined
    return { messages: (await answer.json()) as Message[], next }
  }
  const said = async (of: string, asked: Record<string, string | number> = {}) =>
    (await page(of, asked)).messages.map(({ body }) => body)
  return {
    ...chat,
    choose,
    page,
    said,
    /** Resolves when the chat has this message. */
    once: (of: string, body: string) => until(async () => (await said(of)).includes(body)),
    rows: () => rowsOf(tables.sessions, id, "SAID#"),
  }
}

/** The chats in the list, each with the time of its last message. */
async function chatsOf(id: string): Promise<[string, number][]> {
  const answer = await call(id, "GET", "/chats?limit=50")
  const chats = (await answer.json()) as { chat_id: string; last_message_at: number }[]
  return chats.map(({ chat_id, last_message_at }) => [chat_id, last_message_at])
}

test("messages in and out are kept, and listed newest first, page by page", async () => {
  const { ask, bob, phone, page, once, rows } = await aKeptChat({ keep: 7 })
  await bob.send(phone.number, "first")
  await once(bob.number, "first")
  const { message_id } = await ask("POST", "/send/text", { chat: bob.number, body: "second" })
  await phone.send(bob.number, "third, by hand")
  await once(bob.number, "third, by hand")
  const { messages, next } = await page(bob.number, { limit: 2 })
  expect(messages.map(({ body, from_me }) => [body, from_me])).toEqual([
    ["third, by hand", true],
    ["second", true],
  ])
  expect(messages[1]).toMatchObject({ message_id, status: "sent", chat_id: bob.jid, contact_id: phone.jid })
  const rest = await page(bob.lid, { limit: 2, after: next! })
  expect(rest).toMatchObject({ next: undefined, messages: [{ body: "first", contact_id: bob.jid }] })
  const inSevenDays = Date.now() / 1000 + 7 * 86_400
  for (const { expires_at } of await rows()) expect(expires_at).toBeCloseTo(inSevenDays, -2)
  expect(JSON.stringify(await rows())).not.toMatch(new RegExp(`${bob.number}|first`))
})

test("the messages of a group are found by time, person and type", async () => {
  const { ask, bob, phone, network, page, said, once } = await aKeptChat({ keep: 90 })
  const cy = await network.phone("Cy")
  const { jid } = await network.group([bob, phone, cy])
  await bob.send(jid, "of Bob")
  await once(jid, "of Bob")
  await cy.send(jid, "of Cy")
  await once(jid, "of Cy")
  await ask("POST", "/send/poll", { chat: jid, question: "Tea?", options: ["yes", "no"] })
  expect(await said(jid)).toEqual(["Tea?", "of Cy", "of Bob"])
  expect(await said(jid, { person: bob.number })).toEqual(["of Bob"])
  expect(await said(jid, { person: cy.lid })).toEqual(["of Cy"])
  expect(await said(jid, { type: "poll" })).toEqual(["Tea?"])
  const { messages } = await page(jid)
  const [first, last] = [messages.at(-1)!.timestamp, messages[0]!.timestamp]
  expect(await said(jid, { until: first })).toEqual([])
  expect(await said(jid, { since: first, until: last + 1 })).toHaveLength(3)
  expect(await said(jid, { since: last + 60 })).toEqual([])
  // Before the days that are kept.
  expect(await said(jid, { until: 1_000_000_000 })).toEqual([])
  expect(await said(bob.number)).toEqual([])
})

test("kept messages are listed as they are now: edited, revoked, and without a line for that", async () => {
  const { ask, bob, phone, network, page, once, message } = await aKeptChat({ keep: 7 })
  const cy = await network.phone("Cy")
  const { jid } = await network.group([bob, phone, cy])
  const data = Buffer.from("a picture").toString("base64")
  const image = { kind: "image", mimetype: "image/jpeg", data, caption: "teh mill" }
  const picture = await bob.post(jid, { media: image })
  const text = await bob.send(jid, "a secret")
  await once(jid, "a secret")
  const ours = await ask("POST", "/send/text", { chat: jid, body: "@you" })
  const hidden = await ask("POST", "/send/text", { chat: jid, body: "also a secret" })
  for (const post of [
    { edit: { message_id: picture.id, text: "the mill" } },
    { edit: { message_id: text.id, text: "still a secret" } },
    { revoke: { message_id: text.id } },
  ])
    await message((await bob.post(jid, post)).id)
  await ask("PATCH", `/messages/${ours.message_id}/edit`, { body: `for you` })
  await ask("DELETE", `/messages/${hidden.message_id}`)
  const { messages } = await page(jid)
  expect(messages.map(({ body }) => body)).toEqual(["", "for you", "", "the mill"])
  expect(messages).toMatchObject([
    { message_id: hidden.message_id, edit: "revoke", target_id: hidden.message_id, from_me: true },
    { message_id: ours.message_id, edit: "edit", target_id: ours.message_id, status: "sent" },
    { message_id: text.id, edit: "revoke", type: "text", contact_id: bob.jid, name: "Bob" },
    {
      message_id: picture.id,
      edit: "edit",
      type: "media",
      caption: "the mill",
      file: { content_type: "image/jpeg" },
    },
  ])
  expect(JSON.stringify(messages)).not.toContain("secret")
})

test("without `keep` nothing is kept, and the answer says what to set; what it kept then is not listed", async () => {
  const { ask, bob, phone, rows, message, choose, once } = await aKeptChat({})
  const { id } = await bob.send(phone.number, "not kept")
  await message(id)
  await ask("POST", "/send/text", { chat: bob.number, body: "neither" })
  expect(await rows()).toEqual([])
  const refused = { status: 409, code: "not_kept", error: expect.stringMatching(/`keep`/) }
  expect(await ask("GET", `/chats/${bob.number}/messages`)).toMatchObject(refused)
  await choose({ keep: 7 })
  await bob.send(phone.number, "kept")
  await once(bob.number, "kept")
  await choose({})
  expect(await ask("GET", `/chats/${bob.number}/messages`)).toMatchObject(refused)
})

test("what was said before `keep` is listed behind what is kept, page by page, each message once", async () => {
  const { ask, bob, phone, network, choose, message, page, said, once, bridge, host } = await aKeptChat({})
  const write = async (body: string) => await message((await bob.send(phone.number, body)).id)
  await write("one")
  const { timestamp } = await write("two")
  await until(() => Math.floor(Date.now() / 1000) > timestamp)
  await ask("POST", "/send/text", { chat: bob.number, body: "three" })
  const [three] = (await (await call(bridge.id, "GET", "/sent")).json()) as { asked_at: number }[]
  await choose({ keep: 7 })
  await until(async () => isDeepStrictEqual(await chatsOf(bridge.id), [[bob.jid, three!.asked_at]]))
  await write("four")
  await once(bob.number, "four")
  const all = ["four", "three", "two", "one"]
  const paged = async (limit: number) => {
    const bodies: string[] = []
    for (let next: string | undefined = ""; next !== undefined;) {
      const found = await page(bob.number, { limit, ...(next && { after: next }) })
      bodies.push(...found.messages.map(({ body }) => body))
      next = found.next
    }
    return bodies
  }
  for (const limit of [1, 2, 3]) expect((await paged(limit)).toSorted()).toEqual(all.toSorted())
  expect((await page(bob.number)).messages.find(({ body }) => body === "three")).toMatchObject({
    from_me: true,
    status: "sent",
  })

  // Switched off for a while, and on again at another host.
  await choose({})
  await write("five")
  const next = await aHost(network)
  await host.stop()
  await held(bridge.id, next)
  await choose({ keep: 7 })
  await once(bob.number, "five")
  expect((await said(bob.number)).toSorted()).toEqual([...all, "five"].toSorted())
})

test("what was sent while messages were kept is there once, though the network's clock is ahead", async () => {
  const { ask, bob, choose, said, once, bridge } = await aKeptChat({ keep: 7 })
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "mine" })
  await once(bob.number, "mine")
  await choose({})
  await ask("POST", "/send/text", { chat: bob.number, body: "meanwhile" })
  const isAcked = async () =>
    (await rowsOf(tables.sessions, bridge.id, `SEND#${id}`)).some(({ state }) => state === "acked")
  await until(isAcked)
  await updateRow({
    TableName: tables.sessions,
    Key: { pk: `BRIDGE#${bridge.id}`, sk: `SEND#${id}` },
    UpdateExpression: "SET #timestamp = #timestamp + :ahead",
    ExpressionAttributeNames: { "#timestamp": "timestamp" },
    ExpressionAttributeValues: { ":ahead": 3 },
  })
  await choose({ keep: 7 })
  await once(bob.number, "meanwhile")
  expect((await said(bob.number)).toSorted()).toEqual(["meanwhile", "mine"])
})

test("what another phone's chats said before is not taken over by the phone that is linked next", async () => {
  const { bridge, bob, phone, network, message, choose, said, unlink, once } = await aKeptChat({})
  await message((await bob.send(phone.number, "for Ada")).id)
  await unlink()
  await until(async () => (await statusOf(bridge.id)) === "unpaired")
  const eve = await network.phone("Eve")
  await scanCode(eve, bridge.id)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  await message((await bob.send(eve.number, "for Eve")).id)
  await choose({ keep: 7 })
  await once(bob.number, "for Eve")
  expect(await said(bob.number)).toEqual(["for Eve"])
})

test("a person quoted in a message to a private id is named by their number, the account itself included", async () => {
  const { ask, bob, phone, page } = await aKeptChat({ keep: 7 })
  await bob.send(phone.number, "hello")
  const { message_id: quoted_message_id } = await ask("POST", "/send/text", { chat: bob.lid, body: "first" })
  await ask("POST", "/send/text", { chat: bob.lid, body: "second", quoted_message_id })
  const { messages } = await page(bob.lid, { limit: 1 })
  expect(messages).toMatchObject([
    { body: "second", quoted: { message_id: quoted_message_id, contact_id: phone.jid } },
  ])
})

test("an `after` of another chat, another bridge or no message is refused, and the answer says what to do", async () => {
  const { ask, bob, phone, network, page, once } = await aKeptChat({ keep: 7 })
  const other = await aKeptChat({ keep: 7 }, { network })
  const cy = await network.phone("Cy")
  for (const body of ["one", "two"]) {
    await bob.send(phone.number, body)
    await once(bob.number, body)
    await bob.send(other.phone.number, body)
    await other.once(bob.number, body)
  }
  const { next } = await page(bob.number, { limit: 1 })
  const elsewhere = await other.page(bob.number, { limit: 1 })
  for (const path of [
    `/chats/${cy.number}/messages?after=${next}`,
    `/chats/${bob.number}/messages?after=${elsewhere.next}`,
    `/chats/${bob.number}/messages?after=x`,
  ])
    expect(await ask("GET", path)).toMatchObject({
      status: 400,
      code: "invalid_request",
      error: expect.stringMatching(/after: .*leave it out/),
    })
})

test("a message that comes again is kept once, and one that the network refused is not kept", async () => {
  const { bridge, bob, phone, network, said, once } = await aKeptChat({ keep: 7 })
  await network.fault({ kind: "cut_before_receipt", times: 1 })
  await bob.send(phone.number, "twice")
  await once(bob.number, "twice")
  await network.control.settled(`${phone.number}:1`, 10_000)
  await until(async () => (await statusOf(bridge.id)) === "connected")
  await network.fault({ kind: "nack", code: 463, times: 1 })
  expect((await sendText(bridge.id, bob.number, "refused")).status).toBe(502)
  expect(await said(bob.number)).toEqual(["twice"])
})

test("a message that gives no event is kept and can be answered, and none of an ignored chat", async () => {
  const { ask, bob, phone, network, bridge, once, page, rows } = await aKeptChat({
    keep: 7,
    events: ["connected"],
    ignore: ["groups"],
  })
  const { jid } = await network.group([bob, phone])
  await bob.send(jid, "in the group")
  await bob.send(phone.number, "no event")
  await once(bob.number, "no event")
  const [kept] = (await page(bob.number)).messages
  const reply = { chat: bob.number, body: "yes", quoted_message_id: kept!.message_id }
  expect(await ask("POST", "/send/text", reply)).toMatchObject({ status: 200 })
  expect((await eventsOf(bridge.id)).map(({ event }) => event)).not.toContain("message")
  expect(await rows()).toHaveLength(2)
})

test("another linked phone sees nothing of the last one's messages, and the first phone does again", async () => {
  const { bridge, bob, phone, network, once, said, unlink } = await aKeptChat({ keep: 7 })
  await bob.send(phone.number, "for Ada")
  await once(bob.number, "for Ada")
  await unlink()
  await until(async () => (await statusOf(bridge.id)) === "unpaired")
  expect((await call(bridge.id, "GET", `/chats/${bob.number}/messages`)).status).toBe(409)
  const link = async (who: typeof phone) => {
    await scanCode(who, bridge.id)
    await until(async () => (await statusOf(bridge.id)) === "connected")
  }
  await link(await network.phone("Eve"))
  expect(await said(bob.number)).toEqual([])
  await call(bridge.id, "DELETE", "/logout")
  await until(async () => (await statusOf(bridge.id)) === "unpaired")
  await link(phone)
  expect(await said(bob.number)).toEqual(["for Ada"])
})
