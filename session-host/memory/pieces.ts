import { createHash } from "node:crypto"
import { z } from "zod"
import type { SessionStore, SessionWrite, Stored } from "./rows.ts"

/**
 * A longer value is kept in pieces of this length, since each change writes a whole row, and a row holds at
 * most 400 KB.
 */
const longest = 25_000

const Head = z.object({ pieces: z.number().int().optional() })

/**
 * Values that grow with an account, in rows of bounded size. A piece is named after its content and never
 * changes, so appending to a value writes only its last pieces. The value's own row names its pieces. That
 * row is written after the new pieces and before the old ones are removed, so it always names existing
 * pieces, however many transactions the change takes.
 */
export class Pieces {
  readonly #store: SessionStore
  readonly #prefix: string

  /** @param prefix of the login's Signal keys. */
  constructor(store: SessionStore, prefix: string) {
    this.#store = store
    this.#prefix = `${prefix}piece#`
  }

  /** The whole value of a row; undefined where a piece is missing. @throws SessionEnded */
  async whole(stored: Stored): Promise<string | undefined> {
    const names = namesIn(stored)
    if (!names) return stored.secret.toString()
    const rows = await this.#store.getAll(names.map((name) => this.#prefix + name))
    const found = new Map(rows.map(({ sk, secret }) => [sk, secret]))
    const pieces = names.flatMap((name) => found.get(this.#prefix + name) ?? [])
    return pieces.length === names.length ? Buffer.concat(pieces).toString() : undefined
  }

  /**
   * The writes that change a row's value; `null` removes it. The stored value must not change before these
   * writes are made.
   * @throws SessionEnded
   */
  async changes(sk: string, value: string | null): Promise<SessionWrite[]> {
    const before = await this.#store.get(sk)
    const old = new Set(before && namesIn(before))
    const cut = value !== null && value.length > longest ? piecesOf(value) : []
    const named = cut.map((piece) => ({ name: nameOf(sk, piece), piece }))
    const names = new Set(named.map(({ name }) => name))
    const added = named.filter(({ name }) => !old.has(name))
    return [
      ...added.map(({ name, piece }) => this.#store.put(this.#prefix + name, piece)),
      this.#head(
        sk,
        value,
        named.map(({ name }) => name),
      ),
      ...[...old]
        .filter((name) => !names.has(name))
        .map((name) => this.#store.remove(this.#prefix + name, longest)),
    ]
  }

  #head(sk: string, value: string | null, names: string[]): SessionWrite {
    if (value === null) return this.#store.remove(sk)
    return names.length === 0
      ? this.#store.put(sk, value)
      : this.#store.put(sk, names.join("\n"), { pieces: names.length })
  }
}

/** The size that removing a row adds to a transaction, judged by its key. */
export function removalBytes(sk: string): number {
  return sk.includes("#piece#") ? longest : 0
}

function namesIn({ row, secret }: Stored): string[] | undefined {
  return Head.parse(row).pieces === undefined ? undefined : secret.toString().split("\n")
}

function piecesOf(value: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < value.length; at += longest) pieces.push(value.slice(at, at + longest))
  return pieces
}

function nameOf(sk: string, piece: string): string {
  return createHash("sha256").update(`${sk}\n${piece}`).digest("base64url").slice(0, 22)
}
