import type { Item, LevelDb, Row } from "dynalite/db/index.js"
import { LRUCache } from "lru-cache"

/** Characters of rows that are kept in memory: what sessions and deliveries are busy with. */
const keptSize = 16_000_000

/** So few are read at once: a thread that reads them meanwhile would cost more than that takes. */
const few = 4

/** `undefined` inside: there is no such row. */
type Found = Map<string, Item | undefined>

/** What is stored, by the name of the row: on disk, and what was read or written lately in memory, too. */
export class Rows {
  readonly #db: LevelDb
  readonly #batch: LevelDb["batch"]
  readonly #kept = new LRUCache<string, { item: Item | undefined }>({ maxSize: keptSize })
  #next: { rows: Row[]; done: PromiseWithResolvers<void> } | undefined
  #isWriting = false
  readonly #relaxed: { prefix: string; isPassing: (item: Item) => boolean }[] = []
  readonly #watched: { prefix: string; told: (item: Item) => void }[] = []
  /** Grows with each write: what was read before is not kept after it. */
  #writes = 0

  constructor(db: LevelDb) {
    this.#db = db
    // dynalite has put one of its own in the place of LevelDB's, which takes no options.
    this.#batch = (Object.getPrototypeOf(db) as LevelDb).batch.bind(db)
  }

  /** Items, each once, at one moment. */
  async read(names: string[]): Promise<Found> {
    const found: Found = new Map()
    const unknown: string[] = []
    for (const name of names) {
      const kept = this.#kept.get(name)
      if (kept) found.set(name, kept.item)
      else unknown.push(name)
    }
    if (unknown.length === 0) return found
    const writes = this.#writes
    const items =
      unknown.length <= few ? unknown.map((name) => this.#db.getSync(name)) : await this.#db.getMany(unknown)
    for (const [at, name] of unknown.entries()) {
      found.set(name, items[at])
      if (writes === this.#writes) this.#keep(name, items[at])
    }
    return found
  }

  /**
   * Writes and removes rows, all or none. Resolves when they are on the disk itself, not in its cache: all that arrives
   * while one batch is on its way goes together into the next. Readers see them from then on.
   */
  async write(rows: Row[]): Promise<void> {
    if (rows.every((row) => this.#isPassing(row))) return await this.#batchNow(rows, { sync: false })
    this.#next ??= { rows: [], done: Promise.withResolvers() }
    this.#next.rows.push(...rows)
    const { promise } = this.#next.done
    if (!this.#isWriting) void this.#writeAll()
    await promise
  }

  /**
   * From now on rows of such items alone are written without waiting for the disk. They outlive the end of this process,
   * and not that of the machine.
   */
  relax(prefix: string, isPassing: (item: Item) => boolean): void {
    this.#relaxed.push({ prefix, isPassing })
  }

  /** From now on each row whose name begins like this is told of when it was written, and is on the disk. */
  watch(prefix: string, told: (item: Item) => void): void {
    this.#watched.push({ prefix, told })
  }

  /** Nothing of what is kept is true any more. */
  forget(): void {
    this.#writes++
    this.#kept.clear()
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    for (let batch = this.#next; batch; batch = this.#next) {
      this.#next = undefined
      try {
        await this.#batchNow(batch.rows, { sync: true })
        batch.done.resolve()
      } catch (error) {
        batch.done.reject(error)
      }
    }
    this.#isWriting = false
  }

  async #batchNow(rows: Row[], options: { sync: boolean }): Promise<void> {
    try {
      await this.#batch(rows, options)
    } catch (error) {
      this.forget()
      throw error
    }
    this.#writes++
    for (const row of rows)
      if (row.key.startsWith("item-")) this.#keep(row.key, row.type === "put" ? row.value : undefined)
    this.#tell(rows)
  }

  #isPassing(row: Row): boolean {
    if (row.type !== "put") return false
    return this.#relaxed.some(({ prefix, isPassing }) => row.key.startsWith(prefix) && isPassing(row.value))
  }

  #tell(rows: Row[]): void {
    for (const { prefix, told } of this.#watched)
      for (const row of rows) if (row.type === "put" && row.key.startsWith(prefix)) told(row.value)
  }

  #keep(name: string, item: Item | undefined): void {
    this.#kept.set(name, { item }, { size: name.length + 100 + (item ? sizeOf(item) : 0) })
  }
}

/** Characters, roughly. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 8
  let size = 0
  for (const name in value) size += name.length + 16 + sizeOf((value as Record<string, unknown>)[name])
  return size
}
