import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, onTestFinished, test, vi } from "vitest"
import "#test/support/store.ts"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { tables } from "#core/store/tables.ts"
import { uncoveredIn } from "#test/e2e/contract-coverage.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aChat } from "#test/support/session/chat.ts"
import { aHost, call, eventsOfType, held, statusOf } from "#test/support/session/host.ts"
import { until } from "#test/support/until.ts"

const folder = mkdtempSync(join(tmpdir(), "bridge-logs-"))
config.LOG_DIR = folder
afterAll(() => rmSync(folder, { recursive: true }))

test("a message that came as a placeholder alone is asked of the phone again, also by the next host", async () => {
  const { bob, phone, bridge, network, host, message } = await aChat()
  const device = `${phone.number}:1`
  const speaks = await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(phone.number, "once more")
  await network.log({ who: device, kind: "in", tag: "ack", attrs: { id } })
  const next = await aHost(network, { timing: { awaitedMs: 200 } })
  await host.stop()
  await held(bridge.id, next)
  await speaks()
  expect(await message(id)).toMatchObject({ body: "once more", contact_id: bob.jid })
})

test("a message that the phone never gives is asked for again, then given up, and its customer told once", async () => {
  const { bob, phone, bridge, network } = await aChat({ timing: { awaitedMs: 20 } })
  const device = `${phone.number}:1`
  await Lease.choose(bridge.id, { events: ["message_lost"] })
  await call(bridge.id, "POST", "/look-at-lease")
  await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const before = { who: device, kind: "in", tag: "message", attrs: { category: "peer" } } as const
  const asked = (await network.control.log(before)).length
  const { id } = await bob.send(phone.number, "never")
  await until(async () => {
    for await (const lines of BridgeLog.follow(bridge.id, 50))
      return lines.some((line) => line.includes("has not given it in two days"))
    return false
  })
  expect((await network.control.log(before)).length - asked).toBe(5)
  expect(await eventsOfType(bridge.id, "message_lost")).toEqual([
    {
      event: "message_lost",
      message_id: id,
      contact_id: bob.jid,
      phone: bob.number,
      chat_id: bob.jid,
      chat_lid: bob.lid,
      name: "Bob",
      is_group: false,
      from_me: false,
      timestamp: expect.any(Number),
    },
  ])
  expect(await statusOf(bridge.id)).toBe("connected")
})

test("a lost message is told with its author, wherever; if it comes after all, it is a message", async () => {
  const { bob, phone, bridge, network, end, message } = await aChat({ timing: { awaitedMs: 20 } })
  const device = `${phone.number}:1`
  const { jid } = await network.group([bob, phone])
  await network.control.change(bob.number, { username: "bob.1" })
  await Lease.choose(bridge.id, { events: ["message_lost", "message"] })
  await call(bridge.id, "POST", "/look-at-lease")
  await network.fault({ kind: "silent_phone", device })
  const given = await network.fault({ kind: "unavailable", device })
  await phone.send(bob.number, "mine")
  await phone.send(jid, "mine, in the group")
  await end("cut")
  await bob.send(jid, "while it was away")
  const { id } = await bob.send(phone.number, "to me")
  const lost = await eventsOfType(bridge.id, "message_lost", 4)
  const told = lost.map(({ chat_id, from_me, is_group }) => ({ chat_id, from_me, is_group }))
  expect(told).toEqual(
    expect.arrayContaining([
      { chat_id: bob.lid, from_me: true, is_group: false },
      { chat_id: jid, from_me: true, is_group: true },
      { chat_id: jid, from_me: false, is_group: true },
      { chat_id: bob.lid, from_me: false, is_group: false },
    ]),
  )
  // Bob has a username, so his private id is the chat; the test above has the field.
  expect(uncoveredIn("awaited", lost)).toEqual(["message_lost.chat_lid"])
  await given()
  await network.control.post(bob.number, phone.number, { id, text: "after all" })
  expect(await message(id)).toMatchObject({ body: "after all" })
})

test("a message is lost though another person writes under its id; none is that preceded its placeholder", async () => {
  const { bob, phone, bridge, network, message } = await aChat({ timing: { awaitedMs: 20 } })
  const device = `${phone.number}:1`
  const eve = await network.phone("Eve")
  await Lease.choose(bridge.id, { events: ["message_lost", "message"] })
  await call(bridge.id, "POST", "/look-at-lease")
  await network.fault({ kind: "silent_phone", device })
  const { id: read } = await bob.send(phone.number, "read")
  expect(await message(read)).toMatchObject({ body: "read" })
  const attrs = { id: read, from: bob.lid, t: String(now()), type: "text" }
  await network.control.stanza(device, { tag: "message", attrs, content: [{ tag: "unavailable" }] })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(phone.number, "never read")
  await network.control.post(eve.number, phone.number, { id, text: "under his id" })
  expect(await message(id)).toMatchObject({ body: "under his id" })
  expect(await eventsOfType(bridge.id, "message_lost")).toMatchObject([
    { message_id: id, contact_id: bob.jid },
  ])
})

test("a session that was away for days asks the phone once more before it calls a message lost", async () => {
  const { bob, phone, bridge, network, host, message } = await aChat({ timing: { beatMs: 1000 } })
  const device = `${phone.number}:1`
  await Lease.choose(bridge.id, { events: ["message_lost", "message"] })
  const speaks = await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 1 })
  const { id } = await bob.send(phone.number, "before the silence")
  await network.log({ who: device, kind: "in", tag: "ack", attrs: { id } })
  await host.stop()
  await speaks()
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
  await held(bridge.id, await aHost(network, { timing: { awaitedMs: 200, beatMs: 1000 } }))
  expect(await message(id)).toMatchObject({ body: "before the silence" })
  expect(await eventsOfType(bridge.id, "message_lost", 0)).toEqual([])
})

test("messages that are awaited when the phone is logged out are told as lost before that is", async () => {
  const { bob, phone, bridge, network } = await aChat()
  const device = `${phone.number}:1`
  await Lease.choose(bridge.id, { events: ["message_lost", "disconnected"] })
  await call(bridge.id, "POST", "/look-at-lease")
  await network.fault({ kind: "silent_phone", device })
  await network.fault({ kind: "unavailable", device, times: 2 })
  const ids = [await bob.send(phone.number, "one"), await bob.send(phone.number, "two")].map(({ id }) => id)
  for (const id of ids) await network.log({ who: device, kind: "in", tag: "ack", attrs: { id } })
  await call(bridge.id, "DELETE", "/logout")
  await eventsOfType(bridge.id, "disconnected")
  const lost = await eventsOfType(bridge.id, "message_lost", 2)
  expect(lost.map(({ message_id }) => message_id).toSorted()).toEqual(ids.toSorted())
})

test("a placeholder with attributes longer than the network's is acknowledged, and not remembered", async () => {
  const { bob, phone, bridge, network, message } = await aChat()
  const device = `${phone.number}:1`
  const attrs = {
    id: "LARGE",
    from: bob.lid,
    t: String(now()),
    type: "text",
    notify: randomBytes(20_000).toString("base64"),
  }
  await network.control.stanza(device, { tag: "message", attrs, content: [{ tag: "unavailable" }] })
  await network.log({ who: device, kind: "in", tag: "ack", attrs: { id: "LARGE" } })
  expect(await message((await bob.send(phone.number, "after it")).id)).toBeTruthy()
  expect(await rowsOf(tables.sessions, bridge.id, "AWAITED#")).toEqual([])
  expect(await statusOf(bridge.id)).toBe("connected")
})
