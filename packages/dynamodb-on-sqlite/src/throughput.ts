import { Refusal } from "./refusal.ts"
import type { Keyed, Place } from "./table.ts"

/**
 * Units a second of one partition: DynamoDB's are 1,000 written and 3,000 read, whatever the table may take.
 */
export interface Limits {
  writes: number
  reads: number
}

export const exceededMessage =
  "The level of configured provisioned throughput for the table was exceeded. " +
  "Consider increasing your provisioning level with the UpdateTable API."

/**
 * Limits the throughput of one partition key of a table or an index. A request that begins while something is
 * left is carried out, even if it takes more than that; the next ones are refused until the debt is paid
 * back. DynamoDB also saves up capacity for bursts and splits a partition that stays hot: that is left out.
 */
export class Throughput {
  readonly #limits: Limits | undefined
  readonly #left = { writes: new Map<string, Bucket>(), reads: new Map<string, Bucket>() }
  /** How many requests were refused. */
  refused = 0

  /** Without limits nothing is bounded. */
  constructor(limits: Limits | undefined) {
    this.#limits = limits
  }

  get isBounded(): boolean {
    return this.#limits !== undefined
  }

  /** Whether one of these partitions takes no more for now. */
  isExhausted(kind: keyof Limits, partitions: string[]): boolean {
    const exhausted = partitions.some((partition) => this.#bucket(kind, partition).units <= 0)
    if (exhausted) this.refused++
    return exhausted
  }

  /** @throws Refusal when one of these partitions takes no more for now */
  mayTake(kind: keyof Limits, partitions: string[]): void {
    if (!this.#limits || !this.isExhausted(kind, partitions)) return
    throw new Refusal("ProvisionedThroughputExceededException", exceededMessage)
  }

  consume(kind: keyof Limits, partition: string, units: number): void {
    if (this.#limits) this.#bucket(kind, partition).units -= units
  }

  /** The bucket of a partition, as full as it is now. */
  #bucket(kind: keyof Limits, partition: string): Bucket {
    const most = this.#limits?.[kind] ?? Infinity
    const atMs = performance.now()
    const known = this.#left[kind].get(partition) ?? { units: most, atMs }
    known.units = Math.min(most, known.units + (most * (atMs - known.atMs)) / 1000)
    known.atMs = atMs
    this.#left[kind].set(partition, known)
    return known
  }
}

interface Bucket {
  units: number
  atMs: number
}

/** Units of a write to an item of so many bytes. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1024))
}

/** Units of a read of so many bytes. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / 4096)) * (isConsistent ? 1 : 0.5)
}

/** The name of the partition in which this place is, in a table or an index. */
export function partitionOf({ sql }: Keyed, { hash }: Pick<Place, "hash">): string {
  return `${sql} ${hash}`
}
