import { randomUUID } from "node:crypto"
import { dynamoDb } from "#test/support/store.ts"
import { expect, test } from "vitest"
import { Host } from "#core/host.ts"
import { Lease } from "#core/lease.ts"
import { put, transact } from "#core/store.ts"
import { leases } from "#core/tables.ts"
import { aBridge } from "#test/support/bridge.ts"

const a = { id: "host-a", addr: "127.0.0.1:1" }
const b = { id: "host-b", addr: "127.0.0.1:2" }
const host = { addr: a.addr, capacity: 2, sessions: 0, network: "simulated" } as const

async function aLease() {
  const { id } = await aBridge()
  return (await Lease.get(id))!
}

/** Whether a session of this lease could write now. */
async function mayCommit(held: Lease.Info) {
  return !(await transact([Lease.check(held)]))
}

test("of two hosts that want a free lease one gets it, and only it may commit", async () => {
  const free = await aLease()
  const taken = await Promise.all([Lease.take(free, a), Lease.take(free, b)])
  const [held, ...others] = taken.filter((one) => one !== undefined)
  expect(others).toEqual([])
  expect(held!.epoch).toBe(free.epoch + 1)
  expect(await mayCommit(held!)).toBe(true)
  expect(await mayCommit({ ...held!, host: held!.host === a.id ? b.id : a.id })).toBe(false)
})

test("a take whose answer was lost is known for one's own, and nobody else's", async () => {
  const free = await aLease()
  const remove = dynamoDb.faults.add({ fault: "lost-answer", operation: "UpdateItem", times: 1, ms: 1 })
  const taken = await Lease.take(free, a)
  remove()
  expect(taken).toMatchObject({ host: a.id, epoch: free.epoch + 1 })
  expect(await Lease.take(free, b)).toBeUndefined()
  await Lease.letGo(taken!)
  const again = await Lease.take((await Lease.get(free.bridgeId))!, a)
  expect(again).toMatchObject({ epoch: free.epoch + 3 })
  // An earlier look says nothing of who holds it now.
  expect(await Lease.take(free, a)).toBeUndefined()
})

test("whoever changes the holder raises the epoch, so that an old holder can write nothing", async () => {
  const first = (await Lease.take(await aLease(), a))!
  await Lease.letGo(first)
  expect(await mayCommit(first)).toBe(false)
  const second = (await Lease.take((await Lease.get(first.bridgeId))!, a))!
  expect(await mayCommit(first)).toBe(false)
  expect(await mayCommit(second)).toBe(true)
  await Lease.stop(first.bridgeId, "manual")
  expect(await mayCommit(second)).toBe(false)
  await Lease.wake(first.bridgeId, "manual")
  const third = (await Lease.take((await Lease.get(first.bridgeId))!, a))!
  expect(third.epoch).toBe(first.epoch + 6 - 1)
  expect(await mayCommit(second)).toBe(false)
})

test("a lease that was let go by an old holder stays with the new one", async () => {
  const first = (await Lease.take(await aLease(), a))!
  await Lease.letGo(first)
  const second = (await Lease.take((await Lease.get(first.bridgeId))!, b))!
  expect(await Lease.letGo(first)).toBe(false)
  expect(await mayCommit(second)).toBe(true)
})

test("a host that beats again keeps its leases from who saw it silent", async () => {
  const id = "host-late"
  await Host.beat({ id, ...host })
  const { version } = (await Host.get(id))!
  const held = (await Lease.take(await aLease(), { ...a, id }))!
  await Host.beat({ id, ...host })
  expect(await Lease.freeFromDead([held], { key: Host.key(id), seenVersion: version })).toEqual([])
  expect(await mayCommit(held)).toBe(true)
  expect(await Lease.freeFromDead([held], { key: Host.key(id), seenVersion: version + 1 })).toEqual([held])
  expect(await mayCommit(held)).toBe(false)
})

test("all leases of a dead host are freed, but for those that have moved on", async () => {
  const id = "host-dead"
  await Host.beat({ id, ...host })
  const { version } = (await Host.get(id))!
  const held: Lease.Info[] = []
  // More than a transaction takes.
  for (let i = 0; i < 120; i++) {
    const bridgeId = randomUUID()
    await put({ TableName: leases, Item: { ...Lease.wanted(bridgeId), host: id } })
    held.push((await Lease.get(bridgeId))!)
  }
  const [first, other] = [held[7]!, held[110]!]
  await Lease.letGo(first)
  await Lease.stop(other.bridgeId, "manual")
  const freed = await Lease.freeFromDead(held, { key: Host.key(id), seenVersion: version })
  expect(freed).toEqual(held.filter((lease) => lease !== first && lease !== other))
  expect(await Lease.listByHost(id)).toEqual([])
  expect(await Lease.get(other.bridgeId)).toMatchObject({ host: Lease.NONE })
})

test("unplanned ends are counted until the session has proved itself", async () => {
  let held = (await Lease.take(await aLease(), a))!
  await Lease.letGo(held, { failed: true, proven: false })
  held = (await Lease.take((await Lease.get(held.bridgeId))!, a))!
  await Lease.letGo(held, { failed: true, proven: false })
  held = (await Lease.take((await Lease.get(held.bridgeId))!, a))!
  expect(held).toMatchObject({ failures: 2, failCount: 2 })
  await Lease.proven(held)
  expect(await Lease.get(held.bridgeId)).toMatchObject({ failures: 0 })
})

test("a stopped bridge is taken by nobody, and woken only for the reason it was stopped", async () => {
  const free = await aLease()
  expect(await Lease.stop(free.bridgeId, "billing")).toBe(true)
  const stopped = (await Lease.get(free.bridgeId))!
  expect(Lease.stateOf(stopped)).toBe("paused")
  expect(await Lease.take(stopped, a)).toBeUndefined()
  expect(await Lease.wake(free.bridgeId, "idle")).toBe(false)
  expect(await Lease.wake(free.bridgeId, "idle", "billing")).toBe(true)
  expect(await Lease.take((await Lease.get(free.bridgeId))!, a)).toMatchObject({ host: a.id })
})

test("only its holder pauses a bridge for idleness, and a call wakes it", async () => {
  const held = (await Lease.take(await aLease(), a))!
  expect(await Lease.pauseIdle({ ...held, epoch: held.epoch - 1 })).toBe(false)
  expect(await Lease.pauseIdle({ ...held, host: b.id })).toBe(false)
  expect(await Lease.pauseIdle(held)).toBe(true)
  expect(await mayCommit(held)).toBe(false)
  const paused = (await Lease.get(held.bridgeId))!
  expect(paused).toMatchObject({ host: Lease.NONE, addr: "", reason: "idle", epoch: held.epoch + 1 })
  expect(await Lease.wake(held.bridgeId, "idle")).toBe(true)
  expect(await Lease.get(held.bridgeId)).toMatchObject({ host: Lease.FREE, epoch: held.epoch + 2 })
})

test("what a session notes in its lease an old holder cannot", async () => {
  const first = (await Lease.take(await aLease(), a))!
  await Lease.letGo(first, { failed: true, proven: false })
  const second = (await Lease.take((await Lease.get(first.bridgeId))!, b))!
  await Lease.healthy(first)
  await Lease.usedAt(first, 1)
  expect(await Lease.get(first.bridgeId)).toMatchObject({ failCount: 1, failures: 1, used: second.used })
  await Lease.healthy(second)
  await Lease.usedAt(second, 7)
  expect(await Lease.get(first.bridgeId)).toMatchObject({ failCount: 0, failures: 1, used: 7 })
})

test("the end of a session that had proved itself is counted, but makes nobody a suspect", async () => {
  const { bridgeId: id } = await aLease()
  await Host.beat({ ...host, id: "host-proving" })
  const prover = { id: "host-proving", addr: a.addr }
  for (let round = 1; round <= 4; round++) {
    const held = (await Lease.take((await Lease.get(id))!, prover))!
    await Lease.proven(held)
    const seen = (await Host.get(prover.id))!
    const lease = (await Lease.get(id))!
    if (round % 2) await Lease.letGo(held, { failed: true, proven: true })
    else await Lease.freeFromDead([lease], { key: Host.key(prover.id), seenVersion: seen.version })
    expect(await Lease.get(id)).toMatchObject({ host: Lease.FREE, failures: 0, failCount: round })
  }
})
