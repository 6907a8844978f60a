import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { quantile } from "#test/support/quantile.ts"
import { until } from "#test/support/until.ts"
import { type Measured, shared, spentDuring } from "../measure.ts"
import type { Network } from "../network.ts"
import type { Line, Side } from "../sides/side.ts"

export interface Outbound {
  bridges: number
  /** Callers for each bridge. Each sends, waits for the answer, and sends the next. */
  callers: number
  /** Messages of all callers together. */
  messages: number
  /** Each under an Idempotency-Key of its own. */
  keyed?: boolean | undefined
}

interface Input extends Outbound {
  side: Side
  network: Network
  progress: (done: number) => void
}

/** As behind what comes in: receipts of the contact's phone, the last rows. */
const afterwardsMs = 500

/**
 * Callers send to the contacts, whose phones have to read each text once. From the HTTP call to its answer.
 */
export async function outbound(input: Input): Promise<Measured> {
  const { side, network, callers, messages, keyed } = input
  const lines = side.lines.slice(0, input.bridges)
  const before = await Promise.all(lines.map(async ({ contact }) => await lastRead(network, contact)))
  const sent = new Map<Line, string[]>(lines.map((line) => [line, []]))
  const delays: number[] = []
  const faults: string[] = []
  let seconds = 0
  let next = 0

  const one = async (line: Line) => {
    const text = `sent ${next++}`
    const start = performance.now()
    try {
      await side.send(line, text, keyed ? randomUUID() : undefined)
    } catch (error) {
      return void faults.push(`${side.name} ${line.ref}: ${String(error)}`)
    }
    delays.push(performance.now() - start)
    sent.get(line)?.push(text)
    input.progress(delays.length)
  }
  const caller = async (line: Line) => {
    while (next < messages) await one(line)
  }

  const spent = await spentDuring(side, network, async () => {
    const start = performance.now()
    await Promise.all(lines.flatMap((line) => Array.from({ length: callers }, () => caller(line))))
    seconds = (performance.now() - start) / 1000
    await sleep(afterwardsMs)
  })

  for (const [i, line] of lines.entries())
    faults.push(...(await unread(network, line, { after: before[i]!, texts: sent.get(line)! })))
  return {
    ...shared(spent, delays.length),
    perSecond: delays.length / seconds,
    p50Ms: quantile(delays, 0.5),
    p99Ms: quantile(delays, 0.99),
    faults,
  }
}

async function lastRead(network: Network, phone: string): Promise<number> {
  return (await network.control.read(phone, {})).at(-1)?.n ?? 0
}

/** The messages that the contact's phone has not read, or has read more than once. */
async function unread(
  network: Network,
  { ref, owner, contact }: Line,
  { after, texts }: { after: number; texts: string[] },
): Promise<string[]> {
  const read = async () => await network.control.read(contact, { after, from: owner })
  await until(async () => (await read()).length >= texts.length).catch(() => "the difference is told")
  const times = new Map<string, number>()
  for (const message of await read()) times.set(message.text, (times.get(message.text) ?? 0) + message.times)
  const wrong = texts.filter((text) => times.get(text) !== 1).length
  return wrong === 0
    ? []
    : [`${ref}: the contact read ${wrong} of ${texts.length} texts not at all, or twice`]
}
