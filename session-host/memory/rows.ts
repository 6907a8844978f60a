import { z } from "zod"
import { open, seal } from "#core/keys/seal.ts"
import { batchGet, Bytes, query, type Row, rowsBeginning, type Write } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { compress, Packing, decompress } from "./compress.ts"
import type { Patience } from "./patience.ts"

/** DynamoDB's limits: an item holds 409,600 bytes, attribute names included, and its sort key 1,024. */
const most = { bytes: 400_000, keyBytes: 1_024 }

/** How many rows are read at a time by `backwards`. */
const readAtOnce = 50
/** How many rows are read at a time by `eachHead`. */
const headsAtOnce = 1000

/**
 * A row of a session to be written. It is sealed only at commit, since many rows are replaced before that.
 */
export interface Put {
  sk: string
  /** The part that is sealed. */
  secret: string | Uint8Array
  /** The part that is readable in the table. */
  row: Row
}

/**
 * A row of a session to be removed. `bytes` is the size of a row that may be large: the size counts in a
 * transaction.
 */
export interface Removal {
  sk: string
  bytes: number
}

export type SessionWrite = Put | Removal

/** A row as it is read. */
export interface Stored {
  sk: string
  row: Row
  secret: Buffer
}

/**
 * The rows of one bridge in the sessions table. Rows that were made but are not durable yet are read like all
 * others. Private values are sealed under the bridge's session key.
 */
export class SessionStore {
  readonly #pk: string
  readonly #key: Uint8Array
  readonly #patience: Pick<Patience, "read">
  /** The last write of each row, by `sk`, and its unit, until that is durable. */
  readonly #unkept = new Map<string, { unit: number; write: SessionWrite }>()

  constructor(input: { bridgeId: string; sessionKey: Uint8Array; patience: Pick<Patience, "read"> }) {
    this.#pk = `BRIDGE#${input.bridgeId}`
    this.#key = input.sessionKey
    this.#patience = input.patience
  }

  put(sk: string, secret: string | Uint8Array, row: Row = {}): Put {
    return { sk, secret, row }
  }

  /** `bytes`: the size of the removed row, if it may be large. */
  remove(sk: string, bytes = 0): Removal {
    return { sk, bytes }
  }

  /** Checks that DynamoDB will take the rows. @throws RowTooLarge */
  mustFit(writes: Iterable<SessionWrite | Write>): void {
    for (const write of writes) {
      if (!("sk" in write)) continue
      if (!isKey(write.sk)) throw new RowTooLarge("the key of a row is too long")
      // A secret this short fits in any encoding (UTF-8 takes at most 3 bytes a character). Only longer ones
      // are packed here to learn their size.
      if (!("secret" in write) || write.secret.length * 3 < most.bytes) continue
      const bytes = Buffer.byteLength(compress(write.secret).bytes)
      if (bytes > most.bytes) throw new RowTooLarge(`a row of ${bytes} bytes`)
    }
  }

  /**
   * Seals a text that a caller keeps and gives back later, for this purpose at this bridge. The caller can
   * neither read nor change it.
   */
  sealed(purpose: string, text: string): string {
    return Buffer.from(seal(this.#key, { pk: this.#pk, sk: purpose }, text)).toString("base64url")
  }

  /**
   * The text that was sealed as `given`; undefined if `given` was made for another purpose, for another
   * bridge, or not by this service.
   */
  unsealed(purpose: string, given: string): string | undefined {
    try {
      return open(this.#key, { pk: this.#pk, sk: purpose }, Buffer.from(given, "base64url")).toString()
    } catch {
      // It was not sealed here for this purpose.
      return undefined
    }
  }

  /** The write in DynamoDB's form. */
  toWrite(write: SessionWrite): Write {
    const key = { pk: this.#pk, sk: write.sk }
    if (!("secret" in write)) return { Delete: { TableName: tables.sessions, Key: key } }
    const { bytes, packing } = compress(write.secret)
    const sealed = seal(this.#key, key, bytes)
    return {
      Put: {
        TableName: tables.sessions,
        Item: { ...write.row, ...key, sealed, ...(packing && { packing }) },
      },
    }
  }

  /** Records these writes as parts of this unit. Reads see them from now on. */
  made(unit: number, writes: Iterable<SessionWrite>): void {
    for (const write of writes) this.#unkept.set(write.sk, { unit, write })
  }

  /** Records that all units up to this one are durable, these writes among them. */
  kept(unit: number, writes: Iterable<SessionWrite>): void {
    for (const { sk } of writes) {
      const last = this.#unkept.get(sk)
      if (last && last.unit <= unit) this.#unkept.delete(sk)
    }
  }

  /** @throws SessionEnded */
  async get(sk: string): Promise<Stored | undefined> {
    const [found] = await this.getAll([sk])
    return found
  }

  /** The rows of these keys that exist, in the order of the keys. @throws SessionEnded */
  async getAll(sks: string[]): Promise<Stored[]> {
    const before = new Map(sks.flatMap((sk) => this.#entryOf(sk)))
    const missing = sks.filter((sk) => !before.has(sk) && isKey(sk))
    const keys = missing.map((sk) => ({ table: tables.sessions, key: { pk: this.#pk, sk } }))
    const rows = missing.length === 0 ? [] : await this.#patience.read(() => batchGet(keys))
    const read = new Map(rows.flatMap((row) => (row ? [[String(row.sk), row] as const] : [])))
    // Some of the rows may have been written meanwhile.
    return sks.flatMap((sk) => {
      const made = this.#unkept.get(sk) ?? before.get(sk)
      if (made) return this.#asRead(made.write)
      const row = read.get(sk)
      return row ? [this.#opened(row)] : []
    })
  }

  /** All rows whose key has this prefix, in order. @throws SessionEnded */
  async list(prefix: string): Promise<Stored[]> {
    return await this.#merged(
      prefix,
      () => Array.fromAsync(rowsBeginning(tables.sessions, this.#pk, prefix)),
      (row) => [this.#opened(row)],
    )
  }

  /**
   * A page of the rows whose key has this prefix, in order: at most `limit`, after the key prefix + `after`.
   * @throws SessionEnded
   */
  async page(
    prefix: string,
    page: { after?: string | undefined; limit?: number | undefined },
  ): Promise<Stored[]> {
    const after = prefix + (page.after ?? "")
    // Some of the rows read may have been removed by now.
    const limit = page.limit && page.limit + this.#unkept.size
    const input = {
      TableName: tables.sessions,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :bridge AND sk > :after",
      ExpressionAttributeValues: { ":bridge": this.#pk, ":after": after },
      ...(limit && { Limit: limit }),
    }
    const found = await this.#merged(
      prefix,
      () => first(limit, prefix, query(input)),
      (row) => [this.#opened(row)],
      after,
    )
    return page.limit === undefined ? found : found.slice(0, page.limit)
  }

  /**
   * The rows whose key is at least prefix + `from` and below prefix + `before`, from the last to the first.
   * Rows are read in batches, and no more of them than the caller takes.
   * @throws SessionEnded
   */
  async *backwards(
    prefix: string,
    { from, before }: { from: string; before: string },
  ): AsyncGenerator<Stored> {
    const bottom = prefix + from
    // DynamoDB refuses a range that ends before it begins.
    for (let below = prefix + before; bottom < below;) {
      const input = {
        TableName: tables.sessions,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :bridge AND sk BETWEEN :bottom AND :below",
        ExpressionAttributeValues: { ":bridge": this.#pk, ":bottom": bottom, ":below": below },
        ScanIndexForward: false,
        Limit: readAtOnce,
      }
      const made = this.#beginning(prefix)
      const read = await this.#patience.read(() => first(readAtOnce, prefix, query(input)))
      for (const [sk, write] of this.#beginning(prefix)) made.set(sk, write)
      const isLast = read.length < readAtOnce
      const lowest = isLast ? bottom : String(read.at(-1)?.sk)
      const ours = [...made.values()].filter(({ sk }) => sk >= lowest && sk < below)
      const others = read.filter(({ sk }) => String(sk) < below && !made.has(String(sk)))
      yield* [
        ...others.map((row) => this.#opened(row)),
        ...ours.flatMap((write) => this.#asRead(write)),
      ].toSorted((a, b) => (a.sk > b.sk ? -1 : 1))
      if (isLast) return
      below = lowest
    }
  }

  /** The keys of all rows with this prefix, without the rows' content. @throws SessionEnded */
  async names(prefix: string): Promise<string[]> {
    return (await this.heads(prefix, [])).map(({ sk }) => sk)
  }

  /** The keys of all rows with this prefix, with some of the readable attributes. @throws SessionEnded */
  async heads(prefix: string, attributes: string[]): Promise<Pick<Stored, "sk" | "row">[]> {
    const only = { ProjectionExpression: ["sk", ...attributes].join(", ") }
    return await this.#merged(
      prefix,
      () => Array.fromAsync(rowsBeginning(tables.sessions, this.#pk, prefix, only)),
      (row) => [{ sk: String(row.sk), row }],
    )
  }

  /**
   * Like `heads`, but in batches, since there may be very many rows. Rows that are not durable yet may be
   * missing.
   * @throws SessionEnded
   */
  async *eachHead(prefix: string, attributes: string[]): AsyncGenerator<Pick<Stored, "sk" | "row">> {
    for (let after = prefix; ;) {
      const input = {
        TableName: tables.sessions,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :bridge AND sk > :after",
        ExpressionAttributeValues: { ":bridge": this.#pk, ":after": after },
        ProjectionExpression: ["sk", ...attributes].join(", "),
        Limit: headsAtOnce,
      }
      const read = await this.#patience.read(() => first(headsAtOnce, prefix, query(input)))
      for (const row of read) yield { sk: String(row.sk), row }
      if (read.length < headsAtOnce) return
      after = String(read.at(-1)?.sk)
    }
  }

  /** The rows read, overlaid with writes made before or meanwhile. */
  async #merged<Found extends { sk: string }>(
    prefix: string,
    ask: () => Promise<Row[]>,
    found: (row: Row) => Found[],
    after = "",
  ): Promise<(Found | Stored)[]> {
    const before = this.#beginning(prefix)
    const rows = await this.#patience.read(ask)
    const made = new Map([...before, ...this.#beginning(prefix)])
    const others = rows.filter((row) => !made.has(String(row.sk))).flatMap(found)
    const ours = [...made.values()].filter(({ sk }) => sk > after).flatMap((write) => this.#asRead(write))
    if (ours.length === 0) return others
    return [...others, ...ours].toSorted((a, b) => (a.sk < b.sk ? -1 : 1))
  }

  #entryOf(sk: string): [string, { write: SessionWrite }][] {
    const made = this.#unkept.get(sk)
    return made ? [[sk, made]] : []
  }

  #beginning(prefix: string): Map<string, SessionWrite> {
    const found = new Map<string, SessionWrite>()
    for (const [sk, { write }] of this.#unkept) if (sk.startsWith(prefix)) found.set(sk, write)
    return found
  }

  #asRead(write: SessionWrite): Stored[] {
    return "secret" in write ? [{ sk: write.sk, row: write.row, secret: Buffer.from(write.secret) }] : []
  }

  #opened(row: Row): Stored {
    const { sk, sealed, packing } = Sealed.parse(row)
    return { sk, row, secret: decompress(open(this.#key, { pk: this.#pk, sk }, sealed), packing) }
  }
}

/** Whether a row can have this key. */
function isKey(sk: string): boolean {
  return Buffer.byteLength(sk) <= most.keyBytes
}

const Sealed = z.object({ sk: z.string(), sealed: Bytes, packing: z.literal(Packing).optional() })

/** The first rows with this prefix, at most `limit`. */
async function first(limit: number | undefined, prefix: string, rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of rows) {
    if (!String(row.sk).startsWith(prefix)) break
    found.push(row)
    if (found.length === limit) break
  }
  return found
}

/** A secret of two parts: a line of text, then bytes. */
export function joinSecret(line: string, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${line}\n`), bytes])
}

/** The parts of a secret that `joinSecret` made. */
export function splitSecret(secret: Buffer): { line: string; bytes: Buffer } {
  const end = secret.indexOf("\n")
  return { line: secret.subarray(0, end).toString(), bytes: secret.subarray(end + 1) }
}

/** A row that no table would take. Its unit was not made, and the session goes on. */
export class RowTooLarge extends Error {
  override name = "RowTooLarge"
}
