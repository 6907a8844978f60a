import { afterEach, onTestFinished, expect, test, vi } from "vitest"
import { EventRow } from "#core/event/event-row.ts"
import { Host } from "#core/lease/host.ts"
import { FREE, GONE, Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { batchWrite, putRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aHeldLease, setLease } from "#test/support/held-lease.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { writesOf } from "#test/support/recorded-writes.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { anEvent } from "#test/support/session/events-and-doorbells.ts"
import { aHost, call, eventsOfType, held, sendText, statusOf } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

afterEach(() => void vi.restoreAllMocks())

const nowhere = { url: "ws://127.0.0.1:1/", rootKey: Buffer.alloc(32) }

test("a host takes free bridges as far as it has room; what is left goes to the next host", async () => {
  const bridges = await Promise.all([aBridge(), aBridge(), aBridge()])
  const first = await aHost(nowhere, { capacity: 2 })
  await until(async () => first.sessions.size === 2)
  const second = await aHost(nowhere, { capacity: 2 })
  const leases = await Promise.all(bridges.map(({ id }) => held(id)))
  expect(first.sessions.size).toBe(2)
  expect(leases.map((lease) => lease.host).toSorted()).toEqual([first.id, first.id, second.id].toSorted())
})

test("a host takes no more at once than it can start: the others are left to other hosts", async () => {
  const throttled = dynamoDb.faults.add({
    fault: "throttling",
    when: (request) => JSON.stringify(request).includes("CREDS"),
  })
  onTestFinished(throttled)
  const bridges = await Promise.all(Array.from({ length: 20 }, () => aBridge()))
  const first = await aHost(nowhere)
  await until(() => first.sessions.size === 16)
  const second = await aHost(nowhere)
  await until(() => second.sessions.size === 4)
  expect(first.sessions.size).toBe(16)
  throttled()
  for (const { id } of bridges) await until(async () => (await statusOf(id)) === "unpaired")
})

test("a bridge whose newest event says another number than its key gets no session, and the others do", async () => {
  const [broken, sound] = [await aBridge(), await aBridge()]
  for (const { id } of [broken, sound]) {
    const row = { bridgeId: id, n: 1, identity: [], event: anEvent(), deliveryKey: Buffer.alloc(32) }
    const { Put } = EventRow.appending(row)
    await putRow({ TableName: tables.events, Item: { ...Put!.Item, ...(id === broken.id && { n: 7 }) } })
  }
  const host = await aHost(nowhere)
  await until(async () => (await Lease.get(broken.id))!.failures > 0)
  expect(host.sessions.has(broken.id)).toBe(false)
  await until(async () => (await statusOf(sound.id)) === "unpaired")
  expect((await Lease.get(sound.id))!.failures).toBe(0)
})

test("a host takes no bridge of the other network", async () => {
  const live = await aBridge()
  await setLease(live.id, { network: "live" })
  const host = await aHost(nowhere)
  const simulated = await aBridge()
  await held(simulated.id, host)
  expect((await Lease.get(live.id))?.host).toBe(FREE)
  await setLease(live.id, { network: "simulated" })
  await held(live.id, host)
})

test("a host that is stopped while no answer to its take arrives gives that lease back", async () => {
  const bridge = await aBridge()
  const takes = (request: object) => JSON.stringify(request).includes(bridge.id)
  const lost = dynamoDb.faults.injected.get("lost-answer") ?? 0
  // As often as the client retries by itself, and once more.
  const fault = { fault: "lost-answer", operation: "UpdateItem", when: takes, times: 5, ms: 1 } as const
  onTestFinished(dynamoDb.faults.add(fault))
  const host = await aHost(nowhere)
  await until(async () => dynamoDb.faults.injected.get("lost-answer") === lost + 4)
  await host.stop()
  expect((await Lease.get(bridge.id))?.host).toBe(FREE)
})

test("stopping hands a connected session over: no event, no logout, the rest of the messages in order", async () => {
  const network = await aNetwork()
  const { bridge, phone, host } = await aPairedSession(network)
  const contact = await network.phone("Bob")
  await contact.send(phone.number, "1")
  await eventsOfType(bridge.id, "message", 1)

  const next = await aHost(network)
  const stopped = host.stop()
  await contact.send(phone.number, "2")
  await stopped
  await held(bridge.id, next)
  await contact.send(phone.number, "3")
  const messages = await eventsOfType(bridge.id, "message", 3)
  expect(messages.map((message) => message.body)).toEqual(["1", "2", "3"])
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await eventsOfType(bridge.id, "connected")).toHaveLength(1)
  expect(await Host.list()).not.toContainEqual(expect.objectContaining({ id: host.id }))
})

test("a host that is stopped answers what it was asked before, and takes no call after", async () => {
  const network = await aNetwork()
  const { bridge, phone, host } = await aPairedSession(network)
  const contact = await network.phone("Bob")
  const giveAcks = await network.fault({ kind: "hold_acks", device: "*" })
  const sent = sendText(bridge.id, contact.number, "before")
  await network.log({ kind: "in", who: `${phone.number}:1`, tag: "message" })
  const stopped = host.stop()
  expect((await call(bridge.id, "GET", "/status")).status).toBe(421)
  await giveAcks()
  expect(await sent).toMatchObject({ status: 200 })
  await stopped
})

test("a host asked to drain gives back what it holds, takes nothing and ends", async () => {
  const bridge = await aBridge()
  const host = await aHost(nowhere)
  await held(bridge.id, host)
  await Host.drain(host.id)
  expect(await host.ended).toBe("stopped")
  expect((await Lease.get(bridge.id))?.host).toBe(FREE)
})

test("a host that was declared dead ends, and touches no lease", async () => {
  const bridge = await aBridge()
  const host = await aHost(nowhere)
  const lease = await held(bridge.id, host)
  // The notes that it writes about itself are written.
  await until(async () => (await Lease.get(bridge.id))?.reported)
  await until(async () => {
    const row = (await Host.list()).find(({ id }) => id === host.id)
    return await Host.markDead(host.id, row!.version)
  })
  expect(await host.ended).toBe("dead")
  const written = writesOf(bridge.id)
  await until(() => host.sessions.size === 0)
  expect(await Lease.get(bridge.id)).toMatchObject({ host: host.id, epoch: lease.epoch })
  expect(written).toEqual([])
})

test("a lease that names a host which does not run it is let go", async () => {
  const host = await aHost(nowhere, { capacity: 1 })
  const other = await aBridge()
  await held(other.id, host)
  const bridge = await aBridge()
  await setLease(bridge.id, { host: host.id, epoch: 7 })
  await until(async () => (await Lease.get(bridge.id))?.host === FREE)
  expect(await Lease.get(bridge.id)).toMatchObject({ epoch: 8, failures: 0 })
})

test("a session whose lease is not its host's any more ends, although it writes nothing", async () => {
  const bridge = await aBridge()
  const host = await aHost(nowhere)
  await held(bridge.id, host)
  await Lease.stop(bridge.id, "operator")
  await until(async () => !host.sessions.has(bridge.id))
  expect((await Lease.get(bridge.id))?.host).toBe("NONE")
})

test("a host that stood still reads its leases before anything else", async () => {
  const bridge = await aBridge()
  // Its regular comparison would come after 18 s.
  const host = await aHost(nowhere, { timing: { beatMs: 3000 } })
  await held(bridge.id, host)
  await Lease.stop(bridge.id, "operator")
  const clock = performance.now.bind(performance)
  vi.spyOn(performance, "now").mockImplementation(() => clock() + 3500)
  await until(() => !host.sessions.has(bridge.id), { withinMs: 10_000 })
  expect((await Lease.get(bridge.id))?.host).toBe(Lease.STOPPED)
})

test("one host removes the rows of a deleted bridge, many at a request; should it die, another goes on", async () => {
  const bridge = await aBridge()
  const rows = Array.from({ length: 60 }, (_, i) => ({ pk: `BRIDGE#${bridge.id}`, sk: `EVENT#${i}` }))
  await batchWrite(rows.map((row) => ({ table: tables.events, row })))
  const removed: string[] = []
  const watch = dynamoDb.faults.add({
    fault: "slow",
    operation: "BatchWriteItem",
    ms: 20,
    when: (request) => {
      const keys = [...JSON.stringify(request).matchAll(/EVENT#\d+/g)].map(([sk]) => sk)
      removed.push(...keys)
      return keys.length > 0
    },
  })
  onTestFinished(watch)
  const timing = { beatMs: 50 }
  await setLease(bridge.id, { host: GONE, epoch: 99, removed_by: "dead", removed_until: now() + 1 })
  await Promise.all([aHost(nowhere, { timing }), aHost(nowhere, { timing }), aHost(nowhere, { timing })])
  await until(async () => !(await Lease.get(bridge.id)))
  expect(removed.toSorted()).toEqual(rows.map(({ sk }) => sk).toSorted())
})

test("a suspect waits for an empty host and its time, and that host takes nothing else until it is proven", async () => {
  const suspect = await aBridge()
  // 18 beats must pass, of a second each.
  await setLease(suspect.id, { failures: 3, failed_at: now() - 12 })
  const busy = await aBridge()
  const host = await aHost(nowhere, { timing: { provenMs: 1000 } })
  await held(busy.id, host)
  expect((await Lease.get(suspect.id))?.host).toBe(FREE)

  const empty = await aHost(nowhere, { timing: { provenMs: 1000 } })
  await held(suspect.id)
  const holder = (await Lease.get(suspect.id))!.host
  expect(holder).toBe(empty.id)
  await host.stop()
  expect((await Lease.get(busy.id))?.host).toBe(FREE)
  await held(busy.id, empty)
  expect((await Lease.get(suspect.id))?.failures).toBe(0)
})

test("a call in another epoch or for a bridge that is not held is misdirected", async () => {
  // Before there is a host that could take it.
  const unheld = await aHeldLease()
  const bridge = await aBridge()
  const host = await aHost(nowhere)
  const lease = await held(bridge.id, host)
  expect((await call(bridge.id, "GET", "/healthz")).status).toBe(200)
  expect((await call(bridge.id, "GET", "/healthz", { epoch: lease.epoch - 1 })).status).toBe(421)
  await setLease(unheld.bridgeId, { addr: lease.addr })
  expect((await call(unheld.bridgeId, "GET", "/healthz")).status).toBe(421)
})

test("a call that the API did not sign is refused", async () => {
  const bridge = await aBridge()
  const { addr } = await held(bridge.id, await aHost(nowhere))
  const answer = await fetch(`http://${addr}/healthz`)
  // The API keeps a connection for 4 s.
  expect([answer.status, answer.headers.get("keep-alive")]).toEqual([401, "timeout=60"])
  expect((await fetch(`http://${addr}/healthz`, { headers: { authorization: "Host a.b" } })).status).toBe(401)
})

test("a host whose beats are not answered takes no commands, then closes its sockets, and comes back", async () => {
  const network = await aNetwork()
  const { bridge, host, isConnected } = await aPairedSession(network)
  const back = dynamoDb.faults.add({
    fault: "throttling",
    operation: "UpdateItem",
    when: (request) => JSON.stringify(request).includes(host.id),
  })
  onTestFinished(back)
  await until(async () => (await call(bridge.id, "GET", "/status")).status === 421)
  await until(async () => !(await isConnected()))
  expect((await Lease.get(bridge.id))?.host).toBe(host.id)
  back()
  await until(async () => (await statusOf(bridge.id)) === "connected")
})

test("a second host finds a freed bridge by itself, and the first one's session is gone", async () => {
  const network = await aNetwork()
  const { bridge, host } = await aPairedSession(network)
  const lease = await held(bridge.id, host)
  const next = await aHost(network)
  await setLease(bridge.id, {
    host: Lease.newRow(bridge.id, "simulated").host,
    addr: "",
    epoch: lease.epoch + 1,
  })
  await until(async () => host.sessions.get(bridge.id)?.lease.epoch !== lease.epoch)
  const after = await held(bridge.id)
  expect([host.id, next.id]).toContain(after.host)
  await until(async () => (await statusOf(bridge.id)) === "connected")
})
