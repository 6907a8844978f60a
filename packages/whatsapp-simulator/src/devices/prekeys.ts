import { type DeviceAddress, deviceName } from "../network/directory.ts"
import type { Store } from "../storage/store.ts"

export interface PreKey {
  id: number
  value: Buffer
}

/** The one-time prekeys devices have left with the network, each handed out once. */
export type PreKeys = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS prekeys (device TEXT, id INTEGER, value BLOB NOT NULL, PRIMARY KEY (device, id));
    CREATE TABLE IF NOT EXISTS used_prekeys (device TEXT, id INTEGER, value BLOB NOT NULL, PRIMARY KEY (device, id))
  `)
  const insert = store.db.prepare("INSERT OR REPLACE INTO prekeys VALUES (?, ?, ?)")
  const count = store.db.prepare("SELECT count(*) AS n FROM prekeys WHERE device = ?")
  const all = store.db.prepare("SELECT id, value FROM prekeys WHERE device = ? ORDER BY id")
  const take = store.db.prepare(
    "DELETE FROM prekeys WHERE device = ? AND id = (SELECT min(id) FROM prekeys WHERE device = ?) RETURNING id, value",
  )
  const use = store.db.prepare("INSERT OR REPLACE INTO used_prekeys VALUES (?, ?, ?)")
  const same = store.db.prepare(
    `SELECT value = :value AS same FROM prekeys WHERE device = :device AND id = :id
     UNION ALL SELECT value = :value FROM used_prekeys WHERE device = :device AND id = :id`,
  )
  const clear = ["prekeys", "used_prekeys"].map((table) =>
    store.db.prepare(`DELETE FROM ${table} WHERE device = ?`),
  )
  /** Whether another prekey had this number before. */
  const isOther = (address: DeviceAddress, { id, value }: PreKey) =>
    same.all({ device: deviceName(address), id, value }).some((row) => row.same === 0)

  return {
    /** @returns the numbers under which the device had left or given other keys before. */
    add: (address: DeviceAddress, keys: PreKey[]): number[] =>
      store.atomically(() => {
        const others = keys.filter((one) => isOther(address, one))
        for (const one of keys) insert.run(deviceName(address), one.id, one.value)
        return others.map(({ id }) => id)
      }),
    /**
     * Notes that the device has given a prekey to a peer by itself. @returns whether another prekey had this
     * number before
     */
    given(address: DeviceAddress, one: PreKey): boolean {
      const other = isOther(address, one)
      use.run(deviceName(address), one.id, one.value)
      return other
    },
    count: (address: DeviceAddress) => Number(count.get(deviceName(address))?.n),
    /** Those that are left. */
    all: (address: DeviceAddress): PreKey[] => all.all(deviceName(address)).map(fromRow),
    /** Takes the next prekey, which is handed out only this once; undefined when none is left. */
    consume(address: DeviceAddress): PreKey | undefined {
      const row = take.get(deviceName(address), deviceName(address))
      if (row) use.run(deviceName(address), row.id!, row.value!)
      return row && fromRow(row)
    },
    clear: (address: DeviceAddress) => {
      for (const statement of clear) statement.run(deviceName(address))
    },
  }
}

function fromRow(row: Record<string, unknown>): PreKey {
  return { id: Number(row.id), value: Buffer.from(row.value as Uint8Array) } // as they were inserted
}
