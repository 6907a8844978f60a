import { z } from "zod"
import { now } from "#core/clock.ts"
import { Metrics } from "#core/metrics.ts"
import type { Write } from "#core/store.ts"
import type { Received, Vault } from "./network.ts"
import type { SessionStore, Sized, Stored } from "./store.ts"

/** The network keeps what is not receipted for 14 days. */
const seenFor = 14 * 86_400
/** From when it was written: as long as anything is kept of messages. Strangers may send what nobody can read. */
const parkedFor = 30 * 86_400
/** A DynamoDB item holds 400 KB. */
const pieceBytes = 350_000

/** A journalled message, and the rows that it takes up until its event is written. */
export interface Entry {
  received: Received
  rows: string[]
}

/**
 * Messages that are decrypted and durable, and not yet event rows. A message is written here in the commit that moves
 * its ratchet, before the network gets its receipt, and removed in the commit that writes its event.
 */
export class Journal {
  readonly #store: SessionStore
  readonly #epoch: number
  readonly #onKept: (entry: Entry) => void
  #last = 0
  /** Durable and not drained, by hash: oldest first, and since when (monotonic). */
  readonly #waiting = new Map<string, Entry & { sinceMs: number }>()

  /**
   * @param epoch of the lease. It begins the rows' names, so that an owner never writes over a row of an earlier one
   *   that it has not seen: the last transaction of a dead owner may become visible late.
   * @param onKept called for each entry when it is durable, in order.
   */
  constructor(store: SessionStore, epoch: number, onKept: (entry: Entry) => void) {
    this.#store = store
    this.#epoch = epoch
    this.#onKept = onKept
  }

  /** What an earlier session left, to be drained before anything else arrives; then what was set aside, once more. */
  async readOld(): Promise<void> {
    for (const prefix of ["JOURNAL#", "PARKED#"])
      for (const entry of entriesOf(await this.#store.list(prefix))) this.kept(entry)
  }

  /** The writes that journal a message after all others. */
  add(received: Received): { entry: Entry; writes: Write[] } {
    const first = `JOURNAL#${padded(this.#epoch)}-${padded(++this.#last)}`
    const pieces = piecesOf(pack(received))
    const rows = pieces.map((_, i) => pieceSk(first, i))
    const writes = pieces.map((piece, i) => this.#store.put(rows[i]!, piece))
    const seen = this.#store.put(seenSk(received.hash), first, { expires_at: now() + seenFor })
    return { entry: { received, rows }, writes: [...writes, seen] }
  }

  /** The entry is durable now. */
  kept(entry: Entry): void {
    this.#waiting.set(entry.received.hash, { ...entry, sinceMs: performance.now() })
    this.#onKept(entry)
  }

  /** The writes that remove an entry. */
  removal(entry: Entry): Sized[] {
    const bytes = pack(entry.received).length
    return entry.rows.map((sk, i) => this.#store.remove(sk, Math.min(pieceBytes, bytes - i * pieceBytes)))
  }

  /** The writes that set an entry aside which no mapper could read: the next session, perhaps fixed, tries again. */
  parking(entry: Entry): Write[] {
    Metrics.add("JournalSetAside")
    const { hash, attrs } = entry.received
    const expires = { expires_at: (Number(attrs.t) || now()) + parkedFor }
    const pieces = piecesOf(pack(entry.received))
    return pieces.map((piece, i) => this.#store.put(pieceSk(`PARKED#${hash}`, i), piece, expires))
  }

  /** For how long the oldest entry has been waiting; 0 when none does. */
  get oldestMs(): number {
    const [oldest] = this.#waiting.values()
    return oldest ? performance.now() - oldest.sinceMs : 0
  }

  /** Its event is written, or it was set aside. */
  drained(entry: Entry): void {
    this.#waiting.delete(entry.received.hash)
  }

  /** Of what a dead owner wrote last, all may become visible only after this session has read what was left. */
  async lookUp(hash: string): ReturnType<Vault["lookUp"]> {
    const seen = await this.#store.get(seenSk(hash))
    const waiting = this.#waiting.get(hash)
    if (waiting) return { state: "journalled", plaintext: waiting.received.plaintext }
    if (!seen) return { state: "new" }
    const [unread] = entriesOf(await this.#store.list(seen.secret.toString()))
    if (!unread || this.#isOurs(unread)) return { state: "drained" }
    this.kept(unread)
    return { state: "journalled", plaintext: unread.received.plaintext }
  }

  /** Its row was still there a moment ago: this session is just draining it. */
  #isOurs(entry: Entry): boolean {
    return entry.rows[0]!.startsWith(`JOURNAL#${padded(this.#epoch)}-`)
  }
}

/** So that keys sort as numbers do. */
function padded(n: number): string {
  return String(n).padStart(12, "0")
}

/** Pieces come right after their first. There are never ten: a commit takes 4 MB, and ten is more than 3.5. */
function pieceSk(first: string, piece: number): string {
  return piece === 0 ? first : `${first}#${piece}`
}

function seenSk(hash: string): string {
  return `SEEN#${hash}`
}

const Head = z.object({
  hash: z.string(),
  attrs: z.record(z.string(), z.string()),
  verified: z.boolean().optional(),
})

/** One line of JSON, then the plaintext as it is. */
function pack(received: Received): Buffer {
  const { hash, attrs, verified } = received
  const head: z.infer<typeof Head> = { hash, attrs, verified }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), received.plaintext])
}

function unpack(packed: Buffer): Received {
  const end = packed.indexOf("\n")
  const head = Head.parse(JSON.parse(packed.subarray(0, end).toString()))
  return { ...head, plaintext: packed.subarray(end + 1) }
}

function piecesOf(packed: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; at += pieceBytes) pieces.push(packed.subarray(at, at + pieceBytes))
  return pieces
}

/** From rows in the order of their keys. */
function entriesOf(rows: Stored[]): Entry[] {
  const byFirst = Map.groupBy(rows, (row) => row.sk.split("#", 2).join("#"))
  return [...byFirst.values()].map((pieces) => ({
    received: unpack(Buffer.concat(pieces.map((piece) => piece.secret))),
    rows: pieces.map((piece) => piece.sk),
  }))
}
