import { expect, test } from "vitest"
import "#test/support/store.ts"
import { wrongs } from "#simulator/stanzas/malform.ts"
import { noticeKinds } from "#simulator/stanzas/unsolicited-notices.ts"
import { eventsOf, eventsOfType, sendText, statusOf } from "#test/support/session/host.ts"
import { aSharedHost } from "#test/support/session/shared-host.ts"
import { until } from "#test/support/until.ts"

// Behaviour of the live network that the simulated one shows by default, as a fault or as a notice.

const { aChat, hostLog, linesOf } = await aSharedHost()

/** The notices that reach the customer's log. The customer is not told of the others. */
const toldOf: Partial<Record<(typeof noticeKinds)[number], RegExp>> = {
  identity_changed: /another phone, or has reinstalled the app \(\d+@lid\)/,
  number_changed: /another number \(\d+@lid\)/,
  group_number_changed: /another number/,
  bot_message: /cannot read a bot's message/,
  newsletter_news: /posts of channels give events only if/,
  restricted: /may not start new chats until /,
  unrestricted: /no longer says that this account may not start/,
  capped: /as many new chats as it may until /,
  uncapped: /no longer says that this account has started/,
  cap_nears: /will soon have started as many/,
  hosted_placeholder: /shown on the phone alone/,
  bot_placeholder: /shown on the phone alone/,
  old_placeholder: /too old to ask the phone for it/,
}

test("news that comes unasked is settled, told where it says something, and known for what it is", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  const group = (await network.group([bob, phone])).jid
  await message((await bob.send(phone.number, "so that he is a contact")).id)
  const before = hostLog.length
  for (const kind of noticeKinds) await network.control.notice(device, { kind, about: bob.number, group })
  expect(await network.control.settled(device, 20_000)).toBe(true)
  await message((await bob.send(phone.number, "after them")).id)

  const types = new Set((await eventsOf(bridge.id)).map(({ event }) => event))
  expect([...types].toSorted()).toEqual(["connected", "message", "offline_sync_completed"])
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(2)
  const told = (await linesOf(bridge.id)).join("\n")
  for (const [, sentence] of Object.entries(toldOf)) expect(told).toMatch(sentence)
  expect(hostLog.slice(before).filter((line) => line.includes('"unknown"'))).toEqual([])

  // Each also built wrongly.
  for (const wrong of wrongs)
    for (const kind of noticeKinds)
      await network.control.notice(device, { kind, about: bob.number, group, wrong })
  await message((await bob.send(phone.number, "after all of them")).id)
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(3)
  expect(await statusOf(bridge.id)).toBe("connected")
}, 120_000)

test.for([
  [
    "an unknown kind of ciphertext",
    [{ tag: "enc", attrs: { v: "2", type: "future" }, content: { base64: "AAAA" } }],
  ],
  ["nothing but a payment", [{ tag: "pay", attrs: { type: "send" } }]],
] as const)(
  "a message with %s is a line of the bridge's log, and nothing waits behind it",
  async ([, content]) => {
    const { bob, phone, bridge, network, message } = await aChat()
    const attrs = { id: "FUTURE", from: bob.lid, t: "1800000000", type: "text" }
    await network.control.stanza(`${phone.number}:1`, { tag: "message", attrs, content: [...content] })
    await message((await bob.send(phone.number, "after it")).id)
    expect((await linesOf(bridge.id)).join("\n")).toMatch(/cannot decrypt: it gives no event/)
  },
)

test("the operator hears once when the network will refuse this version, however many sessions are told", async () => {
  const chats = [await aChat(), await aChat()]
  const before = hostLog.length
  for (const { network, phone, bob, message } of chats) {
    const device = `${phone.number}:1`
    await network.control.notice(device, { kind: "client_expires", about: bob.number })
    await message((await bob.send(phone.number, "after it")).id)
  }
  const lines = hostLog.slice(before).filter((line) => line.includes("will refuse this version"))
  expect(lines).toHaveLength(1)
  const at = Date.parse((JSON.parse(lines[0]!) as { at: string }).at)
  expect(at).toBeGreaterThan(Date.now() + 29 * 86_400_000)
  const { network, phone, bob, ask } = chats[0]!
  const expiresAt = async () =>
    ((await ask("GET", "/debug/stats")) as { client_expires_at?: number }).client_expires_at
  expect(Math.abs((await expiresAt())! - at / 1000)).toBeLessThan(60)
  await network.control.notice(`${phone.number}:1`, { kind: "client_expires_not", about: bob.number })
  await until(async () => (await expiresAt()) === 0)
})

test("when the network says that groups are out of date, the next send asks for its group", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  const group = await network.group([bob, phone])
  const asked = async () =>
    (await network.control.log({ who: device, kind: "in", tag: "iq", attrs: { to: group.jid } })).length
  await sendText(bridge.id, group.jid, "one")
  expect(await asked()).toBe(1)
  await network.control.notice(device, { kind: "groups_dirty", about: bob.number })
  const clean = { who: device, kind: "in", attrs: { xmlns: "urn:xmpp:whatsapp:dirty" } } as const
  await network.log(clean)
  expect(await sendText(bridge.id, group.jid, "two")).toMatchObject({ status: 200 })
  expect(await asked()).toBe(2)
  expect(await bob.read({ text: "two" })).toMatchObject([{ times: 1 }])
})

test("stanzas of the connection itself that are built wrongly change nothing, and hold up nothing", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  const huge = "9".repeat(50_000)
  const tell = (tag: string, attrs: Record<string, string>, content?: object) =>
    network.control.stanza(device, { tag, attrs, content })
  const parts = ["offline_preview", "offline", "dirty", "edge_routing", "thread_metadata"]
  for (const tag of parts)
    for (const attrs of [{}, { count: huge, message: "words", type: huge, timestamp: "-1" }] as const)
      await tell("ib", { from: "@s.whatsapp.net" }, [
        { tag, attrs },
        { tag, attrs, content: { base64: "AAECAw==" } },
      ])
  await tell("ib", {}, { base64: "AAECAw==" })
  await tell("ack", {})
  await tell("ack", { class: "message", id: huge, phash: huge, t: "soon", error: "words" })
  await tell("ack", { class: "message", id: "NOBODYS", phash: "2:?", error: huge })
  await message((await bob.send(phone.number, "after them")).id)

  // Those that a message of ours waits for: without a time, and with a hash that is none.
  const acks = await network.fault({ kind: "lose_acks", device })
  const sent = sendText(bridge.id, bob.number, "acknowledged all the same")
  const [{ stanza } = {}] = await network.log({ who: device, kind: "in", tag: "message" })
  await tell("ack", { class: "message", id: stanza!.attrs.id!, phash: huge, sync: huge })
  expect(await sent).toMatchObject({ status: 200 })
  await acks()
  expect(await sendText(bridge.id, bob.number, "and the next")).toMatchObject({ status: 200 })
  expect(await bob.read({ text: "and the next" })).toMatchObject([{ times: 1 }])
  expect(await statusOf(bridge.id)).toBe("connected")
})

test("a notice that asks for post-quantum keys is settled, and the operator is told", async () => {
  const { phone, network } = await aChat()
  const device = `${phone.number}:1`
  const attrs = { type: "encrypt", from: "s.whatsapp.net" }
  const content = [{ tag: "pq_count", attrs: { value: "0" } }]
  await network.call("POST", `/devices/${device}/stanzas`, { tag: "notification", attrs, content })
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(hostLog.join("")).toContain("keys that no open client can make")
})
