import { expect, test } from "vitest"
import { Lease } from "#core/lease/lease.ts"
import { wrongs } from "#simulator/stanzas/malform.ts"
import { noticeKinds } from "#simulator/stanzas/unsolicited-notices.ts"
import { aChat } from "#test/support/session/chat.ts"
import { call, eventsOf, eventsOfType, statusOf } from "#test/support/session/host.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

/** A session whose customer wants to know of groups, and a group of Bob's. */
async function aGroup() {
  const chat = await aChat({ timing: { beatMs: 1000 } })
  const { id } = chat.bridge
  await until(async () => (await eventsOf(id)).some(({ event }) => event === "offline_sync_completed"))
  await Lease.choose(id, { events: ["message", "group"] })
  await call(id, "POST", "/look-at-lease")
  const { jid } = await chat.network.group([chat.bob, chat.phone], "lid", "Bob's")
  const kindsOf = async () => (await eventsOf(id)).flatMap((one) => (one.event === "group" ? one.kind : []))
  await until(async () => (await kindsOf()).length === 1)
  return {
    ...chat,
    jid,
    kindsOf,
    device: `${chat.phone.number}:1`,
    change: (body: object) => chat.network.call("PATCH", `/groups/${jid}`, { by: chat.bob.number, ...body }),
  }
}

test("the same news twice is one event", async () => {
  const { network, device, change, kindsOf, bob, phone, message } = await aGroup()
  await network.fault({ kind: "twice", device, times: 1 })
  await change({ subject: "Once" })
  await message((await bob.send(phone.number, "after it")).id)
  expect(await network.control.settled(device, 10_000)).toBe(true)
  expect(await kindsOf()).toEqual(["created", "subject"])
})

test("news is acknowledged only once its event is durable, and stays in order with messages", async () => {
  const { network, device, change, bob, jid, bridge } = await aGroup()
  const acked = async () =>
    (
      await network.control.log({
        who: device,
        kind: "in",
        tag: "ack",
        attrs: { class: "notification", to: jid },
      })
    ).length
  await network.control.settled(device, 10_000)
  const before = await acked()
  const back = dynamoDb.faults.add({ fault: "throttling", operation: "TransactWriteItems" })
  await bob.send(jid, "first")
  await change({ subject: "second" })
  await bob.send(jid, "third")
  await network.log({ who: device, kind: "out", tag: "notification", attrs: { from: jid } })
  expect(await network.control.settled(device, 1000)).toBe(false)
  expect(await acked()).toBe(before)
  back()
  const events = async () =>
    (await eventsOf(bridge.id)).flatMap((one) =>
      one.event === "message" ? one.body : one.event === "group" ? (one.subject ?? []) : [],
    )
  await until(async () => (await events()).includes("third"))
  expect(await events()).toEqual(["Bob's", "first", "second", "third"])
  await until(async () => (await acked()) > before)
})

test("news that is built wrongly holds up nothing", async () => {
  const { network, device, bob, phone, jid, message, bridge } = await aGroup()
  const ofGroups = noticeKinds.filter((kind) => kind.startsWith("group_"))
  for (const wrong of [undefined, ...wrongs])
    for (const kind of ofGroups)
      await network.control.notice(device, { kind, about: bob.number, group: jid, ...(wrong && { wrong }) })
  await message((await bob.send(phone.number, "after all of them")).id)
  expect(await network.control.settled(device, 20_000)).toBe(true)
  expect(await eventsOfType(bridge.id, "message")).toHaveLength(1)
  expect(await statusOf(bridge.id)).toBe("connected")
})
