import type { DatabaseSync, StatementSync } from "node:sqlite"

/** A statement and its values. */
export type Step = [sql: string, ...values: (string | number | null)[]]

/** What a connection to the store's file is set to, whichever thread it belongs to. */
export const settings =
  "PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16000000"

/** Runs all steps in one transaction. @throws SQLite's error, after which nothing of it is there */
export function newCommit(db: DatabaseSync): (steps: Step[]) => void {
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
      // SQLite has rolled back by itself after some errors, not after all.
      if (db.isTransaction) db.exec("ROLLBACK")
    }
  }
}
