import type { Draft, Prepared } from "./draft-of-write.ts"
import type { Call } from "./faults.ts"
import type { MayStayInMemory } from "./rows/rows.ts"
import type { Definition, Keyed, Place, Table } from "./table.ts"
import type { Item } from "./values/value.ts"

/** At once, or by a promise. */
type Soon<Result> = Result | Promise<Result>

/** A place in a table, where an item may be. */
export interface Located {
  table: Table
  place: Place
}

/** A bound of range keys. Its text sorts as DynamoDB sorts. */
export interface Bound {
  by: "=" | "<" | "<=" | ">" | ">="
  value: string
}

/** Items in the order of their keys: of one partition or of a whole table. */
export interface Range {
  hash?: string | undefined
  bounds: Bound[]
  isDescending: boolean
  /** Begins behind this one: its place in what is read and, if that is an index, in the table. */
  after?: { place: Place; inTable: Place } | undefined
}

/** The token of a request that is carried out once, even if it is repeated. */
export interface Once {
  token: string
  /** Tells other requests under this token. */
  content: string
}

/**
 * Keeps the rows of a store, and judges nothing. What it is asked for is valid. It throws a `Refusal` where
 * it cannot do it, and the error of a connection (`code`) where the outcome is not known.
 */
export interface Keeper {
  definitions: () => Soon<Definition[]>
  /** Makes a table and its indexes. */
  create: (table: Table) => Promise<void>
  /** From now on its items expire by another attribute, or not at all. */
  redefine: (table: Table) => Promise<void>
  /** The items at these places, as they are at one moment. */
  read: (asked: Located[]) => Soon<(Item | undefined)[]>
  /** The items of a table or of one of its indexes, up to the first for which `isLast` is true. */
  page: (table: Table, of: Keyed, range: Range, isLast: (item: Item) => boolean) => Soon<Item[]>
  /**
   * Finds the items that the writes are for, and holds them while `judge` says what becomes of them. Then all
   * of that is written, or nothing: durably, before this resolves. A blind write (`isBlind`) finds nothing.
   * With `once`, nothing is done if the same request was carried out before.
   */
  change: (
    writes: Prepared[],
    judge: (before: (Item | undefined)[]) => Draft[],
    call: Call,
    once?: Once,
  ) => Promise<void>
  /** Removes what has expired. */
  expire: () => Promise<void>
  /** Whether the clock went far forward: then nothing expires. */
  isClockDoubted: () => boolean
  /** Items for which `isPassing` is true need not be durable when their write is answered. */
  relax: (table: string, isPassing: MayStayInMemory) => void
  /** Reports each item of this table that is put or changed here. */
  watch: (table: string, onWritten: (item: Item) => void) => void
  close: () => Promise<void>
}
