import * as dynalite from "dynalite/db/index.js"
import type { Item, Table } from "dynalite/db/index.js"
import { Refusal } from "../refusal.ts"
import { rowOfItem } from "./store.ts"

/** Units a second of one partition: DynamoDB's are 1,000 written and 3,000 read, whatever the table may take. */
export interface Limits {
  writes: number
  reads: number
}

export const exceededMessage =
  "The level of configured provisioned throughput for the table was exceeded. " +
  "Consider increasing your provisioning level with the UpdateTable API."

/**
 * Limits the throughput of one partition key of a table or an index. A request that begins while something is left is
 * carried out, even if it takes more than that; the next ones are refused until the debt is paid back. DynamoDB also saves
 * up capacity for bursts and splits a partition that stays hot: that is left out.
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

  /** Whether the partition of one of these rows, by their names in the store, takes no more for now. */
  isExhausted(kind: keyof Limits, rows: string[]): boolean {
    const exhausted = rows.some((row) => this.#bucket(kind, partitionOf(row)).units <= 0)
    if (exhausted) this.refused++
    return exhausted
  }

  /** @throws Refusal when one of their partitions takes no more for now */
  mayTake(kind: keyof Limits, rows: string[]): void {
    if (!this.#limits || !this.isExhausted(kind, rows)) return
    throw new Refusal("ProvisionedThroughputExceededException", exceededMessage)
  }

  take(kind: keyof Limits, row: string, units: number): void {
    if (this.#limits) this.#bucket(kind, partitionOf(row)).units -= units
  }

  /** As full as it is now. */
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

/** A name of rows that share a partition with what has this key, in the table or in an index of it. */
export function rowsOf(table: Table, key: Item, indexName: string | undefined): string {
  const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === indexName)
  const [hash] = (index ?? table).KeySchema
  const name = dynalite.createKey(key, table, hash && [hash])
  return index
    ? `index-global~${table.TableName}~${index.IndexName}~${name}`
    : rowOfItem(table.TableName, name)
}

/** dynalite names a row by a digest of its partition key, by that key, and then by the rest. */
function partitionOf(row: string): string {
  return row.split("/", 2).join("/")
}
