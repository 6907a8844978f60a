import type { DatabaseSync, StatementSync } from "node:sqlite"

/** A statement and its values. */
export type Step = [sql: string, ...values: (string | number | null)[]]

/** The settings of every connection to the store's file, on each thread. */
export const pragmas =
  "PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16000000"

/**
 * Runs all steps in one transaction. On a full disk it goes on in the room that the store has already: it
 * moves what the log holds into the file, and begins the log anew.
 * @throws SQLite's error, after which nothing of the transaction is there
 */
export function newCommitter(db: DatabaseSync): (steps: Step[]) => void {
  const apply = newApply(db)
  return (steps) => {
    try {
      apply(steps)
    } catch (error) {
      if (!isDiskFull(error)) throw error
      db.exec("PRAGMA wal_checkpoint(PASSIVE)")
      apply(steps)
    }
  }
}

/**
 * SQLite's numbers: the disk, or the room for all pages, is full; there is no room for the memory that
 * readers share.
 */
const full = 13
const noSharedMemory = 4874

/** Whether there was no room: then nothing is wrong with the store, and the same steps may succeed later. */
export function isDiskFull(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number }
  return (errcode & 0xff) === full || errcode === noSharedMemory
}

function newApply(db: DatabaseSync): (steps: Step[]) => void {
  const statements = new Map<string, StatementSync>()
  const prepared = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  return (steps) => {
    db.exec("BEGIN IMMEDIATE")
    try {
      for (const [sql, ...values] of steps)
        if (values.length > 0) prepared(sql).run(...values)
        else db.exec(sql)
      db.exec("COMMIT")
    } finally {
      // After some errors SQLite has rolled back by itself, after others not.
      if (db.isTransaction) db.exec("ROLLBACK")
    }
  }
}
