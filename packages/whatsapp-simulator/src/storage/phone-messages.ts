import type { Store } from "./store.ts"

/** Where all phones' messages are kept. */
export type Archive = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS inbox (
      n INTEGER PRIMARY KEY AUTOINCREMENT, pn TEXT, chat TEXT, sender TEXT, id TEXT, times INTEGER, data BLOB NOT NULL,
      UNIQUE (pn, chat, sender, id)
    );
    CREATE INDEX IF NOT EXISTS inbox_by_phone ON inbox (pn, n)
  `)
  return {
    insert: store.db.prepare(`
      INSERT INTO inbox (pn, chat, sender, id, times, data) VALUES (?, ?, ?, ?, 1, ?)
      ON CONFLICT (pn, chat, sender, id) DO UPDATE SET times = times + 1
    `),
    select: store.db.prepare("SELECT n, times, data FROM inbox WHERE pn = ? AND n > ? ORDER BY n"),
    selectOne: store.db.prepare(
      "SELECT n, times, data FROM inbox WHERE pn = ? AND chat = ? AND id = ? ORDER BY n DESC LIMIT 1",
    ),
    selectChat: store.db.prepare("SELECT n, times, data FROM inbox WHERE pn = ? AND chat = ?"),
    remove: store.db.prepare("DELETE FROM inbox WHERE n = ?"),
    selectLast: store.db.prepare("SELECT max(n) AS n FROM inbox WHERE pn = ?"),
    selectChats: store.db.prepare("SELECT DISTINCT chat FROM inbox WHERE pn = ?"),
  }
}
