import type { Row, Write } from "#core/store/store.ts"
import type { SessionWrite } from "./rows.ts"
import { RuleBroken } from "./session-ended.ts"

/** DynamoDB takes 100 operations in a transaction; one is the lease check. */
const maxWrites = 99
/** DynamoDB takes 4 MB. Sizes here are estimates, so some room is left. */
const maxBytes = 3_900_000
/** A row in a unit: the session's own, or one of another table. */
export type UnitWrite = SessionWrite | Write

/** The part of a unit that packing looks at. */
export interface Packable {
  writes: UnitWrite[]
  bytes: number
}

/**
 * As many units as fit in one transaction. If the first alone does not fit, it is split into several
 * transactions.
 */
export function nextBatch<Unit extends Packable>(queue: Unit[]): { units: Unit[]; commits: UnitWrite[][] } {
  const merged = new Map<string, UnitWrite>()
  const units: Unit[] = []
  let bytes = 0
  for (const unit of queue) {
    const added = unit.writes.filter((write) => !merged.has(nameOf(write))).length
    const fits = merged.size + added <= maxWrites && bytes + unit.bytes <= maxBytes
    if (!fits && units.length > 0) break
    units.push(unit)
    merge(merged, unit.writes)
    if (!fits) return { units, commits: inParts([...merged.values()]) }
    bytes += unit.bytes
  }
  return { units, commits: [[...merged.values()]] }
}

/**
 * DynamoDB refuses two operations on one row. Both put or remove the whole row, so the later operation is
 * enough. An event is the exception: it must be the first row of its key, and must not be replaced by
 * another.
 */
function merge(into: Map<string, UnitWrite>, writes: UnitWrite[]): void {
  for (const write of writes) {
    const name = nameOf(write)
    if (into.delete(name) && !isSessionWrite(write) && write.Put?.ConditionExpression)
      throw new RuleBroken("each number is one event's")
    into.set(name, write)
  }
}

function inParts(writes: UnitWrite[]): UnitWrite[][] {
  const parts: UnitWrite[][] = [[]]
  let bytes = 0
  for (const write of writes) {
    const size = bytesOf([write])
    if (parts.at(-1)!.length === maxWrites || bytes + size > maxBytes) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)!.push(write)
    bytes += size
  }
  return parts
}

/** Whether this writes a row of the session's own. */
export function isSessionWrite(write: UnitWrite): write is SessionWrite {
  return "sk" in write
}

/** Identifies a row: the same for two writes of one row. */
function nameOf(write: UnitWrite): string {
  if (isSessionWrite(write)) return write.sk
  const { TableName, Item, Key } = { ...write.Put, ...write.Delete } as {
    TableName?: string
    Item?: Row
    Key?: Row
  } // one of the two
  const key = Item ?? Key
  if (!key) throw new Error("a commit puts and removes whole rows")
  return `${TableName}\n${String(key.pk)}\n${String(key.sk)}`
}

/** The size of writes in a transaction. The size of a removed row counts as well. */
export function bytesOf(writes: UnitWrite[]): number {
  let bytes = 0
  for (const write of writes) bytes += isSessionWrite(write) ? sizeOfOwn(write) : sizeOf(write.Put?.Item)
  return bytes
}

function sizeOfOwn(write: SessionWrite): number {
  if (!("secret" in write)) return write.bytes + 200
  const { secret } = write
  return (typeof secret === "string" ? Buffer.byteLength(secret) : secret.length) + 200
}

/** An item's size as DynamoDB counts it, rounded up a little. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.length
  if (typeof value !== "object" || value === null) return 21
  let bytes = 3
  for (const [name, inner] of Object.entries(value)) bytes += Buffer.byteLength(name) + 1 + sizeOf(inner)
  return bytes
}
