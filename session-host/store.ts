import { z } from "zod"
import { open, seal } from "#core/seal.ts"
import { Bytes, get as getRow, query, type Row, type Write } from "#core/store.ts"
import { sessions } from "#core/tables.ts"
import type { Patience } from "./memory/patience.ts"

/** A row of a session: what may be read by anyone who reads the table, and what may not. */
export interface Stored {
  sk: string
  row: Row
  secret: Buffer
}

/** A write with the bytes that it counts for in a transaction, where they cannot be seen in it: those of a removed row. */
export type Sized = Write & { bytes?: number }

/** The rows of one bridge in the Sessions table. Private values are sealed under the bridge's session key. */
export class SessionStore {
  readonly #pk: string
  readonly #key: Uint8Array
  readonly #patience: Patience

  constructor(input: { bridgeId: string; sessionKey: Uint8Array; patience: Patience }) {
    this.#pk = `BRIDGE#${input.bridgeId}`
    this.#key = input.sessionKey
    this.#patience = input.patience
  }

  put(sk: string, secret: string | Uint8Array, row: Row = {}): Write {
    const key = { pk: this.#pk, sk }
    return { Put: { TableName: sessions, Item: { ...row, ...key, sealed: seal(this.#key, key, secret) } } }
  }

  /** `bytes`: of the row that is removed, where it may be large. */
  remove(sk: string, bytes = 0): Sized {
    return { Delete: { TableName: sessions, Key: { pk: this.#pk, sk } }, bytes }
  }

  /** @throws SessionEnded */
  async get(sk: string): Promise<Stored | undefined> {
    const row = await this.#patience.read(() => getRow(sessions, { pk: this.#pk, sk }))
    return row && this.#opened(row)
  }

  /** All rows whose key begins so, in order. @throws SessionEnded */
  async list(prefix: string): Promise<Stored[]> {
    const rows = await this.#patience.read(() => Array.fromAsync(query(beginning(this.#pk, prefix))))
    return rows.map((row) => this.#opened(row))
  }

  /** So many of them, in order, after the one that has this after the beginning. @throws SessionEnded */
  async page(
    prefix: string,
    page: { after?: string | undefined; limit?: number | undefined },
  ): Promise<Stored[]> {
    const input = {
      ...beginning(this.#pk, prefix),
      KeyConditionExpression: "pk = :bridge AND sk > :after",
      ExpressionAttributeValues: { ":bridge": this.#pk, ":after": prefix + (page.after ?? "") },
      ...(page.limit && { Limit: page.limit }),
    }
    const rows = await this.#patience.read(() => first(page.limit, prefix, query(input)))
    return rows.map((row) => this.#opened(row))
  }

  /** The keys of those rows, without what they hold. @throws SessionEnded */
  async names(prefix: string): Promise<string[]> {
    const only = { ...beginning(this.#pk, prefix), ProjectionExpression: "sk" }
    const rows = await this.#patience.read(() => Array.fromAsync(query(only)))
    return rows.map((row) => String(row.sk))
  }

  #opened(row: Row): Stored {
    const { sk, sealed } = z.object({ sk: z.string(), sealed: Bytes }).parse(row)
    return { sk, row, secret: open(this.#key, { pk: this.#pk, sk }, sealed) }
  }
}

function beginning(pk: string, prefix: string) {
  return {
    TableName: sessions,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :bridge AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":bridge": pk, ":prefix": prefix },
  }
}

/** So many of those that begin so, which come first. */
async function first(limit: number | undefined, prefix: string, rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of rows) {
    if (!String(row.sk).startsWith(prefix)) break
    found.push(row)
    if (found.length === limit) break
  }
  return found
}
