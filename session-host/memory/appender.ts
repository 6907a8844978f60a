import type { Event } from "#core/contract/event.ts"
import { EventRow } from "#core/event-row.ts"
import type { Write } from "#core/store.ts"
import type { Bell } from "./bell.ts"
import { bytesOf, type Commits } from "../commit.ts"
import type { Mapped, Remembered } from "../events/mapped.ts"
import type { Logger } from "../log.ts"
import type { Patience } from "./patience.ts"
import { SessionEnded } from "../session-ended.ts"
import type { Sized } from "../store.ts"

/** A commit takes 99 writes of 4 MB together. What is appended in one must never be split. */
const most = { writes: 90, bytes: 3_400_000 }
/** An item holds 400 KB. */
const largest = 380_000

/** Something that may become events. */
export interface Arrival {
  /**
   * Pure but for what it has to look up. May throw on what strangers send.
   * @param unwritten messages that arrived just before and will be remembered by the same commit: not in the store yet.
   */
  map: (unwritten: Remembered[]) => Mapped[] | Promise<Mapped[]>
  /** Written in the same commit as its events. */
  writes?: Sized[]
  /** Written as well when it could not become events. */
  aside?: () => Write[]
}

/** Arrivals as rows. */
interface Made {
  writes: Sized[]
  eventIds: string[]
  remembered: Remembered[]
}

interface Waiting {
  arrival: Arrival
  resolve: () => void
  reject: (error: unknown) => void
}

interface Options {
  bridgeId: string
  deliveryKey: Uint8Array
  commits: Pick<Commits, "write">
  patience: Patience
  bell: Pick<Bell, "want">
  log: Logger
  /** The number of the next event. */
  next: number
  /** The write that keeps what others may refer to. */
  remember: (message: Remembered) => Write
}

/** Gives a bridge's events their numbers, without gaps, in the order in which they arrived. */
export class Appender {
  readonly #options: Options
  #next: number
  #queue: Waiting[] = []
  #running: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
    this.#next = options.next
  }

  /**
   * Resolves when its events are written.
   * @throws SessionEnded
   */
  async append(arrival: Arrival): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#queue.push({ arrival, resolve, reject })
    this.#running ??= this.#run()
    await promise
  }

  /** Resolves when everything that arrived before is written, or will never be. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const taken: Waiting[] = []
      try {
        await this.#appendNext(taken)
        for (const waiting of taken) waiting.resolve()
      } catch (error) {
        for (const waiting of [...taken, ...this.#queue.splice(0)]) waiting.reject(error)
      }
    }
    this.#running = undefined
  }

  async #appendNext(taken: Waiting[]): Promise<void> {
    const { commits, bell } = this.#options
    let batch: Made = { writes: [], eventIds: [], remembered: [] }
    while (this.#queue.length > 0) {
      const waiting = this.#queue[0]!
      const next = together(batch, await this.#make(waiting.arrival, batch))
      const isTooMuch = next.writes.length > most.writes || bytesOf(next.writes) > most.bytes
      if (isTooMuch && taken.length > 0) break
      this.#queue.shift()
      taken.push(waiting)
      batch = next
    }
    const { writes, eventIds } = batch
    if (writes.length === 0) return
    await commits.write(writes)
    this.#next += eventIds.length
    if (eventIds.length > 0) bell.want()
  }

  /** An arrival that cannot become rows must not hold up those behind it. */
  async #make(arrival: Arrival, before: Made): Promise<Made> {
    const removals = arrival.writes ?? []
    try {
      const made = await this.#rowsOf(await arrival.map(before.remembered), before)
      return { ...made, writes: [...made.writes, ...removals] }
    } catch (error) {
      if (error instanceof SessionEnded) throw error
      this.#options.log.error({ error }, "an arrival could not become an event and was set aside")
      const aside = arrival.aside?.() ?? []
      // What was set aside before is set aside again under its old key.
      const kept = new Set(aside.map((write) => write.Put?.Item?.sk))
      const gone = removals.filter((write) => !kept.has(write.Delete?.Key?.sk))
      return { writes: [...aside, ...gone], eventIds: [], remembered: [] }
    }
  }

  async #rowsOf(mapped: Mapped[], before: Made): Promise<Made> {
    const { bridgeId, deliveryKey, remember } = this.#options
    const made: Made = { writes: [], eventIds: [], remembered: [] }
    for (const { identity, event, remember: remembered } of mapped) {
      check(event)
      const eventId = EventRow.idOf(bridgeId, identity)
      const earlier = [...before.eventIds, ...made.eventIds]
      if (earlier.includes(eventId) || (await this.#isKnown(eventId))) continue
      const n = this.#next + earlier.length
      made.eventIds.push(eventId)
      made.writes.push(...EventRow.append({ bridgeId, n, eventId, event, deliveryKey }))
      if (!remembered) continue
      made.remembered.push(remembered)
      made.writes.push(remember(remembered))
    }
    return made
  }

  async #isKnown(eventId: string): Promise<boolean> {
    const { bridgeId, patience } = this.#options
    return await patience.read(() => EventRow.isKnown(bridgeId, eventId))
  }
}

function together(one: Made, other: Made): Made {
  return {
    writes: [...one.writes, ...other.writes],
    eventIds: [...one.eventIds, ...other.eventIds],
    remembered: [...one.remembered, ...other.remembered],
  }
}

function check(event: Event): void {
  const bytes = Buffer.byteLength(JSON.stringify(event))
  if (bytes > largest) throw new Error(`an event of ${bytes} bytes`)
}
