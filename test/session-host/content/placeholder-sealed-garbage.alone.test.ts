import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { eventsOf, statusOf } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

type Message = Extract<Event, { event: "message" }>

async function aChat() {
  const network = await aNetwork()
  const session = await aPairedSession(network, { timing: { beatMs: 1000 } })
  const bob = await network.phone("Bob")
  const message = (matches: Partial<Message>) =>
    until(async () => {
      const all = await eventsOf(session.bridge.id)
      return all.find(
        (event): event is Message =>
          event.event === "message" &&
          Object.entries(matches).every(([name, value]) => Reflect.get(event, name) === value),
      )
    })
  return { network, bob, message, device: `${session.phone.number}:1`, ...session }
}

test("a message that came as a placeholder becomes an event when the phone has given it", async () => {
  const { network, bob, phone, device, message } = await aChat()
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(phone.number, "given later")
  expect(await message({ body: "given later" })).toMatchObject({ message_id: id, phone: bob.number })
})

test("content that is sealed under a message's secret is reported as what it is", async () => {
  const { bob, phone, message } = await aChat()
  const { id } = await bob.send(phone.number, "frist")
  await message({ body: "frist" })
  await bob.post(phone.number, { reaction: { message_id: id, emoji: "👍", sealed: true } })
  expect(await message({ type: "reaction" })).toMatchObject({ reaction: { emoji: "👍", message_id: id } })
  await bob.post(phone.number, { edit: { message_id: id, text: "first", sealed: true } })
  expect(await message({ edit: "edit" })).toMatchObject({ target_id: id, body: "first" })
})

test("a poll that changes is an edit of it each time, and votes on what was added are named", async () => {
  const { bob, phone, bridge, message } = await aChat()
  const poll = { question: "Lunch?", options: ["Soup"], selectable: 0 }
  const { id } = await bob.post(phone.number, { poll })
  await bob.post(phone.number, { add_option: { message_id: id, option: "Salad" } })
  await bob.post(phone.number, { edit: { message_id: id, text: "Dinner?" } })
  await bob.post(phone.number, { add_option: { message_id: id, option: "Pie" } })
  expect(await message({ edit: "edit", body: "Lunch?" })).toMatchObject({ options: ["Soup", "Salad"] })
  await bob.post(phone.number, { vote: { message_id: id, options: ["Pie"] } })
  const events = await until(async () => {
    const all = await eventsOf(bridge.id)
    return all.at(-1)?.event === "poll_vote" && all
  })
  expect(events.slice(-3)).toMatchObject([
    { type: "poll", edit: "edit", target_id: id, body: "Dinner?", options: ["Soup", "Salad"] },
    { type: "poll", edit: "edit", target_id: id, body: "Dinner?", options: ["Soup", "Salad", "Pie"] },
    { event: "poll_vote", poll_id: id, selected_options: ["Pie"] },
  ])
})

test("garbage, giants and stanzas of unknown kinds cost a session nothing", async () => {
  const { network, bob, phone, device, bridge, message } = await aChat()
  const write = (bytes: Uint8Array) =>
    bob.post(phone.number, { bytes: Buffer.from(bytes).toString("base64") })
  await write(randomBytes(200))
  await write(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f]))
  await write(Buffer.concat([Buffer.from([0xfa, 0xf0, 0x04, 0x80, 0x80, 0x04]), randomBytes(65_536)]))
  const stanzas = [
    { tag: "message", attrs: { from: bob.lid } },
    { tag: "message", attrs: { from: "nobody@nowhere" }, content: [{ tag: "enc", attrs: { type: "frob" } }] },
    {
      tag: "message",
      attrs: { from: bob.lid, t: "x" },
      content: [{ tag: "enc", content: { base64: "AAAA" } }],
    },
    { tag: "notification", attrs: { from: bob.jid, type: "frob" } },
    { tag: "receipt", attrs: { from: bob.lid, type: "retry" }, content: [{ tag: "retry" }] },
    { tag: "call", attrs: { from: bob.lid } },
    // No decoder of ours makes a node of this one.
    { tag: "message", attrs: { from: "@" } },
  ]
  for (const stanza of stanzas) await network.call("POST", `/devices/${device}/stanzas`, stanza)
  await bob.send(phone.number, "still there?")
  expect(await message({ body: "still there?" })).toMatchObject({ phone: bob.number })
  expect(await statusOf(bridge.id)).toBe("connected")
})
