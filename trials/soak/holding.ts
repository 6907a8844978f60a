import { readdirSync, type Stats, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Side } from "../bench/sides/side.ts"
import { memoryOf } from "../bench/usage.ts"

/** What the service holds at a moment. */
export interface Holding {
  /** Resident memory of the gateway, which has the store, in MB. */
  gatewayMb: number
  /** The same of all its processes, without the simulated network. */
  allMb: number
  /** Bytes of its files, and how many files these are. */
  diskBytes: number
  files: number
  /** Items in the store, each counted once however many indexes it is in. */
  rows: number
}

/** @param dataDir the folder of its data, without what is loaded faster from it (`compiled`) */
export async function holdingOf(side: Side, dataDir: string): Promise<Holding> {
  const processes = await side.processes()
  const gateway = processes.filter(({ role }) => role === "gateway")
  const files = filesIn(dataDir)
  return {
    gatewayMb: memoryOf(gateway).rss,
    allMb: memoryOf(processes).rss,
    diskBytes: files.reduce((sum, { size }) => sum + size, 0),
    files: files.length,
    rows: rowsIn(join(dataDir, "store.sqlite")),
  }
}

function filesIn(folder: string): Stats[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === "compiled" ? [] : filesIn(path)
    // Files come and go meanwhile.
    return statSync(path, { throwIfNoEntry: false }) ?? []
  })
}

function rowsIn(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'table %'")
      .all()
    const counts = tables.map(({ name }) =>
      db.prepare(`SELECT count(*) AS rows FROM "${String(name)}"`).get(),
    )
    return counts.reduce((sum, found) => sum + Number(found?.rows), 0)
  } finally {
    db.close()
  }
}
