import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Network } from "./network.ts"
import type { Receiver } from "./receiver.ts"
import { startOurs } from "./sides/ours.ts"
import type { Side } from "./sides/side.ts"
import { type Store, startStore, type Used } from "./store.ts"
import { inbound } from "./traffic/in.ts"

/** The DynamoDB units that a message costs. */
export interface DynamoDbUnits {
  writes: number
  reads: number
  requests: number
  /** Write units by what was done to which kind of row, and requests by what they did; the most first. */
  byRow: [string, number][]
  byRequest: [string, number][]
}

interface Input {
  dir: string
  network: Network
  receiver: Receiver
  messages: number
  /** A message is over when the store has not been asked for this long. */
  quietMs: number
}

type Counted = Pick<Input, "messages" | "quietMs">

/**
 * DynamoDB requests and units of a message: of texts that come one by one, texts in a burst, sends under a
 * key, and sends whose statuses go to a webhook.
 */
export async function countDynamoDbUnits(input: Input) {
  const dir = join(input.dir, "units")
  mkdirSync(dir)
  const store = await startStore(dir)
  const ours = await startOurs({ ...input, dir, store, name: "metered" })
  await ours.link(1, () => {})
  const [faults, first] = [[] as string[], ours.lines[0]!]
  const receive = async (messages: number, perSecond?: number) => {
    const more = { side: ours, bridges: 1, messages, perSecond, progress: () => {} }
    faults.push(...(await inbound({ ...input, ...more })).faults)
  }
  // The first in each direction sets up a ratchet.
  await receive(2, 1)
  await ours.send(first, "first", randomUUID())
  await untilQuiet(store, input.quietMs)

  const alone = await each(store, input, async () => await receive(1, 1))
  const burst = await total(
    store,
    { ...input, messages: 10 * input.messages },
    async () => await receive(10 * input.messages),
  )
  const out = await each(store, input, async (n) => await ours.send(first, `unit ${n}`, randomUUID()))
  await ours.follow(first.ref)
  await ours.send(first, "followed", randomUUID())
  await untilQuiet(store, input.quietMs)
  const followed = await each(
    store,
    input,
    async (n) => await ours.send(first, `followed ${n}`, randomUUID()),
  )
  await stop(ours, store)
  return { alone, burst, out, followed, faults }
}

async function stop(side: Side, store: Store): Promise<void> {
  await side.stop()
  await store.stop()
}

/** One after the other, each when nothing more is asked for the last. */
async function each(store: Store, input: Counted, one: (n: number) => Promise<void>): Promise<DynamoDbUnits> {
  return await total(store, input, async () => {
    for (let n = 0; n < input.messages; n++) {
      await one(n)
      await sleep(input.quietMs)
    }
  })
}

async function total(
  store: Store,
  { messages, quietMs }: Counted,
  work: () => Promise<void>,
): Promise<DynamoDbUnits> {
  await store.used()
  await work()
  return perMessage(await untilQuiet(store, quietMs), messages)
}

/** The units used until the store is no longer asked. */
async function untilQuiet(store: Store, quietMs: number): Promise<Used[]> {
  const parts: Used[] = []
  do {
    await sleep(quietMs)
    parts.push(await store.used())
  } while (parts.at(-1)!.requests.length > 0)
  return parts
}

function perMessage(parts: Used[], messages: number): DynamoDbUnits {
  const each = (of: (used: Used) => number) => parts.reduce((sum, used) => sum + of(used), 0) / messages
  const byRequest = merged(
    parts.flatMap((used) => used.requests),
    messages,
  )
  const byRow = merged(
    parts.flatMap((used) => used.byRow),
    messages,
  )
  return {
    writes: each((used) => used.writes),
    reads: each((used) => used.reads),
    requests: byRequest.reduce((sum, [, count]) => sum + count, 0),
    byRow,
    byRequest,
  }
}

function merged(counts: [string, number][], messages: number): [string, number][] {
  const sums = new Map<string, number>()
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count / messages)
  return [...sums].toSorted(([, a], [, b]) => b - a)
}
