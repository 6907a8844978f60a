import { expect, test } from "vitest"
import type { Status } from "#contract/status-and-objection.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { NewlyLinked } from "#core/lease/newly-linked.ts"
import { log } from "#core/platform/log.ts"
import { LeaseNotes } from "#session-host/session/lease-notes.ts"
import { timing } from "#session-host/timing.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { aHost } from "#test/support/session/host.ts"
import { aPairedSession } from "#test/support/session/paired.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

/** The status that its present holder's session has reported, once it is this one. */
async function told(bridgeId: string, status: Status): Promise<Lease.Reported> {
  return await until(async () => {
    const lease = await Lease.get(bridgeId)
    return lease && Lease.statusOf(lease) === status && lease.reported
  })
}

const linked = () => ({ phone: "sealed", phone_hash: "hashed" })

test("a session's status is in its lease, and keeps its time if it is still so at the next host", async () => {
  const network = await aNetwork()
  const { bridge, phone, host, end } = await aPairedSession(network)
  const { phone: sealed } = await told(bridge.id, "connected")
  const { delivery } = (await DataKeys.get(bridge.id))!
  expect(LinkedPhone.numberOf((await Lease.get(bridge.id))!, delivery)).toBe(phone.number)
  await end("replaced")
  const replaced = await told(bridge.id, "replaced")
  await host.stop()
  const free = (await Lease.get(bridge.id))!
  expect([free.reported, Lease.statusOf(free)]).toEqual([replaced, undefined])
  await aHost(network)
  const again = await told(bridge.id, "replaced")
  expect(again.epoch).toBeGreaterThan(replaced.epoch)
  expect(again.since).toBe(replaced.since)
  expect(sealed).not.toContain(phone.number)
})

test("a change is one write; several while one is written are one more; what fails is written later", async () => {
  const lease = await aHeldLease()
  const notes = new LeaseNotes(lease, { ...timing(), beatMs: 100 }, log)
  const writes: object[] = []
  const isOurs = (request: object) => isOf(request, lease.bridgeId) && "Key" in request
  const watch = dynamoDb.faults.add({
    fault: "slow",
    operation: "UpdateItem",
    when: (request) => {
      if (isOurs(request)) writes.push(request)
      return false
    },
  })
  notes.report("connecting")
  notes.report("connected")
  notes.report("disconnected")
  notes.report("disconnected")
  await told(lease.bridgeId, "disconnected")
  expect(writes).toHaveLength(2)
  watch()

  dynamoDb.faults.add({ fault: "transaction-conflict", operation: "UpdateItem", when: isOurs, times: 1 })
  notes.report("connected")
  await told(lease.bridgeId, "connected")
  notes.end()
})

test("why a phone was unlinked is in the lease, and which phone it was", async () => {
  const lease = await aHeldLease()
  const notes = new LeaseNotes(lease, { ...timing(), beatMs: 100 }, log)
  notes.report("connected", undefined, linked)
  await told(lease.bridgeId, "connected")
  notes.report("unpaired", { objection: "banned" })
  expect(await told(lease.bridgeId, "unpaired")).toMatchObject({
    phone: "sealed",
    phone_hash: "hashed",
    objection: "banned",
  })
  notes.report("unpaired")
  await until(async () => (await told(lease.bridgeId, "unpaired")).objection === undefined)
  notes.end()
})

test.for([0, 1])(
  "a phone that was linked is on the list of those, though its host dies after %i writes",
  async (cut) => {
    const first = await aHeldLease()
    let writes = 0
    const isDead = dynamoDb.faults.add({
      fault: "denied",
      when: (request) => isOf(request, first.bridgeId) && isWrite(request) && ++writes > cut,
    })
    const dying = new LeaseNotes(first, { ...timing(), beatMs: 50 }, log)
    dying.report("connected", undefined, linked)
    dying.report("connecting")
    await until(() => writes > cut)
    dying.end()
    isDead()

    await Lease.release(first)
    const next = await aHeldLease(first.bridgeId)
    const notes = new LeaseNotes(next, { ...timing(), beatMs: 50 }, log)
    notes.report("connected", undefined, linked)
    await told(next.bridgeId, "connected")
    expect(await NewlyLinked.list()).toContain(next.bridgeId)
    notes.end()
  },
)

test("a session that has ended says nothing more, nor does one whose lease is another's", async () => {
  const lease = await aHeldLease()
  const [ended, fenced] = [
    new LeaseNotes(lease, { ...timing(), beatMs: 50 }, log),
    new LeaseNotes(lease, { ...timing(), beatMs: 50 }, log),
  ]
  ended.end()
  ended.report("connected")
  await Lease.release(lease)
  const next = await aHeldLease(lease.bridgeId)
  fenced.report("connected")
  const notes = new LeaseNotes(next, { ...timing(), beatMs: 50 }, log)
  notes.report("unpaired")
  expect(await told(lease.bridgeId, "unpaired")).toMatchObject({ epoch: next.epoch })
  fenced.end()
  notes.end()
})

test("that a session has lived for a minute is written once the store takes it, however late that is", async () => {
  const lease = await aHeldLease()
  const notes = new LeaseNotes(lease, { ...timing(), beatMs: 50, provenMs: 600 }, log)
  let refused = 0
  const giveBack = dynamoDb.faults.add({
    fault: "denied",
    operation: "UpdateItem",
    when: (request) => {
      const isProof = JSON.stringify(request).includes("proven_epoch") && isOf(request, lease.bridgeId)
      if (isProof) refused++
      return isProof
    },
  })
  notes.start()
  await until(() => refused > 1)
  giveBack()
  await until(async () => (await Lease.get(lease.bridgeId))?.provenEpoch === lease.epoch)
  expect(notes.isProven).toBe(true)
  notes.end()
})

function isWrite(request: object): boolean {
  return JSON.stringify(request).includes("UpdateExpression")
}

function isOf(request: object, bridgeId: string): boolean {
  return JSON.stringify(request).includes(bridgeId)
}
