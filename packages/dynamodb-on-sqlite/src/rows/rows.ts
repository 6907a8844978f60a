import type { StatementSync } from "node:sqlite"
import { LRUCache } from "lru-cache"
import { unavailable } from "../refusal.ts"
import type { Keyed, Place, Row } from "../table.ts"
import type { Item } from "../values/value.ts"
import { isDiskFull, type Step } from "./commit.ts"
import type { SqliteFile } from "./sqlite-file.ts"

/** How many characters of rows are kept decoded: enough for what sessions and deliveries are working on. */
const keptSize = 16_000_000

/**
 * How long a passing row may stay in memory alone, and a write may wait for others to share its sync, in ms.
 */
const soonMs = 150
/** From so many waiting rows on, no write waits for others: those who wait may be all who can write. */
const mostLingering = 32

/**
 * So many passing rows are in memory at most: on a full disk they stay there. One more waits for the disk.
 */
const mostPassing = 10_000

/**
 * Whether an item may stay in memory for a moment; `isFull`: the disk had no room for what was written last.
 */
export type MayStayInMemory = (item: Item, isFull: boolean) => boolean

interface Batch {
  rows: Row[]
  steps: Step[]
  done: PromiseWithResolvers<void>
}

/** The stored rows: on disk, with recently read or written ones in memory as well. */
export class Rows {
  readonly #file: SqliteFile
  readonly #broken: (why: string) => void
  #isBroken = false
  /** Whether the disk had no room for what was written last. */
  #isFull = false
  readonly #statements = new Map<string, StatementSync>()
  readonly #kept = new LRUCache<string, { item: Item | undefined }>({ maxSize: keptSize })
  #next: Batch | undefined
  #isWriting = false
  readonly #relaxed: { of: string; isPassing: MayStayInMemory }[] = []
  /** Passing rows that are not on the disk yet, by their names. */
  readonly #passing = new Map<string, Row>()
  #timer: NodeJS.Timeout | undefined
  readonly #watched: { of: string; onWritten: (item: Item) => void }[] = []

  /** `broken` is called when the disk has failed in a way after which nothing may be believed. */
  constructor(file: SqliteFile, broken: (why: string) => void) {
    this.#file = file
    this.#broken = broken
  }

  /** The item at this place, as it was last confirmed. */
  read(of: Keyed, place: Place): Item | undefined {
    const name = rowName(of, place)
    const known = this.#passing.get(name) ?? this.#kept.get(name)
    if (known) return known.item
    const found = this.#prepared(`SELECT item FROM ${of.sql} WHERE hash = ? AND range = ? AND own = ?`).get(
      place.hash,
      place.range,
      place.own,
    ) as { item: string } | undefined
    const item = found && decoded(found.item)
    this.#keep(name, item, found?.item.length ?? 0)
    return item
  }

  /** The items that `where` selects and orders, in SQL, one by one. */
  *select(of: Keyed, where: string, values: (string | number)[]): Generator<Item> {
    const found = this.#prepared(`SELECT item FROM ${of.sql} ${where}`).iterate(...values)
    for (const { item } of found) yield decoded(item as string)
  }

  /** Any rows that SQL can give, for what is not an item. */
  ask(sql: string, values: (string | number)[] = []): Record<string, unknown>[] {
    return this.#prepared(sql).all(...values)
  }

  /**
   * Writes and removes rows, all or none. Resolves when they are on the disk itself, not in its cache;
   * readers see them from then on. Everything that arrives while one batch is being written goes into the
   * next together. Passing rows do not wait (`relax`).
   * @param mayLinger while nothing else is to be written, the rows wait a moment for others to share their
   * sync
   * @throws Refusal if the disk has no room: none of the rows was written
   */
  async write(rows: Row[], mayLinger = () => false): Promise<void> {
    if (rows.length > 0 && rows.every((row) => this.#isPassing(row))) return this.#pass(rows)
    await this.#queue(rows, [], mayLinger)
  }

  /** Changes the tables themselves, in turn with writes. */
  async change(steps: Step[]): Promise<void> {
    await this.#queue([], steps)
  }

  /** Resolves when everything that was written so far is on the disk, passing rows too. */
  async flush(): Promise<void> {
    await this.write([])
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.flush()
    } finally {
      await this.#file.close()
    }
  }

  /**
   * From now on, writing only items for which `isPassing` is true does not wait for the disk. They can be
   * read by their keys at once, and go to the disk with the next other batch, or by themselves a moment
   * later. Queries and watchers learn of them then, and until then the end of this process may lose them.
   */
  relax(of: string, isPassing: MayStayInMemory): void {
    this.#relaxed.push({ of, isPassing })
  }

  /** Reports each item of this table that is put, from now on, once it is on the disk. */
  watch(of: string, onWritten: (item: Item) => void): void {
    this.#watched.push({ of, onWritten })
  }

  async #queue(rows: Row[], steps: Step[], mayLinger = () => false): Promise<void> {
    if (this.#isBroken) throw unavailable("the store has ended")
    this.#next ??= { rows: [], steps: [], done: Promise.withResolvers() }
    this.#next.rows.push(...rows)
    this.#next.steps.push(...steps)
    const { promise } = this.#next.done
    if (!this.#isWriting)
      if (this.#next.rows.length < mostLingering && mayLinger()) this.#writeSoon()
      else void this.#writeAll()
    await promise
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    for (let batch = this.#next; batch; batch = this.#next) {
      this.#next = undefined
      try {
        await this.#commit(batch)
        batch.done.resolve()
      } catch (error) {
        batch.done.reject(error)
      }
    }
    this.#isWriting = false
  }

  async #commit({ rows, steps }: Batch): Promise<void> {
    // Passing rows come first: they are older than a write of the same row in this batch.
    const passing = [...this.#passing]
    clearTimeout(this.#timer)
    this.#timer = undefined
    const all = [...passing.map(([, row]) => row), ...rows]
    if (all.length + steps.length === 0) return
    const encoded = all.map(({ item }) => (item ? JSON.stringify(item) : undefined))
    try {
      await this.#file.commit([...steps, ...all.map((row, at) => stepOf(row, encoded[at]))])
    } catch (error) {
      throw this.#refusalOf(error)
    }
    this.#isFull = false
    for (const [name, row] of passing) if (this.#passing.get(name) === row) this.#passing.delete(name)
    for (const [at, row] of all.entries())
      if (row.place.own === "") this.#keep(rowName(row.of, row.place), row.item, encoded[at]?.length ?? 0)
    this.#notify(all)
  }

  /**
   * The refusal for an error of the disk. If there was no room, the batch was rolled back, and the next one
   * may succeed. After any other error nothing can be relied on.
   */
  #refusalOf(error: unknown): Error {
    this.#isFull = isDiskFull(error)
    if (this.#isFull) return unavailable("the disk is full")
    this.#isBroken = true
    this.#broken(
      `The store cannot write any more (${(error as Error).message}). Look at the disk, then start again.`,
    )
    return unavailable("the store has ended")
  }

  #pass(rows: Row[]): void {
    for (const row of rows) this.#passing.set(rowName(row.of, row.place), row)
    this.#writeSoon()
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // If the disk refuses passing rows, the next batch takes them along.
      if (this.#passing.size > 0 || this.#next) this.flush().catch(() => {})
    }, soonMs).unref()
  }

  #isPassing({ of, place, item }: Row): boolean {
    return (
      item !== undefined &&
      (this.#passing.size < mostPassing || this.#passing.has(rowName(of, place))) &&
      this.#relaxed.some((one) => one.of === of.sql && one.isPassing(item, this.#isFull))
    )
  }

  #notify(rows: Row[]): void {
    for (const { of, onWritten } of this.#watched)
      for (const row of rows) if (row.item && row.of.sql === of) onWritten(row.item)
  }

  #keep(name: string, item: Item | undefined, size: number): void {
    this.#kept.set(name, { item }, { size: name.length + 100 + size })
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#file.db.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }
}

/** A name for the row, the same in all requests. */
export function rowName({ sql }: Keyed, { hash, range }: Place): string {
  return `${sql}\0${hash}\0${range}`
}

function stepOf({ of, place, expires }: Row, item: string | undefined): Step {
  const key = [place.hash, place.range, place.own] as const
  if (item === undefined) return [`DELETE FROM ${of.sql} WHERE hash = ? AND range = ? AND own = ?`, ...key]
  return [
    `INSERT INTO ${of.sql} VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET expires = excluded.expires, item = excluded.item`,
    ...key,
    expires,
    item,
  ]
}

/** An item as this store has written it. */
function decoded(text: string): Item {
  return JSON.parse(text) as Item
}
