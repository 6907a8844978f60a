import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { deserialize, serialize } from "node:v8"

/** Where the network keeps what must outlive its process: one SQLite file, or memory. */
export interface Store {
  db: DatabaseSync
  /** A folder for large files; undefined if all is in memory. */
  files: string | undefined
  /** Runs `work`, all of whose writes are kept or none; nests. `work` must not await. */
  atomically<T>(work: () => T): T
  close(): void
}

/**
 * Opens the file in this directory, making both when missing; without a directory, memory.
 * A killed process loses nothing that was written; a power cut may lose the last moments. Throws
 * when another process has it open.
 */
export function open(dataDir?: string): Store {
  const files = dataDir && join(dataDir, "files")
  if (files) mkdirSync(files, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(dataDir ? join(dataDir, "simulator.sqlite") : ":memory:")
  // Exclusive: a second process on the same directory would hand out what the first has handed out.
  db.exec(
    "PRAGMA busy_timeout = 2000; PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF",
  )
  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  let depth = 0
  return {
    db,
    files,
    atomically(work) {
      if (depth > 0) return work()
      begin.run()
      depth++
      try {
        const result = work()
        commit.run()
        return result
      } catch (error) {
        // SQLite has rolled back by itself after some errors, such as a full disk.
        if (db.isTransaction) db.exec("ROLLBACK")
        throw error
      } finally {
        depth--
      }
    },
    close: () => db.close(),
  }
}

/** A value as it is kept in a column: buffers stay buffers. */
export function pack(value: unknown): Buffer {
  return serialize(value)
}

/** The value that `pack` was given. Only we write these columns, so callers say which type it has. */
export function unpack(column: unknown): unknown {
  return deserialize(column as Uint8Array)
}

/** A value made once for the life of the directory, such as the root key. */
export function once<T>(store: Store, name: string, make: () => T): T {
  store.db.exec("CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value BLOB NOT NULL)")
  const row = store.db.prepare("SELECT value FROM settings WHERE name = ?").get(name)
  if (row) return unpack(row.value) as T
  const value = make()
  store.db.prepare("INSERT INTO settings VALUES (?, ?)").run(name, pack(value))
  return value
}
