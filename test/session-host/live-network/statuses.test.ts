import { expect, test } from "vitest"
import "#test/support/store.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

// What people post as their status comes as a stanza of its own (docs/network.md).

const { aChat, linesOf } = await aSharedHost()
const deviceOf = (chat: Awaited<ReturnType<typeof aChat>>) => `${chat.phone.number}:1`

test("a status that is a stanza of its own is an event like any message, and is acknowledged as a status", async () => {
  const chat = await aChat()
  const { network, bob, phone, message } = chat
  const device = deviceOf(chat)
  const { id } = await bob.post("status@broadcast", { text: "my day", viewers: [phone.number] })
  expect(await message(id)).toMatchObject({
    chat_id: "status@broadcast",
    contact_id: bob.jid,
    body: "my day",
  })
  expect(await network.control.settled(device, 10_000)).toBe(true)
  const [ack] = await network.log({ who: device, kind: "in", tag: "ack", attrs: { id } })
  expect(ack!.stanza!.attrs).toMatchObject({ class: "status", to: "status@broadcast", participant: bob.lid })
})

test("what comes after a status comes after its event, and a status that comes twice is one event", async () => {
  const chat = await aChat()
  const { network, bob, phone, message, eventIds } = chat
  const device = deviceOf(chat)
  await network.fault({ kind: "twice", device, times: 1 })
  const status = await bob.post("status@broadcast", { text: "my day", viewers: [phone.number] })
  const { id } = await bob.send(phone.number, "after it")
  await message(id)
  await message(status.id)
  expect(await network.control.settled(device, 10_000)).toBe(true)
  const events = await eventIds()
  expect(new Set(events).size).toBe(events.length)
})

test("a status of which the phone alone has the content is said in the log, as a message is", async () => {
  const chat = await aChat()
  const { network, bob, bridge } = chat
  const attrs = { from: "status@broadcast", participant: bob.lid, id: "OLD", t: "1", type: "text" }
  const status = { tag: "status", attrs, content: [{ tag: "unavailable" }] }
  await network.control.stanza(deviceOf(chat), status)
  expect(await network.control.settled(deviceOf(chat), 10_000)).toBe(true)
  await until(async () =>
    (await linesOf(bridge.id)).some((line) => line.includes("too old to ask the phone for it")),
  )
})

const enc = (type: string, bytes = "Cv////9/") => ({
  tag: "enc",
  attrs: { v: "2", type },
  content: { base64: bytes },
})

test("a status that becomes no event is acknowledged as a status all the same, whatever is wrong with it", async () => {
  const chat = await aChat()
  const { network, bob, phone, message } = chat
  const device = deviceOf(chat)
  const participant = bob.lid
  const forms: [id: string, attrs: Record<string, string>, content?: ReturnType<typeof enc>[]][] = [
    ["EMPTY", { participant }],
    ["NOBODYS", {}, [enc("skmsg")]],
    ["GARBAGE", { participant }, [enc("skmsg")]],
    ["HOLLOW", { participant }, [enc("skmsg", "")]],
    ["UNKNOWN", { participant }, [enc("frob")]],
    ["MISPLACED", { from: bob.lid, participant }],
  ]
  for (const [id, attrs, content = []] of forms)
    await network.control.stanza(device, {
      tag: "status",
      attrs: { from: "status@broadcast", id, t: "1800000000", type: "text", ...attrs },
      content,
    })
  await message((await bob.send(phone.number, "after them")).id)
  expect(await network.control.settled(device, 10_000)).toBe(true)
  for (const [id] of forms) {
    const acks = await network.log({ who: device, kind: "in", tag: "ack", attrs: { id } })
    expect([id, acks[0]?.stanza?.attrs.class, acks[0]?.stanza?.attrs.error]).toEqual([
      id,
      "status",
      undefined,
    ])
  }
})
