import { randomUUID } from "node:crypto"
import { expect, test } from "vitest"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { getRow, putRow, transact } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { dynamoDb } from "#test/support/store.ts"
import { aBridge } from "../support/service/bridge.ts"

const a = { id: "host-a", addr: "127.0.0.1:1" }
const b = { id: "host-b", addr: "127.0.0.1:2" }
const host = { addr: a.addr, capacity: 2, sessions: 0, network: "simulated" } as const

async function aLease() {
  const { id } = await aBridge()
  return (await Lease.get(id))!
}

/** Whether a session with this lease could write now. */
async function mayCommit(held: Lease.Info) {
  return !(await transact([Lease.heldCheck(held)]))
}

test("one of two hosts that want a free lease gets it, and only it may commit", async () => {
  const free = await aLease()
  const taken = await Promise.all([Lease.acquire(free, a), Lease.acquire(free, b)])
  const [held, ...others] = taken.filter((one) => one !== undefined)
  expect(others).toEqual([])
  expect(held!.epoch).toBe(free.epoch + 1)
  expect(await mayCommit(held!)).toBe(true)
  expect(await mayCommit({ ...held!, host: held!.host === a.id ? b.id : a.id })).toBe(false)
})

test("a take whose answer was lost is recognised as the host's own, and another host's is not", async () => {
  const free = await aLease()
  const remove = dynamoDb.faults.add({ fault: "lost-answer", operation: "UpdateItem", times: 1, ms: 1 })
  const taken = await Lease.acquire(free, a)
  remove()
  expect(taken).toMatchObject({ host: a.id, epoch: free.epoch + 1 })
  expect(await Lease.acquire(free, b)).toBeUndefined()
  await Lease.release(taken!)
  const again = await Lease.acquire((await Lease.get(free.bridgeId))!, a)
  expect(again).toMatchObject({ epoch: free.epoch + 3 })
  // An earlier look does not say who holds it now.
  expect(await Lease.acquire(free, a)).toBeUndefined()
})

test("each change of the holder raises the epoch, so that an old holder can write nothing", async () => {
  const first = (await Lease.acquire(await aLease(), a))!
  await Lease.release(first)
  expect(await mayCommit(first)).toBe(false)
  const second = (await Lease.acquire((await Lease.get(first.bridgeId))!, a))!
  expect(await Lease.release(first)).toBe(false)
  expect(await mayCommit(first)).toBe(false)
  expect(await mayCommit(second)).toBe(true)
  await Lease.stop(first.bridgeId, "operator")
  expect(await mayCommit(second)).toBe(false)
  await Lease.wake(first.bridgeId, "operator")
  const third = (await Lease.acquire((await Lease.get(first.bridgeId))!, a))!
  expect(third.epoch).toBe(first.epoch + 6 - 1)
  expect(await mayCommit(second)).toBe(false)
})

test("a host that beats again keeps its leases from a sweep that saw it silent", async () => {
  const id = "host-late"
  await Host.beat({ id, ...host })
  const { version } = (await Host.get(id))!
  const held = (await Lease.acquire(await aLease(), { ...a, id }))!
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
    await putRow({ TableName: tables.leases, Item: { ...Lease.newRow(bridgeId, "live"), host: id } })
    held.push((await Lease.get(bridgeId))!)
  }
  const [first, other] = [held[7]!, held[110]!]
  await Lease.release(first)
  await Lease.stop(other.bridgeId, "operator")
  const freed = await Lease.freeFromDead(held, { key: Host.key(id), seenVersion: version })
  expect(freed).toEqual(held.filter((lease) => lease !== first && lease !== other))
  expect(await Lease.listByHost(id)).toEqual([])
  expect(await Lease.get(other.bridgeId)).toMatchObject({ host: Lease.STOPPED })
})

test("unplanned ends are counted until the session has proved itself", async () => {
  let held = (await Lease.acquire(await aLease(), a))!
  await Lease.release(held, { failed: true, proven: false })
  held = (await Lease.acquire((await Lease.get(held.bridgeId))!, a))!
  await Lease.release(held, { failed: true, proven: false })
  held = (await Lease.acquire((await Lease.get(held.bridgeId))!, a))!
  expect(held).toMatchObject({ failures: 2, failCount: 2 })
  await Lease.noteProven(held)
  expect(await Lease.get(held.bridgeId)).toMatchObject({ failures: 0 })
})

test("no host takes a stopped bridge, and it is woken only for the reason it was stopped", async () => {
  const free = await aLease()
  expect(await Lease.stop(free.bridgeId, "billing")).toBe(true)
  const stopped = (await Lease.get(free.bridgeId))!
  expect(Lease.stateOf(stopped)).toBe("paused")
  expect(await Lease.acquire(stopped, a)).toBeUndefined()
  expect(await Lease.wake(free.bridgeId, "idle")).toBe(false)
  expect(await Lease.wake(free.bridgeId, "idle", "billing")).toBe(true)
  expect(await Lease.acquire((await Lease.get(free.bridgeId))!, a)).toMatchObject({ host: a.id })
})

test("a bridge that its operator pauses stays paused, even if its people pause or wake it at that moment", async () => {
  for (let round = 0; round < 6; round++) {
    for (const act of [Lease.stop, Lease.wake]) {
      const { bridgeId: id } = await aLease()
      if (act === Lease.wake) await Lease.stop(id, "customer")
      const both = [() => Lease.stop(id, "operator"), () => act(id, "customer")]
      await Promise.all((round % 2 ? both : both.toReversed()).map(async (one) => await one()))
      expect([act.name, Lease.whyStopped((await Lease.get(id))!)]).toEqual([act.name, "operator"])
      expect(await Lease.stop(id, "operator")).toBe(false)
      expect(await Lease.wake(id, "operator")).toBe(true)
      expect(Lease.stateOf((await Lease.get(id))!)).toBe(act === Lease.wake ? "running" : "paused")
    }
  }
})

test("only its holder pauses a bridge for idleness, and a call wakes it", async () => {
  const held = (await Lease.acquire(await aLease(), a))!
  expect(await Lease.pauseIdle({ ...held, epoch: held.epoch - 1 })).toBe(false)
  expect(await Lease.pauseIdle({ ...held, host: b.id })).toBe(false)
  expect(await Lease.pauseIdle(held)).toBe(true)
  expect(await mayCommit(held)).toBe(false)
  const paused = (await Lease.get(held.bridgeId))!
  expect(paused).toMatchObject({ host: Lease.STOPPED, addr: "", stopped: ["idle"], epoch: held.epoch + 1 })
  expect(await Lease.wake(held.bridgeId, "idle")).toBe(true)
  expect(await Lease.get(held.bridgeId)).toMatchObject({ host: Lease.FREE, epoch: held.epoch + 2 })
})

test("an old holder cannot write the notes of a session into its lease, nor count its logins", async () => {
  const first = (await Lease.acquire(await aLease(), a))!
  await Lease.release(first, { failed: true, proven: false })
  const second = (await Lease.acquire((await Lease.get(first.bridgeId))!, b))!
  await Lease.noteHealthy(first)
  await Lease.reportUse(first, 1)
  expect(await Lease.countLogin(first, 1)).toBe(false)
  const kept = { failCount: 1, failures: 1, used: second.used, logins: 0 }
  expect(await Lease.get(first.bridgeId)).toMatchObject(kept)
  await Lease.noteHealthy(second)
  await Lease.reportUse(second, 7)
  expect(await Lease.get(first.bridgeId)).toMatchObject({ failCount: 0, failures: 1, used: 7 })
})

test("the end of a session that had proved itself is counted, but makes no bridge a suspect", async () => {
  const { bridgeId: id } = await aLease()
  await Host.beat({ ...host, id: "host-proving" })
  const prover = { id: "host-proving", addr: a.addr }
  for (let round = 1; round <= 4; round++) {
    const held = (await Lease.acquire((await Lease.get(id))!, prover))!
    await Lease.noteProven(held)
    const seen = (await Host.get(prover.id))!
    const lease = (await Lease.get(id))!
    if (round % 2) await Lease.release(held, { failed: true, proven: true })
    else await Lease.freeFromDead([lease], { key: Host.key(prover.id), seenVersion: seen.version })
    const freed = (await Lease.get(id))!
    expect(freed).toMatchObject({ host: Lease.FREE, failures: 0, failCount: round })
    expect(Lease.isSuspect(freed)).toBe(false)
  }
})

/** A host that dies with some bridges, whose leases are then freed. */
async function dies(bridgeIds: string[], death: { isBlameless?: boolean } = {}) {
  const id = randomUUID()
  await Host.beat({ ...host, id, sessions: bridgeIds.length })
  const held = bridgeIds.map(async (one) => (await Lease.acquire((await Lease.get(one))!, { ...a, id }))!)
  await Lease.freeFromDead(await Promise.all(held), {
    key: Host.key(id),
    seenVersion: 1,
    sessions: bridgeIds.length,
    ...death,
  })
}

async function newBridges(count: number) {
  return await Promise.all(Array.from({ length: count }, async () => (await aBridge()).id))
}

async function standing(bridgeId: string) {
  const lease = (await Lease.get(bridgeId))!
  return { isSuspect: Lease.isSuspect(lease), waits: Lease.triedAgainAt(lease) > 0 }
}

test("a bridge on two hosts that died is a suspect, and tried at once; those that were on one are not", async () => {
  const [it, first, second] = await newBridges(3)
  await dies([it!, first!])
  await dies([it!, second!])
  expect(await standing(it!)).toEqual({ isSuspect: true, waits: false })
  for (const other of [first!, second!])
    expect(await standing(other)).toEqual({ isSuspect: false, waits: false })
})

test("a bridge whose hosts die with it alone is a suspect that waits, until it has lived for a minute", async () => {
  const [it] = await newBridges(1)
  await Lease.noteProven((await Lease.acquire((await Lease.get(it!))!, a))!)
  await Lease.release((await Lease.get(it!))!)
  await dies([it!])
  expect(await standing(it!)).toEqual({ isSuspect: false, waits: true })
  await dies([it!])
  expect(await standing(it!)).toEqual({ isSuspect: true, waits: true })
  const alone = (await Lease.acquire((await Lease.get(it!))!, a))!
  expect(Lease.isSuspect(alone)).toBe(true)
  await Lease.noteProven(alone)
  expect((await standing(it!)).isSuspect).toBe(false)
})

test("a host that was ended from outside makes no bridge a suspect, however often", async () => {
  const [alone, one, other] = await newBridges(3)
  for (let kill = 0; kill < 4; kill++) {
    await dies([alone!], { isBlameless: true })
    await dies([one!, other!], { isBlameless: true })
  }
  for (const id of [alone!, one!, other!])
    expect(await standing(id)).toEqual({ isSuspect: false, waits: false })
  const lease = (await Lease.get(alone!))!
  // All the same, their sessions ended unplanned, and an operator who looks is told so.
  expect(lease.failCount).toBe(4)
  expect(Lease.lastSessionFailed(lease)).toBe(true)
})

test("a lease that the late index named by itself was not alone on its host", async () => {
  const [it] = await newBridges(1)
  const id = randomUUID()
  await Host.beat({ ...host, id, sessions: 20 })
  const held = (await Lease.acquire((await Lease.get(it!))!, { ...a, id }))!
  await Lease.freeFromDead([held], { key: Host.key(id), seenVersion: 1, sessions: 20 })
  expect(await Lease.get(it!)).toMatchObject({ deaths: 1, failures: 0 })
})

test("logins that do not last are counted across all hosts: from the fifth, a minute lies between", async () => {
  let held = (await Lease.acquire(await aLease(), a))!
  for (let logins = 1; logins <= 5; logins++) {
    expect(Lease.loginAgainAt(held)).toBe(0)
    expect(await Lease.countLogin(held, held.logins + 1)).toBe(true)
    await Lease.release(held, { failed: logins % 2 === 0, proven: logins % 2 === 1 })
    held = (await Lease.acquire((await Lease.get(held.bridgeId))!, logins % 2 ? b : a))!
  }
  const { logins, loginAt } = held
  expect(logins).toBe(5)
  expect(Lease.loginAgainAt(held) - loginAt).toBe((12 * config.LEASE_BEAT_MS) / 1000)
  await Lease.release(held, { failed: false, proven: true, logins: 4 })
  held = (await Lease.acquire((await Lease.get(held.bridgeId))!, a))!
  expect(Lease.loginAgainAt(held)).toBe(0)
  await Lease.resetLogins(held)
  expect((await Lease.get(held.bridgeId))!.logins).toBe(0)
})

test("the bridges of a dead host are shared out among the hosts that have room", async () => {
  const id = "host-shared"
  await Host.beat({ id, ...host })
  const held = await Promise.all(
    Array.from({ length: 5 }, async () => (await Lease.acquire(await aLease(), { ...a, id }))!),
  )
  const freed = await Lease.freeFromDead(held, { key: Host.key(id), seenVersion: 1, among: 2 })
  const shares = await Promise.all(freed.map(async ({ bridgeId }) => (await Lease.get(bridgeId))!.share))
  expect(shares).toEqual([3, 3, 3, 3, 3])
  // A bridge that is taken belongs to no share any more.
  const taken = (await Lease.acquire((await Lease.get(held[0]!.bridgeId))!, b))!
  expect(taken.share).toBeUndefined()
})

async function rowOf(bridgeId: string) {
  return await getRow(tables.leases, Lease.key(bridgeId))
}

test("leases that want a host are in several parts of the index, and each is seen in one of as many looks", async () => {
  const bridges = await Promise.all(Array.from({ length: 40 }, () => aBridge()))
  const ids = bridges.map(({ id }) => id)
  const rows = await Promise.all(ids.map(rowOf))
  expect(new Set(rows.map((row) => row!.host))).toHaveLength(Lease.looksForAllFree)
  const listed = (await Lease.listByHost(Lease.FREE)).filter(({ bridgeId }) => ids.includes(bridgeId))
  expect(listed.map(({ host }) => host)).toEqual(ids.map(() => Lease.FREE))
  const seen: string[] = []
  for (let turn = 7; turn < 7 + Lease.looksForAllFree; turn++)
    seen.push(...(await Lease.listSomeFree(turn, 1000)).map(({ bridgeId }) => bridgeId))
  expect(seen.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted())
})

test("where more want a host than may be seen at once, looks at the same time see others", async () => {
  await Promise.all(Array.from({ length: 40 }, () => aBridge()))
  const looks = await Promise.all(Array.from({ length: 20 }, () => Lease.listSomeFree(0, 2)))
  for (const seen of looks) expect(seen.length).toBeLessThanOrEqual(2)
  expect(new Set(looks.flat().map(({ bridgeId }) => bridgeId)).size).toBeGreaterThan(2)
})
