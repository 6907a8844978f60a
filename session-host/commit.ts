import { Lease } from "#core/lease.ts"
import { Metrics } from "#core/metrics.ts"
import { type Row, StoreAway, transact } from "#core/store.ts"
import type { Patience } from "./memory/patience.ts"
import { Fenced, SessionEnded } from "./session-ended.ts"
import type { Sized } from "./store.ts"

/** DynamoDB takes 100 operations in a transaction; one is the lease check. */
const maxWrites = 99
/** DynamoDB takes 4 MB; what is counted here is an estimate, so some room is left. */
const maxBytes = 3_900_000

interface Asked {
  writes: Sized[]
  resolve: () => void
  reject: (error: Error) => void
}

interface Options {
  patience: Patience
  /** How long a commit may remain without a known outcome. */
  withinMs: number
  /** The session must end. Called once, before any promise fails: the socket has to be closed first. */
  onEnd: (error: SessionEnded) => void
}

/**
 * The writes of one session, in order, each transaction under the check of its lease and under no other condition.
 * One is under way at a time; the next takes everything that was asked for meanwhile.
 */
export class Commits {
  readonly #held: { bridgeId: string; host: string; epoch: number }
  readonly #options: Options
  #queue: Asked[] = []
  #running: Promise<void> | undefined
  #ended: SessionEnded | undefined

  constructor(held: { bridgeId: string; host: string; epoch: number }, options: Options) {
    this.#held = held
    this.#options = options
  }

  /**
   * Resolves when all of it is durable: puts and removals of whole rows. Of more than 99 rows the last are written
   * last. Of nothing, it proves that the store answers and that the lease is ours.
   * @throws SessionEnded; whether it was written is then not known.
   */
  async write(writes: Sized[]): Promise<void> {
    if (this.#ended) throw this.#ended
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#queue.push({ writes, resolve, reject })
    this.#running ??= this.#run()
    await promise
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#running
  }

  /** Fails everything that waits. The socket is closed already. */
  end(error: SessionEnded): void {
    this.#ended ??= error
    for (const asked of this.#queue.splice(0)) asked.reject(this.#ended)
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = nextBatch(this.#queue)
      this.#queue.splice(0, batch.asked.length)
      try {
        for (const writes of batch.commits) await this.#commit(writes)
        for (const asked of batch.asked) asked.resolve()
      } catch (error) {
        const ended = this.#ended ?? asEnded(error)
        if (!this.#ended) this.#options.onEnd(ended)
        this.end(ended)
        for (const asked of batch.asked) asked.reject(ended)
      }
    }
    this.#running = undefined
  }

  async #commit(writes: Sized[]): Promise<void> {
    if (this.#ended) throw this.#ended
    const { patience, withinMs } = this.#options
    const start = performance.now()
    const refused = await patience.watch(transact([Lease.check(this.#held), ...writes], { withinMs }))
    Metrics.add("CommitMs", Math.round(performance.now() - start))
    if (!refused) return
    Metrics.add("LeaseFenced")
    throw new Fenced()
  }
}

/** As many of those that wait as fit one transaction, the first in any case: in several, if need be. */
function nextBatch(queue: Asked[]): { asked: Asked[]; commits: Sized[][] } {
  const merged = new Map<string, Sized>()
  const asked: Asked[] = []
  for (const next of queue) {
    const together = merge(new Map(merged), next.writes)
    const fits = together.size <= maxWrites && bytesOf(together.values()) <= maxBytes
    if (!fits && asked.length > 0) break
    asked.push(next)
    if (!fits) return { asked, commits: inParts([...together.values()]) }
    merge(merged, next.writes)
  }
  return { asked, commits: [[...merged.values()]] }
}

/** DynamoDB refuses two operations on one row. Both are puts or removals of all of it, so the later one says it all. */
function merge(into: Map<string, Sized>, writes: Sized[]): Map<string, Sized> {
  for (const write of writes) {
    const key = keyOf(write)
    into.delete(key)
    into.set(key, write)
  }
  return into
}

function inParts(writes: Sized[]): Sized[][] {
  const parts: Sized[][] = [[]]
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

function keyOf(write: Sized): string {
  const { table, key } = target(write)
  return JSON.stringify([table, key?.pk, key?.sk])
}

function target(write: Sized): { table: string | undefined; key: Row | undefined } {
  if (write.Put) return { table: write.Put.TableName, key: write.Put.Item }
  if (write.Delete) return { table: write.Delete.TableName, key: write.Delete.Key }
  throw new Error("a commit puts and removes whole rows")
}

/** What writes count for in a transaction. That of a removed row counts, too. */
export function bytesOf(writes: Iterable<Sized>): number {
  let bytes = 0
  for (const write of writes) bytes += sizeOf(target(write).key) + (write.bytes ?? 0)
  return bytes
}

/** An item's size as DynamoDB counts it, a little on the large side. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.length
  if (typeof value !== "object" || value === null) return 21
  let bytes = 3
  for (const [name, inner] of Object.entries(value)) bytes += Buffer.byteLength(name) + 1 + sizeOf(inner)
  return bytes
}

function asEnded(error: unknown): SessionEnded {
  if (error instanceof SessionEnded) return error
  if (error instanceof StoreAway)
    return new SessionEnded("the store gave no answer for too long", { cause: error })
  return new SessionEnded("the store refused a commit", { cause: error })
}
