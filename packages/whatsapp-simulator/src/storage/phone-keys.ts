import type { Store } from "./store.ts"

/** Where all phones' keys are kept. */
export type PhoneKeyStore = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS phone_keys (
      pn TEXT, kind TEXT, id TEXT, value BLOB NOT NULL, PRIMARY KEY (pn, kind, id)
    )
  `)
  return {
    store,
    select: store.db.prepare("SELECT value FROM phone_keys WHERE pn = ? AND kind = ? AND id = ?"),
    insert: store.db.prepare("INSERT OR REPLACE INTO phone_keys VALUES (?, ?, ?, ?)"),
    remove: store.db.prepare("DELETE FROM phone_keys WHERE pn = ? AND kind = ? AND id = ?"),
    removeAll: store.db.prepare("DELETE FROM phone_keys WHERE pn = ? AND kind = ?"),
  }
}
