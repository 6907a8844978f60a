import { randomUUID } from "node:crypto"
import * as fc from "fast-check"
import { afterEach, expect, test } from "vitest"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { operations } from "#dynamodb-on-sqlite/operations.ts"
import { isDead, observe } from "#functions/sweep/is-host-dead.ts"
import type { Commits } from "#session-host/memory/commits.ts"
import { SessionEnded } from "#session-host/memory/session-ended.ts"
import { giveTurns, inTurns } from "#test/support/interleaved.ts"
import { newOwners, leaseOf } from "#test/support/owners.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { commitsUnder } from "#test/support/session/commits.ts"
import { dynamoDb } from "#test/support/store.ts"

/** A host's actions, one after the other. The scheduler chooses how they interleave with the others'. */
const Step = fc.constantFrom("beat", "take", "commit", "commit", "let go")
const Script = fc.record({ steps: fc.array(Step, { minLength: 2, maxLength: 8 }), dies: fc.boolean() })
const Fault = fc.constantFrom("lost-answer", "transaction-conflict", "transaction-in-progress", "slow")
const Life = fc.record({
  hosts: fc.array(Script, { minLength: 2, maxLength: 3 }),
  /** How many beats have passed at each look of the sweep since the one before. */
  looks: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 5 }),
  faults: fc.array(Fault, { maxLength: 3 }),
})
type Life = typeof Life extends fc.Arbitrary<infer Value> ? Value : never

/** Whether commits check their lease. Without that, the checks below must notice. */
let isFenced = true
afterEach(() => {
  isFenced = true
})

const accepted: { epoch: number; sk: string | undefined }[] = []
const owners = newOwners()
watchCommits()

test("whatever hosts, sweep and store do at once, a bridge has one owner and no commit is lost or late", async () => {
  const property = fc.asyncProperty(fc.scheduler(), Life, live)
  await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined()
}, 120_000)

test("without the check of the lease in commits the same is noticed to be broken", async () => {
  isFenced = false
  const property = fc.asyncProperty(fc.scheduler(), Life, live)
  const { failed } = await fc.check(property, { numRuns: 1000, endOnFailure: true })
  expect(failed).toBe(true)
}, 120_000)

/** One life of a bridge, from its creation until all is quiet again. */
async function live(scheduler: fc.Scheduler, { hosts, looks, faults }: Life): Promise<void> {
  accepted.length = 0
  owners.violations.length = 0
  const { id: bridgeId } = await aBridge()
  const names = hosts.map(() => randomUUID())
  for (const name of names) await beat(name)
  const removals = faults.map((fault) =>
    dynamoDb.faults.add({ fault, operation: "TransactWriteItems", ms: 5, times: 2, chance: 0.5 }),
  )
  const acked = new Set<string>()
  const parties = hosts.map(({ steps, dies }, i) =>
    inTurns(scheduler, `host ${i}`, () => follow({ steps, bridgeId, name: names[i]!, acked }), {
      mayDie: dies,
    }),
  )
  parties.push(inTurns(scheduler, "sweep", () => sweep(bridgeId, names, looks)))
  await giveTurns(scheduler, parties)
  for (const remove of removals) remove()

  // From here on no host beats.
  await sweep(bridgeId, names, [0, 5])
  const last = randomUUID()
  const lease = await take(bridgeId, last)
  expect(lease).toBeDefined()
  await writer(lease!).write([row(bridgeId, "last")])
  for (const name of names) await Host.remove(name)

  expect(owners.violations).toEqual([])
  const epochs = accepted.map(({ epoch }) => epoch)
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
  for (const sk of acked)
    expect(await getRow(tables.sessions, { pk: `BRIDGE#${bridgeId}`, sk })).toBeDefined()
  const written = accepted.flatMap(({ sk }) => sk ?? [])
  expect(new Set(written).size).toBe(written.length)
}

async function follow(input: { steps: string[]; bridgeId: string; name: string; acked: Set<string> }) {
  const { bridgeId, name, acked } = input
  let lease: Lease.Info | undefined
  let commits: Commits | undefined
  for (const [i, step] of input.steps.entries()) {
    if (step === "beat") await beat(name)
    if (step === "take" && !lease) {
      lease = await take(bridgeId, name)
      commits = lease && writer(lease)
    }
    if (step === "commit" && commits) {
      const sk = `ROW#${name}#${i}`
      const isWritten = await commits.write([row(bridgeId, sk)]).then(
        () => true,
        (error: unknown) => {
          if (error instanceof SessionEnded) return false
          throw error
        },
      )
      if (isWritten) acked.add(sk)
    }
    if (step === "let go" && lease) {
      await commits!.settled()
      await Lease.release(lease)
      lease = commits = undefined
    }
  }
}

async function sweep(bridgeId: string, names: string[], looks: number[]): Promise<void> {
  let observed: ReturnType<typeof observe> = new Map()
  let atMs = 0
  for (const beats of looks) {
    atMs += beats * config.LEASE_BEAT_MS
    const hosts = (await Host.list()).filter(({ id }) => names.includes(id))
    observed = observe(observed, hosts, atMs)
    for (const host of hosts) {
      if (host.state !== "dead" && !isDead(host, { observed, report: undefined, atMs, now: 0 })) continue
      if (host.state !== "dead" && !(await Host.markDead(host.id, host.version))) continue
      const lease = await Lease.get(bridgeId)
      if (lease?.host === host.id)
        await Lease.freeFromDead([lease], { key: Host.key(host.id), seenVersion: host.version })
    }
  }
}

async function beat(id: string): Promise<void> {
  await Host.beat({ id, addr: "127.0.0.1:1", capacity: 20, sessions: 0, network: "simulated" })
}

async function take(bridgeId: string, id: string): Promise<Lease.Info | undefined> {
  const free = await Lease.get(bridgeId)
  return free?.host === Lease.FREE ? await Lease.acquire(free, { id, addr: "127.0.0.1:1" }) : undefined
}

function writer(lease: Lease.Info): Commits {
  return commitsUnder(lease).commits
}

function row(bridgeId: string, sk: string) {
  return { Put: { TableName: tables.sessions, Item: { pk: `BRIDGE#${bridgeId}`, sk } } }
}

/** Checks each commit that the store accepts against the lease as it was before. */
function watchCommits(): void {
  const transact = operations.get("TransactWriteItems")!
  const read = operations.get("GetItem")!
  const tokens = new Set<unknown>()
  operations.set("TransactWriteItems", async (engine, request) => {
    const lease = leaseOf(request)
    if (!lease) return await transact(engine, request)
    const before = await read(engine, { TableName: tables.leases, Key: lease.key, ConsistentRead: true })
    const items = request as {
      TransactItems: { Put?: { Item: { sk: { S: string } } } }[]
      ClientRequestToken: string
    } // as the client sends it
    const answer = await transact(
      engine,
      isFenced ? request : { ...items, TransactItems: items.TransactItems.slice(1) },
    )
    owners.accepted(request, before)
    if (!tokens.has(items.ClientRequestToken))
      accepted.push({ epoch: lease.epoch, sk: items.TransactItems[1]?.Put?.Item.sk.S })
    tokens.add(items.ClientRequestToken)
    return answer
  })
}
