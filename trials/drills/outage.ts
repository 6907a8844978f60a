import { setTimeout as sleep } from "node:timers/promises"
import { until } from "#test/support/until.ts"
import type { Service } from "./service.ts"

export interface Outage {
  /** Messages that the network accepted for us while it lasted. */
  written: number
  /** How many of these we receipted before it was over. */
  receipted: number
  /** Statuses of the sends that were answered while it lasted, and how often each was. */
  answers: Record<string, number>
  /** How many of those messages were lost. */
  lost: number
  reordered: number
  /** From the end of the outage to the delivery of the last of them. */
  secondsToCatchUp: number
}

/**
 * Takes a part away for this long while messages come in and sends are requested, and reports what became of
 * them.
 */
export async function outage(service: Service, part: Part, lastsMs: number): Promise<Outage> {
  const answers: Record<string, number> = {}
  let away = true
  part.take()
  // Writes that are under way at that moment may still succeed.
  await sleep(service.beat / 5)
  const end = performance.now() + lastsMs
  const writing = service.lines.map(async (line) => {
    const written: Written[] = []
    while (performance.now() < end) {
      written.push(await service.write(line))
      await sleep(service.beat / 5)
    }
    return written
  })
  const sending = service.lines.map(async (line) => {
    while (performance.now() < end) {
      const status = await service.send(line)
      // One that waited until the part was back says nothing about the outage.
      if (away) answers[status] = (answers[status] ?? 0) + 1
      await sleep(service.beat / 5)
    }
  })
  const byLine = await Promise.all(writing)
  const receipted = receiptsOf(service, byLine.flat())
  away = false
  part.giveBack()
  const at = Date.now()
  await Promise.all(sending)
  const firsts = await firstArrivals(service, byLine.flat())
  return {
    written: byLine.flat().length,
    receipted,
    answers,
    lost: byLine.flat().length - firsts.size,
    reordered: byLine.filter((written) => !isInOrder(written, firsts)).length,
    secondsToCatchUp: (Math.max(at, ...firsts.values()) - at) / 1000,
  }
}

type Written = Awaited<ReturnType<Service["write"]>>
interface Part {
  take: () => void
  giveBack: () => void
}

function receiptsOf({ seen, lines }: Service, written: Written[]): number {
  const ids = new Set(written.map(({ id }) => id))
  const devices = new Set(lines.map(({ device }) => device))
  const isOurs = ({ kind, who, stanza }: Service["seen"][number]) =>
    kind === "in" && devices.has(who) && stanza?.tag === "receipt" && ids.has(stanza.attrs.id ?? "")
  return seen.filter(isOurs).length
}

/** When each text reached the receiver, once all have or no more come. */
async function firstArrivals({ receiver }: Service, written: Written[]): Promise<Map<string, number>> {
  const wanted = new Set(written.map(({ text }) => text))
  const look = () => {
    const found = receiver.arrivals.flatMap(({ text, at }) =>
      text !== undefined && wanted.has(text) ? [[text, at] as const] : [],
    )
    return new Map(found.toReversed())
  }
  await until(() => look().size === wanted.size, { withinMs: 600_000 }).catch(
    () => "the difference is what was lost",
  )
  return look()
}

function isInOrder(written: Written[], firsts: Map<string, number>): boolean {
  const times = written.map(({ text }) => firsts.get(text) ?? Infinity)
  return times.every((time, i) => i === 0 || time >= times[i - 1]!)
}

/** The store resets every connection. */
export function theStore({ cluster }: Service): Part {
  return { take: () => cluster.room.add({ fault: "gone" }), giveBack: cluster.room.clear }
}

/** The queue resets every connection. */
export function theQueue({ cluster }: Service): Part {
  return { take: () => cluster.room.setQueue("away"), giveBack: () => cluster.room.setQueue("there") }
}
