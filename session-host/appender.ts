import type { Event } from "#core/contract/event.ts"
import { EventRow } from "#core/event.ts"
import type { Write } from "#core/store.ts"
import type { Bell } from "./bell.ts"
import type { Commits } from "./commit.ts"
import type { Mapped, Remembered } from "./events/mapped.ts"
import type { Logger } from "./log.ts"
import type { Patience } from "./patience.ts"

/** A commit takes 99 writes; an event takes two or three, what it was made of a few more. */
const enough = 60
/** An item holds 400 KB. */
const largest = 380_000

/** Something that may become events. */
export interface Arrival {
  /** Pure but for what it has to look up. May throw on what strangers send. */
  map: () => Mapped[] | Promise<Mapped[]>
  /** Written in the same commit as its events. */
  writes?: Write[]
  /** Written instead when it could not be mapped. */
  aside?: () => Write[]
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
    const { bridgeId, deliveryKey, commits, bell } = this.#options
    const writes: Write[] = []
    const ids = new Set<string>()
    while (writes.length < enough && this.#queue.length > 0) {
      const waiting = this.#queue.shift()!
      taken.push(waiting)
      const { mapped, others } = await this.#map(waiting.arrival)
      writes.push(...others)
      for (const { identity, event, remember } of mapped) {
        const eventId = EventRow.idOf(bridgeId, identity)
        if (ids.has(eventId) || (await this.#isKnown(eventId))) continue
        const n = this.#next + ids.size
        ids.add(eventId)
        writes.push(...EventRow.append({ bridgeId, n, eventId, event, deliveryKey }))
        if (remember) writes.push(this.#options.remember(remember))
      }
    }
    if (writes.length === 0) return
    await commits.write(writes)
    this.#next += ids.size
    if (ids.size > 0) bell.want()
  }

  /** An arrival that cannot be read must not hold up those behind it. */
  async #map(arrival: Arrival): Promise<{ mapped: Mapped[]; others: Write[] }> {
    const others = arrival.writes ?? []
    try {
      const mapped = await arrival.map()
      for (const { event } of mapped) check(event)
      return { mapped, others }
    } catch (error) {
      this.#options.log.error({ error }, "an arrival could not be mapped and was set aside")
      return { mapped: [], others: [...others, ...(arrival.aside?.() ?? [])] }
    }
  }

  async #isKnown(eventId: string): Promise<boolean> {
    const { bridgeId, patience } = this.#options
    return await patience.read(() => EventRow.isKnown(bridgeId, eventId))
  }
}

function check(event: Event): void {
  const bytes = Buffer.byteLength(JSON.stringify(event))
  if (bytes > largest) throw new Error(`an event of ${bytes} bytes`)
}
