import { Lease } from "#core/lease/lease.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { type Row, StoreAway, transact } from "#core/store/store.ts"
import type { Gate } from "../network/connection.ts"
import { bytesOf, isSessionWrite, nextBatch, type Packable, type UnitWrite } from "./next-batch.ts"
import type { Patience } from "./patience.ts"
import type { SessionStore } from "./rows.ts"
import { Fenced, RuleBroken, SessionEnded } from "./session-ended.ts"

/**
 * How long a unit that no caller waits for may stay in memory, in ms, so that other units can share its
 * transaction: first for a change, then for a note.
 */
const lingerMs = 100
const noteLingerMs = 5000
/** Notes of more rows than this, such as a whole address book, fill transactions of their own. */
const fewWrites = 10
/**
 * After a commit, the next one waits for as long as that one took, so that it holds more units under load. It
 * waits no longer than this, in ms.
 */
const restMostMs = 100
/** How much may wait to become durable before the network is read no further: units, and bytes in them. */
const most = { units: 500, bytes: 8_000_000 }

interface Unit extends Packable {
  number: number
  isNote: boolean
  madeMs: number
  /** When the unit must become durable although no caller waits for it, on the monotonic clock. */
  dueMs: number
}

interface Options {
  store: SessionStore
  patience: Patience
  /** How long a commit's outcome may remain unknown. */
  withinMs: number
  /** Ends the session. Called once, before any promise is rejected: the socket has to be closed first. */
  onEnd: (error: SessionEnded) => void
}

/**
 * The changes of a session, as units: rows that belong together. Units are made in memory, in order, and
 * become durable in that order. This is the gate of the session's connections. One transaction is under way
 * at a time; the next takes all waiting units that fit. Each transaction checks the session's lease.
 */
export class Commits implements Gate {
  readonly #held: Lease.Held
  readonly #options: Options
  readonly #queue: Unit[] = []
  readonly #waiting: { unit: number; promise: PromiseWithResolvers<void> }[] = []
  #bytes = 0
  /** The numbers of the last unit, the last one that is not a note, and the last durable one. */
  #last = 0
  #made = 0
  #kept = 0
  /** When the next commit is due; Infinity when nothing is to become durable. */
  #dueMs = Infinity
  #timer: NodeJS.Timeout | undefined
  #restsUntilMs = 0
  /** When the last transaction ended that held only notes or was one of several for a large unit. */
  #bulkUntilMs = 0
  #running: Promise<void> | undefined
  #ended: SessionEnded | undefined
  readonly #over = new AbortController()

  constructor(held: Lease.Held, options: Options) {
    this.#held = held
    this.#options = options
  }

  /**
   * The number of the last unit that outgoing frames must wait for; notes do not count. 0 before the first.
   */
  get made(): number {
    return this.#made
  }

  /** The number of the last durable unit; all before it are durable, too. */
  get kept(): number {
    return this.#kept
  }

  /** Whether so much waits to become durable that nothing more may be received. */
  get isFull(): boolean {
    return this.#queue.length > most.units || this.#bytes > most.bytes
  }

  /** How long the oldest unit has been waiting to become durable, in ms; 0 when none does. */
  get oldestMs(): number {
    const [oldest] = this.#queue
    return oldest ? performance.now() - oldest.madeMs : 0
  }

  /**
   * Makes a unit: puts and removals of whole rows. Its rows can be read from now on. It becomes durable soon,
   * or at once if a caller waits for it (`whenKept`). A unit of more than 99 rows or 3.9 MB takes several
   * transactions, in the order of its rows.
   * @returns its number.
   * @throws RowTooLarge for a row that no table would take; nothing was made then. SessionEnded
   */
  make(writes: UnitWrite[]): number {
    this.#made = this.#add(writes, { withinMs: lingerMs, isNote: false })
    return this.#made
  }

  /**
   * Makes a unit that no outgoing frame waits for: losing it with its host does little harm. The note joins
   * the transaction of the next change, or is written by itself some seconds later.
   * @throws SessionEnded
   */
  note(writes: UnitWrite[]): void {
    this.#add(writes, { withinMs: writes.length > fewWrites ? lingerMs : noteLingerMs, isNote: true })
  }

  /**
   * Resolves when this unit and all before it are durable.
   * @throws SessionEnded; it is then unknown whether the unit was written.
   */
  async whenKept(unit = this.#made): Promise<void> {
    if (unit <= this.#kept) return
    if (this.#ended) throw this.#ended
    this.mustHold(unit <= this.#last, "each unit that is waited for was made")
    const promise = Promise.withResolvers<void>()
    this.#waiting.push({ unit, promise })
    this.#commitBy(0)
    await promise.promise
  }

  /** Makes a unit, and resolves when it is durable. @throws SessionEnded */
  async write(writes: UnitWrite[]): Promise<void> {
    await this.whenKept(this.make(writes))
  }

  /**
   * Proves that the store answers and that the lease is ours.
   * @throws SessionEnded
   */
  async prove(): Promise<void> {
    await this.write([])
  }

  /**
   * Ends the session unless this rule holds: without the rule, the session's memory might lose something.
   * @throws SessionEnded
   */
  mustHold(holds: boolean, rule: string): void {
    if (holds) return
    const broken = new RuleBroken(rule)
    this.#endBy(broken)
    throw broken
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.whenKept(this.#last).catch(() => {
      // The session has ended, so nothing waits.
    })
  }

  /** Rejects everything that waits. The socket is closed already. */
  end(error: SessionEnded): void {
    this.#ended ??= error
    clearTimeout(this.#timer)
    this.#over.abort()
    this.#queue.length = 0
    for (const { promise } of this.#waiting.splice(0)) promise.reject(this.#ended)
  }

  /** Closes the socket before any promise is rejected. */
  #endBy(error: SessionEnded): void {
    if (!this.#ended) this.#options.onEnd(error)
    this.end(error)
  }

  #add(writes: UnitWrite[], { withinMs, isNote }: { withinMs: number; isNote: boolean }): number {
    if (this.#ended) throw this.#ended
    this.#options.store.mustFit(writes)
    const madeMs = performance.now()
    const dueMs = madeMs + withinMs
    const unit: Unit = { number: ++this.#last, writes, bytes: bytesOf(writes), isNote, madeMs, dueMs }
    this.#queue.push(unit)
    this.#bytes += unit.bytes
    this.#options.store.made(unit.number, writes.filter(isSessionWrite))
    this.#commitBy(dueMs)
    return unit.number
  }

  /** Schedules a commit for this time, unless one is due earlier. */
  #commitBy(dueMs: number): void {
    if (dueMs >= this.#dueMs) return
    this.#dueMs = dueMs
    this.#plan()
  }

  /**
   * Begins the next commit when it is due, but not while another one is under way or during the rest after
   * it.
   */
  #plan(): void {
    if (this.#running || this.#dueMs === Infinity) return
    clearTimeout(this.#timer)
    const waitMs = Math.max(this.#dueMs, this.#restsUntilMs) - performance.now()
    if (waitMs <= 0) this.#begin()
    else this.#timer = setTimeout(() => this.#begin(), waitMs)
  }

  #begin(): void {
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    const start = performance.now()
    try {
      const batch = nextBatch(this.#queue)
      const isBulk = batch.commits.length > 1 || batch.units.every(({ isNote }) => isNote)
      for (const writes of batch.commits) {
        await this.#commit(writes)
        if (isBulk) this.#bulkUntilMs = performance.now()
      }
      this.#markKept(batch.units)
    } catch (error) {
      this.#endBy(asEnded(error))
    }
    const tookMs = performance.now() - start
    this.#restsUntilMs = start + tookMs + Math.min(tookMs, restMostMs)
    this.#running = undefined
    this.#dueMs = this.#waiting.length > 0 ? 0 : Math.min(...this.#queue.map(({ dueMs }) => dueMs))
    this.#plan()
  }

  /**
   * How long a frame may have been waiting because the store is slow. The time for writing a whole address
   * book does not count: a store that takes it transaction by transaction is not away.
   */
  get #lateMs(): number {
    const oldest = this.#queue.find(({ isNote }) => !isNote)
    return oldest ? performance.now() - Math.max(oldest.madeMs, this.#bulkUntilMs) : 0
  }

  #markKept(units: Unit[]): void {
    this.#queue.splice(0, units.length)
    for (const { number, writes, bytes } of units) {
      this.#kept = number
      this.#bytes -= bytes
      this.#options.store.kept(number, writes.filter(isSessionWrite))
    }
    const [late, done] = partition(this.#waiting.splice(0), ({ unit }) => unit > this.#kept)
    this.#waiting.push(...late)
    for (const { promise } of done) promise.resolve()
  }

  async #commit(writes: UnitWrite[]): Promise<void> {
    if (this.#ended) throw this.#ended
    const { patience, store, withinMs } = this.#options
    const rows = writes.map((write) => (isSessionWrite(write) ? store.toWrite(write) : write))
    const { signal } = this.#over
    const written = transact([Lease.heldCheck(this.#held), ...rows], { withinMs, signal })
    const refused = await patience.watch(written, this.#lateMs)
    if (refused) throw whyRefused(refused)
  }
}

/**
 * Why a transaction was refused: the lease is not ours, or another owner has already written an event under
 * this number.
 */
function whyRefused(refused: (Row | undefined)[]): SessionEnded {
  if (refused[0]) {
    Metrics.add("LeaseFenced")
    return new Fenced()
  }
  return new SessionEnded(
    "the last commit of an earlier owner became visible late: the session starts again and reads it",
  )
}

function asEnded(error: unknown): SessionEnded {
  if (error instanceof SessionEnded) return error
  if (error instanceof StoreAway)
    return new SessionEnded("the store gave no answer for too long", { cause: error })
  return new SessionEnded("the store refused a commit", { cause: error })
}

function partition<Item>(items: Item[], is: (item: Item) => boolean): [Item[], Item[]] {
  const sorted = Map.groupBy(items, is)
  return [sorted.get(true) ?? [], sorted.get(false) ?? []]
}
