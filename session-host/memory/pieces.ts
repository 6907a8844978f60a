import { createHash } from "node:crypto"
import { z } from "zod"
import type { SessionStore, SessionWrite, Stored } from "./store.ts"

/** What is longer is kept in pieces of this length: a row is written whole for each change, and holds 400 KB at most. */
const longest = 25_000

const Head = z.object({ pieces: z.number().int().optional() })

/**
 * Values that grow with an account, in rows that do not. A piece is named by what is in it, and never changes, so a value
 * that is added to has its last pieces written alone. The row of the value names its pieces. It is written after them and before those are removed that it named, so it always names
 * what is there, however many transactions that takes.
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
   * The writes that change the value of a row; `null` removes it. What they are made of must not change before they are
   * made.
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

/** What a row counts for in a transaction that removes it, by its key. */
export function bytesOf(sk: string): number {
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
