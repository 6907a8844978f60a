import type { Item, LevelDb, Row } from "dynalite/db/index.js"
import { LRUCache } from "lru-cache"

/** How many characters of rows are kept in memory: enough for what sessions and deliveries are working on. */
const keptSize = 16_000_000

/** How long a passing row may stay in memory alone, in ms. */
const passingMs = 100

/** Up to this many rows are read at once on this thread: handing them to another would cost more than reading. */
const few = 4

/** `undefined` as a value: there is no such row. */
type Found = Map<string, Item | undefined>

/** The stored rows by name: on disk, with recently read or written ones in memory as well. */
export class Rows {
  readonly #db: LevelDb
  readonly #batch: LevelDb["batch"]
  readonly #kept = new LRUCache<string, { item: Item | undefined }>({ maxSize: keptSize })
  #next: { rows: Row[]; done: PromiseWithResolvers<void> } | undefined
  #isWriting = false
  readonly #relaxed: { prefix: string; isPassing: (item: Item) => boolean }[] = []
  /** Passing items that are not on the disk yet, by the names of their rows. */
  readonly #passing = new Map<string, Item>()
  #timer: NodeJS.Timeout | undefined
  readonly #watched: { prefix: string; told: (item: Item) => void }[] = []
  /** Grows with each write: a row that was read before a write is not cached after it. */
  #writes = 0

  constructor(db: LevelDb) {
    this.#db = db
    // dynalite has replaced LevelDB's own by one that takes no options.
    this.#batch = (Object.getPrototypeOf(db) as LevelDb).batch.bind(db)
  }

  /**
   * Reads items, each as it is at some moment of the call, not all at the same moment. DynamoDB promises no more for a batch
   * of reads. A transaction holds the locks of its items meanwhile.
   */
  async read(names: string[]): Promise<Found> {
    const found: Found = new Map()
    const unknown: string[] = []
    for (const name of names) {
      const passing = this.#passing.get(name)
      const kept = passing ? { item: passing } : this.#kept.get(name)
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
   * Writes and removes rows, all or none. Resolves when they are on the disk itself, not in its cache. Everything that
   * arrives while one batch is being written goes into the next together. Readers see the rows from then on. Passing
   * rows do not wait (`relax`).
   */
  async write(rows: Row[]): Promise<void> {
    if (rows.length > 0 && rows.every((row) => this.#isPassing(row))) return this.#pass(rows)
    this.#next ??= { rows: [], done: Promise.withResolvers() }
    this.#next.rows.push(...rows)
    const { promise } = this.#next.done
    if (!this.#isWriting) void this.#writeAll()
    await promise
  }

  /** Resolves when everything that was written so far is on the disk, passing items too. */
  async flush(): Promise<void> {
    await this.write([])
  }

  /**
   * From now on, writing only such items does not wait for the disk. They can be read by their keys at once, and go to
   * the disk with the next other batch, or by themselves a moment later. Queries and watchers learn of them then, and
   * until then the end of this process may lose them.
   */
  relax(prefix: string, isPassing: (item: Item) => boolean): void {
    this.#relaxed.push({ prefix, isPassing })
  }

  /** Reports each row whose name begins with `prefix`, from now on, once it is on the disk. */
  watch(prefix: string, told: (item: Item) => void): void {
    this.#watched.push({ prefix, told })
  }

  /** Drops the cache, none of which is valid any more. */
  forget(): void {
    this.#writes++
    this.#kept.clear()
  }

  /** The rows whose names begin with `prefix` were removed. */
  forgetAll(prefix: string): void {
    this.forget()
    for (const name of this.#passing.keys()) if (name.startsWith(prefix)) this.#passing.delete(name)
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    for (let batch = this.#next; batch; batch = this.#next) {
      this.#next = undefined
      const passing = [...this.#passing]
      const along = passing.map(([key, value]): Row => ({ type: "put", key, value }))
      try {
        // The passing ones first: they are older than a write of the same row.
        if (along.length + batch.rows.length > 0) await this.#batchNow([...along, ...batch.rows])
        for (const [key, item] of passing) if (this.#passing.get(key) === item) this.#passing.delete(key)
        batch.done.resolve()
      } catch (error) {
        batch.done.reject(error)
      }
    }
    this.#isWriting = false
  }

  #pass(rows: Row[]): void {
    for (const row of rows) if (row.type === "put") this.#passing.set(row.key, row.value)
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      // If the disk refuses them, the next batch takes them along.
      if (this.#passing.size > 0) this.flush().catch(() => {})
    }, passingMs).unref()
  }

  async #batchNow(rows: Row[]): Promise<void> {
    try {
      await this.#batch(rows, { sync: true })
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

/** The approximate size in characters. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 8
  let size = 0
  for (const name in value) size += name.length + 16 + sizeOf((value as Record<string, unknown>)[name])
  return size
}
