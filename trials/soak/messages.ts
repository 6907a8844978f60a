import { setTimeout as sleep } from "node:timers/promises"
import type { Network } from "../bench/network.ts"
import type { Arrival, Receiver } from "../bench/receiver.ts"
import type { Line, Side } from "../bench/sides/side.ts"

/** Contacts write no further while so many messages of their bridge are on their way. */
const mostAhead = 20
/** Longer than any retry takes: a message that has not arrived this long after the last arrival is lost. */
const patienceMs = 60_000

/** Messages of each bridge's contact, on their way to the receiver. */
export class Messages {
  readonly #service: Side
  readonly #network: Network
  readonly #receiver: Receiver
  /** The ids of all that were written on each line, in order. */
  readonly #written = new Map<Line, string[]>()

  constructor(service: Side, network: Network, receiver: Receiver) {
    this.#service = service
    this.#network = network
    this.#receiver = receiver
  }

  /** How many have arrived. */
  get arrived(): number {
    return this.#service.lines.reduce((sum, line) => sum + this.#arrivalsOf(line).length, 0)
  }

  /** How many were written and have not arrived. */
  get missing(): number {
    let count = 0
    for (const [line, ids] of this.#written) {
      const arrived = new Set(this.#arrivalsOf(line).map(({ id }) => id))
      count += ids.filter((id) => !arrived.has(id)).length
    }
    return count
  }

  /** So many more, over all lines. Resolves when all have arrived, or none arrives any more. */
  async carry(count: number): Promise<void> {
    let left = count
    const write = async (line: Line) => {
      const ids = this.#written.get(line) ?? []
      this.#written.set(line, ids)
      while (left-- > 0) {
        ids.push(await this.#network.write(line.contact, line.owner, `message ${ids.length}`))
        await this.#untilLeft(() => ids.length - this.#arrivalsOf(line).length, mostAhead)
      }
    }
    await Promise.all(this.#service.lines.map(write))
    const written = this.#written.values().reduce((sum, { length }) => sum + length, 0)
    await this.#untilLeft(() => written - this.arrived, 0)
  }

  #arrivalsOf({ path }: Line): Arrival[] {
    return this.#receiver.arrivals(path)
  }

  /** Resolves when no more than `most` are left, or their number has not changed for long. */
  async #untilLeft(left: () => number, most: number): Promise<void> {
    let before = left()
    let since = performance.now()
    for (let now = before; now > most; now = left()) {
      if (now !== before) since = performance.now()
      before = now
      if (performance.now() - since > patienceMs) return
      await sleep(10)
    }
  }
}
