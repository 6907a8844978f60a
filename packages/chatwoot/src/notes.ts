import { DatabaseSync } from "node:sqlite"
import type { CursorStore } from "../../sdk-typescript/src/index.ts"

/** Which message at Chatwoot is which on WhatsApp. */
export interface Pair {
  conversation: number
  /** Chatwoot's number of the message. */
  id: number
  /** A message of Chatwoot with several files becomes several on WhatsApp. */
  part: number
  /** The id of WhatsApp; `""`: nothing was sent. */
  whatsapp: string
  /** Who wrote it: the other person, the phone or another program, an agent of Chatwoot. */
  by: "person" | "elsewhere" | "agent"
  /** It was deleted, on either side. */
  gone: number
  /** How often sending it has failed for good. */
  failed: number
  /** When it was noted, Unix seconds. */
  at: number
}

type NewPair = Omit<Pair, "gone" | "at" | "failed"> & { failed?: number }

const tables = `
  PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS lines (
    ref TEXT PRIMARY KEY, inbox INTEGER NOT NULL, since REAL NOT NULL, looked REAL NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS cursors (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS chats (
    ref TEXT, chat TEXT, contact INTEGER NOT NULL, conversation INTEGER NOT NULL, PRIMARY KEY (ref, chat)) STRICT;
  CREATE INDEX IF NOT EXISTS by_conversation ON chats (ref, conversation);
  CREATE TABLE IF NOT EXISTS pairs (
    conversation INTEGER, id INTEGER, part INTEGER, whatsapp TEXT NOT NULL, by TEXT NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (conversation, id, part)) STRICT;
  CREATE INDEX IF NOT EXISTS by_whatsapp ON pairs (conversation, whatsapp);
  CREATE TABLE IF NOT EXISTS attempts (
    ref TEXT, source TEXT, at REAL NOT NULL, id INTEGER, PRIMARY KEY (ref, source)) STRICT;
  INSERT OR REPLACE INTO cursors VALUES ('opened', '');`

type Value = string | number

/**
 * What one program remembers, in a file of SQLite that it alone may have open. Every note is on the disk
 * before the next step is taken.
 */
export class Notes {
  readonly #db: DatabaseSync
  readonly cursors: CursorStore

  /** @throws Error if another process has the file open */
  constructor(file: string) {
    this.#db = new DatabaseSync(file)
    this.#db.exec(tables)
    this.cursors = {
      get: async (name) =>
        this.#all<{ value: string }>("SELECT value FROM cursors WHERE name = ?", name)[0]?.value,
      set: async (name, value) => this.#run("INSERT OR REPLACE INTO cursors VALUES (?, ?)", name, value),
    }
  }

  #all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#db.prepare(sql).all(...values) as Row[]
  }

  #run(sql: string, ...values: Value[]): void {
    this.#db.prepare(sql).run(...values)
  }

  close(): void {
    this.#db.close()
  }

  line(ref: string) {
    const sql = "SELECT inbox, since, looked FROM lines WHERE ref = ?"
    return this.#all<{ inbox: number; since: number; looked: number }>(sql, ref)[0]
  }

  /** From this time on, Unix seconds, messages of Chatwoot are for WhatsApp. */
  begin(ref: string, inbox: number, since: number): void {
    this.#run("INSERT OR REPLACE INTO lines VALUES (?, ?, ?, ?)", ref, inbox, since, since)
  }

  looked(ref: string, at: number): void {
    this.#run("UPDATE lines SET looked = ? WHERE ref = ?", at, ref)
  }

  chat(ref: string, chat: string) {
    const sql = "SELECT contact, conversation FROM chats WHERE ref = ? AND chat = ?"
    return this.#all<{ contact: number; conversation: number }>(sql, ref, chat)[0]
  }

  /** By its number, where that is known. */
  chatOf(ref: string, conversation: number): string | undefined {
    const sql = "SELECT chat FROM chats WHERE ref = ? AND conversation = ? ORDER BY chat LIKE '%@lid'"
    return this.#all<{ chat: string }>(sql, ref, conversation)[0]?.chat
  }

  place(ref: string, chat: string, contact: number, conversation: number): void {
    this.#run("INSERT OR REPLACE INTO chats VALUES (?, ?, ?, ?)", ref, chat, contact, conversation)
  }

  forgetConversation(ref: string, conversation: number): void {
    this.#run("DELETE FROM chats WHERE ref = ? AND conversation = ?", ref, conversation)
  }

  pairsOf(conversation: number, id: number): Pair[] {
    return this.#all("SELECT * FROM pairs WHERE conversation = ? AND id = ? ORDER BY part", conversation, id)
  }

  pairOf(conversation: number, whatsapp: string): Pair | undefined {
    return this.#all<Pair>(
      "SELECT * FROM pairs WHERE conversation = ? AND whatsapp = ?",
      conversation,
      whatsapp,
    )[0]
  }

  pair({ conversation, id, part, whatsapp, by, failed = 0 }: NewPair): void {
    const sql = `INSERT OR REPLACE INTO pairs (conversation, id, part, whatsapp, by, failed, at)
      VALUES (?, ?, ?, ?, ?, ?, unixepoch())`
    this.#run(sql, conversation, id, part, whatsapp, by, failed)
  }

  unpair(conversation: number, id: number, part: number): void {
    this.#run("DELETE FROM pairs WHERE conversation = ? AND id = ? AND part = ?", conversation, id, part)
  }

  isGone({ conversation, id }: Pick<Pair, "conversation" | "id">): void {
    this.#run("UPDATE pairs SET gone = 1 WHERE conversation = ? AND id = ?", conversation, id)
  }

  /**
   * Of a conversation: its last message that is known, the last one that was made, and the first of the last
   * two days; 0 without one.
   */
  known(conversation: number): { last: number; made: number; recent: number } {
    const sql = `SELECT coalesce(max(id), 0) AS last, coalesce(max(id) FILTER (WHERE by <> 'agent'), 0) AS made,
      coalesce(min(id) FILTER (WHERE at > unixepoch() - 172800), 0) AS recent FROM pairs WHERE conversation = ?`
    return this.#all<{ last: number; made: number; recent: number }>(sql, conversation)[0]!
  }

  /** A message that is to be made: when that was last tried, Unix ms, and its number once it is known. */
  attempt(ref: string, source: string) {
    const sql = "SELECT at, id FROM attempts WHERE ref = ? AND source = ?"
    return this.#all<{ at: number; id: number | null }>(sql, ref, source)[0]
  }

  try(ref: string, source: string, at: number): void {
    this.#run("INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, NULL)", ref, source, at)
  }

  /** The attempt was refused: it has done nothing. */
  untry(ref: string, source: string): void {
    this.#run("DELETE FROM attempts WHERE ref = ? AND source = ?", ref, source)
  }

  /** It is there. Attempts that were made well before are forgotten: their events do not come again. */
  made(ref: string, source: string, pair: NewPair): void {
    this.#db.exec("BEGIN")
    this.#run("UPDATE attempts SET id = ? WHERE ref = ? AND source = ?", pair.id, ref, source)
    const old = Date.now() - 3_600_000
    this.#run(
      "DELETE FROM attempts WHERE ref = ? AND id IS NOT NULL AND at < ? AND source <> ?",
      ref,
      old,
      source,
    )
    this.pair(pair)
    this.#db.exec("COMMIT")
  }
}
