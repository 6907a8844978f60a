import type { Store } from "../storage/store.ts"
import { type Address, key } from "../network/directory.ts"

export interface PreKey {
  id: number
  value: Buffer
}

/** The one-time prekeys devices have left with the network, each handed out once. */
export type PreKeys = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS prekeys (device TEXT, id INTEGER, value BLOB NOT NULL, PRIMARY KEY (device, id))
  `)
  const insert = store.db.prepare("INSERT OR REPLACE INTO prekeys VALUES (?, ?, ?)")
  const count = store.db.prepare("SELECT count(*) AS n FROM prekeys WHERE device = ?")
  const all = store.db.prepare("SELECT id, value FROM prekeys WHERE device = ? ORDER BY id")
  const take = store.db.prepare(
    "DELETE FROM prekeys WHERE device = ? AND id = (SELECT min(id) FROM prekeys WHERE device = ?) RETURNING id, value",
  )
  const clear = store.db.prepare("DELETE FROM prekeys WHERE device = ?")

  return {
    add: (address: Address, keys: PreKey[]) =>
      store.atomically(() => {
        for (const one of keys) insert.run(key(address), one.id, one.value)
      }),
    count: (address: Address) => Number(count.get(key(address))?.n),
    /** Those that are left. */
    all: (address: Address): PreKey[] => all.all(key(address)).map(fromRow),
    /** The next one, gone with this; undefined when none is left. */
    take(address: Address): PreKey | undefined {
      const row = take.get(key(address), key(address))
      return row && fromRow(row)
    },
    clear: (address: Address) => clear.run(key(address)),
  }
}

function fromRow(row: Record<string, unknown>): PreKey {
  return { id: Number(row.id), value: Buffer.from(row.value as Uint8Array) } // as they were inserted
}
