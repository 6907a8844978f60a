import { expect, test } from "vitest"
import "#test/support/store.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { Lease } from "#core/lease/lease.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { until } from "#test/support/until.ts"
import { aChat } from "../support/session/chat.ts"
import { call, eventsOf } from "../support/session/host.ts"

/** A linked session with this choice of its customer, and its rows of messages and events. */
async function aChoosy(choice: Choice.Given, beatMs = 1000) {
  const chat = await aChat({ timing: { beatMs } })
  const { id } = chat.bridge
  await until(async () => (await eventsOf(id)).some(({ event }) => event === "offline_sync_completed"))
  await Lease.choose(id, choice)
  await call(id, "POST", "/look-at-lease")
  return {
    ...chat,
    kept: async () =>
      [
        ...(await rowsOf(tables.sessions, id, "MESSAGE#")),
        ...(await rowsOf(tables.events, id, "EVENT#")),
      ].map(({ sk }) => sk),
    texts: async () => (await eventsOf(id)).flatMap((event) => (event.event === "message" ? event.body : [])),
    /** Resolves when the network keeps nothing more for the session: everything was receipted. */
    isReceipted: () => chat.network.control.settled(`${chat.phone.number}:1`, 10_000),
  }
}

test("ignored statuses and groups get their receipts, and only their keys are kept", async () => {
  const { bob, phone, network, bridge, kept, texts, isReceipted } = await aChoosy({
    ignore: ["status", "groups"],
  })
  const group = await network.group([bob, phone])
  await isReceipted()
  const before = await kept()
  await bob.post("status@broadcast", { text: "holidays", viewers: [phone.number] })
  await bob.send(group.jid, "in the group")
  await phone.send(group.jid, "from the phone")
  await isReceipted()
  expect(await kept()).toEqual(before)

  await bob.send(phone.number, "for you alone")
  await until(async () => (await texts()).includes("for you alone"))
  await Lease.choose(bridge.id, { ignore: ["status"] })
  await call(bridge.id, "POST", "/look-at-lease")
  await bob.send(group.jid, "heard again")
  await until(async () => (await texts()).includes("heard again"))
  expect(await texts()).toEqual(["for you alone", "heard again"])
})

test("an ignored message that comes again, its receipt being lost, is receipted and not asked for", async () => {
  const { bob, phone, network, kept, isReceipted } = await aChoosy({ ignore: ["groups"] })
  const group = await network.group([bob, phone])
  await bob.send(group.jid, "first")
  await isReceipted()
  const before = await kept()
  await network.fault({ kind: "cut_before_receipt", times: 1 })
  await bob.send(group.jid, "second")
  await isReceipted()
  const log = JSON.stringify(await network.call("GET", "/log?kind=in&tag=receipt"))
  expect(log).not.toContain("retry")
  expect((await kept()).filter((sk) => !before.includes(sk) && String(sk).startsWith("MESSAGE#"))).toEqual([])
})

test("a message that no event is chosen for and that comes again, its receipt being lost, is receipted", async () => {
  const { bob, phone, network, isReceipted } = await aChoosy({ events: ["connected"], ignore: [] })
  const group = await network.group([bob, phone])
  await isReceipted()
  for (const to of [phone.number, group.jid]) {
    await bob.send(to, "first")
    await isReceipted()
    await network.fault({ kind: "cut_before_receipt", times: 1 })
    const { id } = await bob.send(to, "second")
    await isReceipted()
    const about = { who: `${phone.number}:1`, kind: "in" as const, attrs: { id } }
    expect(await network.control.log({ ...about, tag: "ack" })).toEqual([])
    const receipts = await network.control.log({ ...about, tag: "receipt" })
    expect(new Set(receipts.map(({ stanza }) => stanza!.attrs.type))).toEqual(new Set(["inactive"]))
  }
})

test("types of events that were not chosen are not told, and their messages leave no row", async () => {
  const { bob, phone, kept, isReceipted, network, bridge } = await aChoosy({
    events: ["poll_vote"],
    ignore: [],
  })
  await isReceipted()
  const before = await kept()
  await bob.send(phone.number, "hello")
  await isReceipted()
  expect(await kept()).toEqual(before)
  const asked = await call(bridge.id, "POST", "/send/poll", {
    body: { chat: bob.number, question: "Tea?", options: ["yes", "no"] },
  })
  const { message_id } = (await asked.json()) as { message_id: string }
  await bob.read({ id: message_id })
  await network.control.post(bob.number, phone.number, { vote: { message_id, options: ["yes"] } })
  await until(async () => (await eventsOf(bridge.id)).some(({ event }) => event === "poll_vote"))
})

test("a session that was not told reads what is wanted when its host compares its leases", async () => {
  const { bob, phone, bridge, host, texts } = await aChoosy({ ignore: [] }, 500)
  await Lease.choose(bridge.id, { events: ["connected"], ignore: [] })
  const session = host.sessions.get(bridge.id)!
  await until(async () => !session.isAskedForOthers((await Lease.get(bridge.id))!))
  await bob.send(phone.number, "nobody hears this")
  await Lease.choose(bridge.id, { ignore: [] })
  await until(async () => !session.isAskedForOthers((await Lease.get(bridge.id))!))
  await bob.send(phone.number, "and this they do")
  await until(async () => (await texts()).includes("and this they do"))
  expect(await texts()).toEqual(["and this they do"])
})
