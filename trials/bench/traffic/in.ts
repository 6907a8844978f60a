import { setTimeout as sleep } from "node:timers/promises"
import { quantile } from "#test/support/quantile.ts"
import { type Measured, shared, spentDuring } from "../measure.ts"
import type { Handed, Network } from "../network.ts"
import type { Receiver } from "../receiver.ts"
import type { Line, Side } from "../sides/side.ts"
import { faultsOf, type Pair } from "./once-in-order.ts"

export interface Inbound {
  bridges: number
  /** Messages to all bridges together. */
  messages: number
  /** The rate for all bridges together; all at once if absent. */
  perSecond?: number | undefined
}

interface Input extends Inbound {
  side: Side
  network: Network
  receiver: Receiver
  progress: (done: number) => void
}

/** Writes of one phone under way at once where the network is to be kept busy. */
const atOnce = 4
/** Longer than any retry takes: a message that has not arrived this long after the last arrival is lost. */
const patienceMs = 60_000
/** Work that follows the last webhook still counts, for this long. */
const afterwardsMs = 500

/**
 * Contacts write, and their webhooks are waited for. Delays are from the network's handing over to the
 * receiver.
 */
export async function inbound(input: Input): Promise<Measured> {
  const { side, network } = input
  const lines = side.lines.slice(0, input.bridges)
  const ways = lines.flatMap(({ ref, device, path, further = [] }) =>
    [path, ...further].map((to) => ({ ref, device, to })),
  )
  const from = ways.map(({ to }) => input.receiver.arrivals(to).length)
  const arrivals = () => ways.map(({ to }, i) => input.receiver.arrivals(to).slice(from[i]))
  const expected = (input.messages * ways.length) / lines.length
  const written = new Set<string>()
  const watching = network.watch()

  // The network is slower at taking messages than a side at reading them: it takes all, then hands them over
  // at once.
  const isHeld = input.perSecond === undefined
  const release: (() => Promise<void>)[] = []
  // One after the other: a listener refuses a thousand connections at once.
  if (isHeld)
    for (const { device } of lines) release.push(await network.control.fault({ kind: "hold", device }))
  if (isHeld) await write(input, lines, written)

  const spent = await spentDuring(side, network, async () => {
    for (const remove of release) await remove()
    if (!isHeld) await write(input, lines, written)
    await untilArrived({ ...input, messages: expected }, () =>
      arrivals().reduce((sum, { length }) => sum + length, 0),
    )
    await sleep(afterwardsMs)
  })

  const handed = await watching.end()
  const pairs = ways.map(({ device }, i) => ({
    handed: (handed.get(device) ?? []).filter(({ id }) => written.has(id)),
    arrived: arrivals()[i]!,
  }))
  const delays = pairs.flatMap(delaysOf)
  const first = Math.min(...pairs.flatMap((pair) => pair.handed.map(({ at }) => at)))
  const last = Math.max(...pairs.flatMap((pair) => pair.arrived.map(({ at }) => at)))
  return {
    ...shared(spent, written.size),
    perSecond: (written.size / (last - first)) * 1000,
    p50Ms: quantile(delays, 0.5),
    p99Ms: quantile(delays, 0.99),
    faults: [
      ...pairs.flatMap((pair, i) => faultsOf(`${side.name} ${ways[i]!.ref}`, pair)),
      ...notHandedOver(written, handed),
    ],
  }
}

async function write(
  { network, messages, perSecond }: Input,
  lines: Line[],
  written: Set<string>,
): Promise<void> {
  const started = performance.now()
  let next = 0
  const one = async ({ contact, owner }: Line) => {
    const n = next++
    if (perSecond !== undefined)
      await sleep(Math.max(1, started + (n * 1000) / perSecond - performance.now()))
    written.add(await network.write(contact, owner, `message ${n}`))
  }
  const writer = async (line: Line) => {
    while (next < messages) await one(line)
  }
  const writers = perSecond === undefined ? atOnce : 1
  await Promise.all(lines.flatMap((line) => Array.from({ length: writers }, () => writer(line))))
}

async function untilArrived({ messages, progress }: Input, count: () => number): Promise<void> {
  let last = { count: count(), at: performance.now() }
  while (count() < messages) {
    await sleep(5)
    if (count() > last.count) last = { count: count(), at: performance.now() }
    progress(last.count)
    // The verdict on what arrived says what is missing.
    if (performance.now() - last.at > patienceMs) return
  }
}

/** Messages that the network's log lacks: nothing proves that they came. */
function notHandedOver(written: Set<string>, handed: Map<string, Handed[]>): string[] {
  const ids = new Set([...handed.values()].flat().map(({ id }) => id))
  const missing = [...written].filter((id) => !ids.has(id)).length
  return missing > 0 ? [`${missing} messages are not in the network's log`] : []
}

function delaysOf({ handed, arrived }: Pair): number[] {
  const at = new Map(handed.map((one) => [one.id, one.at]))
  return arrived.flatMap((one) => {
    const start = at.get(one.id)
    return start === undefined ? [] : one.at - start
  })
}
