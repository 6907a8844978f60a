import { expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import { newMessageId } from "#core/message/message-id.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { call, eventsOf, eventsOfType, sendText } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

type Status = Extract<Event, { event: "message_status" }>

const followed: Choice.Given = { events: ["message", "message_status"] }

const { aChat } = await aSharedHost({ timing: { ackMs: 1000, beatMs: 1000 } })

/** A chat whose customer wants to know what becomes of messages. */
async function aFollowedChat(choice: Choice.Given) {
  const chat = await aChat()
  const { id } = chat.bridge
  await Lease.choose(id, choice)
  await call(id, "POST", "/look-at-lease")
  const device = `${chat.phone.number}:1`
  const statuses = async (messageId?: string) =>
    (await eventsOfType(id, "message_status")).filter(
      ({ message_id }) => messageId === undefined || message_id === messageId,
    )
  return {
    ...chat,
    statuses,
    /** The statuses of this message in order, once it has come as far. */
    until: async (messageId: string, ...expected: Status["status"][]) => {
      await until(async () => (await statuses(messageId)).length >= expected.length)
      const told = await statuses(messageId)
      expect(told.map(({ status }) => status)).toEqual(expected)
      return told
    },
    reads: (by: { number: string }, messageId: string, more: object = {}) =>
      chat.network.call("POST", `/phones/${by.number}/read`, {
        chat: chat.phone.number,
        message_ids: [messageId],
        ...more,
      }),
    /** Tells the session's device what its network never would. */
    tell: (attrs: Record<string, string>, content: object[] = []) =>
      chat.network.call("POST", `/devices/${device}/stanzas`, { tag: "receipt", attrs, content }),
    isQuiet: () => chat.network.control.settled(device, 10_000),
  }
}

const chat = await aFollowedChat(followed)
const { bob, bridge, phone, network, ask } = chat
const everybody = await aFollowedChat({ ...followed, messageStatus: "participants" })

test("a message to a person is sent, delivered, read and played, each once, however often it is said", async () => {
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "hello" })
  await chat.until(id, "sent", "delivered")
  const looked = await ask("GET", `/messages/${id}`)
  expect([looked.status, "untracked" in looked]).toEqual(["delivered", false])
  await chat.reads(bob, id)
  await chat.until(id, "sent", "delivered", "read")
  await chat.reads(bob, id, { type: "played" })
  const told = await chat.until(id, "sent", "delivered", "read", "played")
  for (const status of told)
    expect(status).toEqual({
      event: "message_status",
      message_id: id,
      chat_id: bob.jid,
      chat_lid: bob.lid,
      status: status.status,
      timestamp: expect.closeTo(Date.now() / 1000, -2),
    })

  await chat.reads(bob, id)
  await chat.tell({ id, from: bob.jid })
  await chat.tell({ id, from: bob.jid, type: "played" })
  await chat.isQuiet()
  const last = await ask("POST", "/send/text", { chat: bob.number, body: "bye" })
  await chat.until(last.message_id, "sent", "delivered")
  await chat.until(id, "sent", "delivered", "read", "played")
  expect(new Set(await chat.eventIds()).size).toBe((await eventsOf(bridge.id)).length)
})

test("who has not chosen statuses hears of none, a look-up says that, and a receipt writes nothing", async () => {
  const { bob, bridge, ask, network, phone } = await aChat()
  const asked = transactions()
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "hello" })
  await bob.read({ id })
  await network.call("POST", `/phones/${bob.number}/read`, { chat: phone.number, message_ids: [id] })
  await network.control.settled(`${phone.number}:1`, 10_000)
  await bob.send(phone.number, "answer")
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(1)
  expect(asked.filter(({ rows }) => rows.includes(`SEND#${id}`))).toHaveLength(2)
  expect((await eventsOf(bridge.id)).map(({ event }) => event)).not.toContain("message_status")
  const untracked = expect.stringContaining("name `message_status` among the `events`") as string
  expect(await ask("GET", `/messages/${id}`)).toMatchObject({ status: "sent", untracked })
  expect(await ask("GET", "/sent?limit=1")).toMatchObject({ 0: { message_id: id, untracked } })
})

test("a message that the network refuses has failed, with the reason, and nothing more becomes of it", async () => {
  await network.fault({ kind: "nack", code: 463, times: 1 })
  const id = newMessageId()
  expect(await sendText(bridge.id, bob.number, "hello", id)).toMatchObject({ status: 502 })
  const [failed] = await chat.until(id, "failed")
  expect(failed).toMatchObject({ chat_id: bob.jid, network_code: 463, reason: expect.stringMatching(/463/) })
  await chat.tell({ id, from: bob.jid, type: "read" })
  await chat.isQuiet()
  await chat.until(id, "failed")
})

test("a receipt tells what became of a message whose acknowledgement was lost, and a retry sends nothing", async () => {
  await network.fault({ kind: "lose_acks", times: 1 })
  const id = newMessageId()
  expect(await sendText(bridge.id, bob.number, "hello", id)).toMatchObject({ status: 504 })
  await chat.until(id, "sent", "delivered")
  expect(await sendText(bridge.id, bob.number, "hello", id)).toMatchObject({ status: 200, message_id: id })
  expect(await bob.read({ id })).toMatchObject([{ times: 1 }])
  await chat.until(id, "sent", "delivered")
})

test("an edit is no message of its own, and tells of nothing", async () => {
  const { length } = await chat.statuses()
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "frist" })
  await ask("PATCH", `/messages/${id}/edit`, { body: "first" })
  await bob.read({ kind: "protocolMessage" })
  const last = await ask("POST", "/send/text", { chat: bob.number, body: "bye" })
  await chat.until(last.message_id, "sent", "delivered")
  expect((await chat.statuses()).slice(length).map(({ message_id }) => message_id)).toEqual([
    id,
    id,
    last.message_id,
    last.message_id,
  ])
})

test("of a status it is told who has seen it, whichever address a viewer is named by", async () => {
  const chat = everybody
  const { bob, ask, network, phone } = chat
  const eve = await network.phone("Eve")
  const people = [bob, eve].map(({ number }) => ({ number, full_name: `Friend ${number}` }))
  await network.control.addressBook(phone.number, people)
  for (const { jid } of [bob, eve])
    await until(async () => (await ask("GET", `/contacts/${jid}`)).status === 200)
  const { message_id: id } = await ask("POST", "/send/status", { body: "open till ten" })
  for (const one of [bob, eve]) await one.read({ id })
  await chat.reads(bob, id, { chat: "status@broadcast", from: phone.number })
  // As the live network says it of several viewers at once (whatsmeow 1270).
  const user = { tag: "user", attrs: { jid: eve.lid, t: "1800000000", type: "read" } }
  const viewers = { tag: "participants", attrs: { message_id: id }, content: [user] }
  await chat.tell({ id: "SAGR1", from: "status@broadcast", class: "status" }, [viewers])
  await until(async () => (await chat.statuses(id)).some(({ counts }) => counts?.read === 2))
  const told = await chat.statuses(id)
  expect(told[0]).toMatchObject({ status: "sent", chat_id: "status@broadcast", counts: { recipients: 2 } })
  const seen = told.flatMap(({ status, participants = [] }) => (status === "read" ? participants : []))
  expect(seen.toSorted()).toEqual([bob.jid, eve.jid].toSorted())
})

test("in a group numbers are told, and those who are named in one receipt are one event", async () => {
  const others = [await network.phone("Cy"), await network.phone("Di"), await network.phone("Ed")]
  const group = await network.group([bob, phone, ...others])
  const { message_id: id } = await ask("POST", "/send/text", { chat: group.jid, body: "hello all" })
  for (const member of [bob, ...others]) await member.read({ id })
  await until(async () => (await chat.statuses(id)).some(({ counts }) => counts?.delivered === 4))
  const [sent] = await chat.statuses(id)
  expect(sent).toMatchObject({
    status: "sent",
    chat_id: group.jid,
    counts: { recipients: 4, delivered: 0, read: 0, played: 0 },
  })

  const numbers = others.map(({ number }) => number)
  const lids = (await network.control.phones()).filter(({ number }) => numbers.includes(number))
  const users = lids.map(({ lid }) => ({ tag: "user", attrs: { jid: lid, t: "1800000000" } }))
  const list = [{ tag: "participants", attrs: { key: id }, content: users }]
  await chat.tell({ from: group.jid, type: "read" }, list)
  await until(async () => (await chat.statuses(id)).some(({ status }) => status === "read"))
  expect((await chat.statuses(id)).filter(({ status }) => status === "read")).toEqual([
    {
      event: "message_status",
      message_id: id,
      chat_id: group.jid,
      status: "read",
      timestamp: 1_800_000_000,
      counts: { recipients: 4, delivered: 4, read: 3, played: 0 },
    },
  ])
})

test("a customer who wants to know of whom gets the participants of each receipt, by number", async () => {
  const chat = everybody
  const { bob, phone, network, ask } = chat
  const cy = await network.phone("Cy")
  const group = await network.group([bob, phone, cy], "pn")
  const { message_id: id } = await ask("POST", "/send/text", { chat: group.jid, body: "hello all" })
  for (const member of [bob, cy]) await member.read({ id })
  const who = async (wanted: Status["status"]) =>
    (await chat.statuses(id)).flatMap(({ status, participants }) =>
      status === wanted ? (participants ?? []) : [],
    )
  await until(async () => (await who("delivered")).length === 2)
  expect(new Set(await who("delivered"))).toEqual(new Set([bob.jid, cy.jid]))
  await chat.reads(cy, id, { chat: group.jid, from: phone.number })
  await until(async () => (await who("read")).length > 0)
  expect(await who("read")).toEqual([cy.jid])
})

test("ten thousand receipts of strangers, for messages of ours and for none, make no row and no event", async () => {
  const eve = await network.phone("Eve")
  const group = await network.group([bob, phone])
  const { message_id: id } = await ask("POST", "/send/text", { chat: bob.number, body: "hello" })
  const inGroup = await ask("POST", "/send/text", { chat: group.jid, body: "hello all" })
  await chat.until(id, "sent", "delivered")
  await until(async () => (await chat.statuses(inGroup.message_id)).length === 2)
  await chat.isQuiet()
  const before = (await eventsOf(bridge.id)).length
  const asked = transactions()

  const items = Array.from({ length: 9_998 }, () => ({ tag: "item", attrs: { id: newMessageId() } }))
  await chat.tell({ id, from: eve.jid, type: "read" }, [{ tag: "list", attrs: {}, content: items }])
  await chat.tell({ id, from: group.jid, participant: bob.jid, type: "read" })
  await chat.tell({ id: inGroup.message_id, from: group.jid, participant: eve.jid, type: "read" })
  await chat.tell({ id: inGroup.message_id, from: bob.jid, type: "read" })
  await chat.tell({ id, from: phone.jid, type: "read", recipient: bob.jid })
  for (const type of ["sender", "read-self", "played-self", "server-error", "hist_sync", "constructor"])
    await chat.tell({ id, from: bob.jid, type })
  for (const from of ["", "constructor", "__proto__", "status@broadcast"])
    await chat.tell({ id, from, type: "read" })
  await chat.isQuiet()
  await chat.reads(bob, id)
  await chat.until(id, "sent", "delivered", "read")
  expect(await eventsOf(bridge.id)).toHaveLength(before + 1)
  const rows = asked.flatMap((one) => one.rows).filter((sk) => !sk.startsWith("SIGNAL#") && sk !== "LEASE")
  expect(new Set(rows.map((sk) => sk.split("#")[0]))).toEqual(new Set(["EVENT", "SEND"]))
  expect(rows).toHaveLength(2)
})
