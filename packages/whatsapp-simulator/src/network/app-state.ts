import { pack, type Store, unpack } from "../storage/store.ts"

/** The state of a collection at one version, as a phone made it; its bytes are a SyncdSnapshot. */
export interface Snapshot {
  version: number
  bytes: Uint8Array
}

/** Encrypted settings an account's devices share: by collection, patches in order. */
export type AppState = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS app_state_patches (
      pn TEXT, collection TEXT, version INTEGER, patch BLOB NOT NULL, PRIMARY KEY (pn, collection, version)
    );
    CREATE TABLE IF NOT EXISTS app_state_snapshots (
      pn TEXT, collection TEXT, data BLOB NOT NULL, PRIMARY KEY (pn, collection)
    )
  `)
  const last = store.db.prepare(
    "SELECT max(version) AS v FROM app_state_patches WHERE pn = ? AND collection = ?",
  )
  const insert = store.db.prepare("INSERT INTO app_state_patches VALUES (?, ?, ?, ?)")
  const select = store.db.prepare(
    "SELECT version, patch FROM app_state_patches WHERE pn = ? AND collection = ? AND version > ? ORDER BY version LIMIT ?",
  )
  const saveSnapshot = store.db.prepare("INSERT OR REPLACE INTO app_state_snapshots VALUES (?, ?, ?)")
  const getSnapshot = store.db.prepare("SELECT data FROM app_state_snapshots WHERE pn = ? AND collection = ?")

  return {
    /** 0 when there is nothing yet. */
    version: (pn: string, collection: string) => Number(last.get(pn, collection)?.v ?? 0),
    add: (pn: string, collection: string, version: number, patch: Buffer) =>
      insert.run(pn, collection, version, patch),
    after: (pn: string, collection: string, version: number, limit: number) =>
      select.all(pn, collection, version, limit).map((row) => ({
        version: Number(row.version),
        patch: Buffer.from(row.patch as Uint8Array),
      })),
    keepSnapshot: (pn: string, collection: string, snapshot: Snapshot) =>
      saveSnapshot.run(pn, collection, pack(snapshot)),
    snapshot(pn: string, collection: string): Snapshot | undefined {
      const row = getSnapshot.get(pn, collection)
      return row && (unpack(row.data) as Snapshot)
    },
  }
}
