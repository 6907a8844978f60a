import { randomInt } from "node:crypto"
import { pack, type Store, unpack } from "./store.ts"

/** Items with an id, each a row of a table of its own: all in memory, and written as they are saved. */
export function openCollection<Item extends { id: string }>(store: Store, table: "groups" | "newsletters") {
  store.db.exec(`CREATE TABLE IF NOT EXISTS ${table} (id TEXT PRIMARY KEY, data BLOB NOT NULL)`)
  const insert = store.db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`)
  const drop = store.db.prepare(`DELETE FROM ${table} WHERE id = ?`)
  const rows = store.db.prepare(`SELECT data FROM ${table}`).all()
  const items = new Map(rows.map((row) => unpack(row.data) as Item).map((item) => [item.id, item]))
  return {
    get: (id: string) => items.get(id),
    list: () => [...items.values()],
    save: (item: Item): void => {
      items.set(item.id, item)
      insert.run(item.id, pack(item))
    },
    remove: (id: string): void => {
      items.delete(id)
      drop.run(id)
    },
  }
}

/** The digits of a new group's or newsletter's address. */
export function newItemId(): string {
  return `120363${String(randomInt(10 ** 12)).padStart(12, "0")}`
}
