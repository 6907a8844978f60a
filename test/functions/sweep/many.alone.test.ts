import { randomUUID } from "node:crypto"
import "#test/support/store.ts"
import { expect, onTestFinished, test } from "vitest"
import { Delivery } from "#core/event/delivery.ts"
import { shardOf } from "#core/event/waiting-deliveries.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { batchWrite, getRow, type Row, store } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { ringOverdue } from "#functions/sweep/bells.ts"
import { keepLooking } from "#functions/sweep/handler.ts"
import { Turns } from "#functions/sweep/turns.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { allOverdue } from "#test/support/session/events-and-doorbells.ts"
import { type StoreCommand, wrapClientCalls } from "#test/support/wrap-client-calls.ts"

/** What the store is asked for from now on, and how many rows it gives. */
function watchStore() {
  const plain = store.send
  onTestFinished(() => void (store.send = plain))
  const asked: { command: StoreCommand; rows: number }[] = []
  wrapClientCalls(store, async (command, go) => {
    const answer = (await go()) as { Items?: unknown[] } // the store's
    asked.push({ command, rows: answer.Items?.length ?? 0 })
    return answer
  })
  return asked
}

test("hosts are looked at while the table of deliveries does not answer", async () => {
  Object.assign(config, { LEASE_BEAT_MS: 10, HOST_SPARE: 0 })
  const about = { addr: "127.0.0.1:1", capacity: 1, sessions: 1, network: "simulated" } as const
  const beat = () => Host.beat({ id: "living", ...about })
  const plain = store.send
  const answers = Promise.withResolvers<void>()
  const looks = Promise.withResolvers<void>()
  let seen = 0
  wrapClientCalls(store, async ({ input }, go) => {
    if (input.TableName === tables.events) await answers.promise
    if (input.ExpressionAttributeValues?.[":hosts"] !== "HOSTS") return await go()
    await beat()
    if (++seen === 5) looks.resolve()
    return await go()
  })
  onTestFinished(() => void (store.send = plain))
  await beat()
  const looking = keepLooking(60_000)
  await expect(looks.promise).resolves.toBeUndefined()
  answers.resolve()
  store.send = plain
  await Host.remove("living")
  await looking
})

const lease = (network: "live" | "simulated", more: Row = {}) => ({
  table: tables.leases,
  row: { ...Lease.newRow(randomUUID(), network), ...more },
})

test("free leases are counted where they are: only suspects and those of another network are told of", async () => {
  await batchWrite([
    ...Array.from({ length: 500 }, () => lease("simulated")),
    ...Array.from({ length: 3 }, () => lease("live")),
    lease("simulated", { failures: 3, failed_at: 7 }),
    lease("live", { deaths: 2 }),
  ])
  const asked = watchStore()
  expect(await Lease.countFree("simulated")).toEqual({
    simulated: { wanting: 500, suspects: [expect.objectContaining({ failures: 3, failedAt: 7 })] },
    live: { wanting: 3, suspects: [expect.objectContaining({ failures: 0, failedAt: 0 })] },
  })
  expect([asked.length, asked.reduce((sum, { rows }) => sum + rows, 0)]).toEqual([4, 5])
})

test("a step of the sweep's round reads a hundred deliveries of a part; the round rings for each late one", async () => {
  const { id } = await aBridge()
  const delivery = await getRow(tables.events, Delivery.key(Delivery.first(id)))
  // All in the last part of the index.
  const aWaiting = (due: number) => {
    const bridgeId = randomUUID().replace(/.$/, "f")
    const at = Delivery.key(Delivery.first(bridgeId))
    return { ...delivery, ...at, shard: shardOf(bridgeId), since: 1, due }
  }
  const waiting = Array.from({ length: 230 }, () => aWaiting(now() + 100))
  const late = Array.from({ length: 250 }, () => aWaiting(1))
  await batchWrite([...waiting, ...late].map((row) => ({ table: tables.events, row })))
  const asked = watchStore()
  const steps: { read: number; rung: number }[] = []
  do {
    asked.length = 0
    await ringOverdue()
    const of = (name: string) => asked.filter(({ command }) => command.name === name)
    const read = of("BatchGetItem").map(({ command }) => JSON.stringify(command.input).split('"Keys"').length)
    expect(of("Query").length).toBeLessThanOrEqual(16)
    expect(read.length).toBeLessThanOrEqual(1)
    steps.push({ read: of("Query").reduce((sum, { rows }) => sum + rows, 0), rung: of("UpdateItem").length })
  } while (steps.reduce((sum, { rung }) => sum + rung, 0) < late.length)
  expect(Math.max(...steps.map(({ read }) => read))).toBe(100)
  expect(Math.max(...steps.map(({ rung }) => rung))).toBeLessThanOrEqual(100)
  // What is rung for is late no more.
  expect(await allOverdue()).toEqual([])
})

const named = (...ids: string[]) => ids.map((id) => ({ id }))

test("with turns each of many things is looked at as often, those that are new first", () => {
  const turns = new Turns(2)
  const three = named("a", "b", "c")
  expect(turns.next(three)).toEqual(named("a", "b"))
  expect(turns.next(three)).toEqual(named("c", "a"))
  expect(turns.next([...three, { id: "new" }])).toEqual(named("new", "b"))
  expect(turns.next(named("a"))).toEqual(named("a"))
})
