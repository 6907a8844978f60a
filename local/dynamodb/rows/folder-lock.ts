import { mkdirSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { CannotStart } from "../../service/settings.ts"

/**
 * File systems over a network, by the numbers that `statfs` gives. Locks do not hold there, and SQLite's log needs
 * shared memory.
 */
const overNetwork = new Map([
  [0x69_69, "NFS"],
  [0x51_7b, "SMB"],
  [0xff_53_4d_42, "CIFS"],
  [0xfe_53_4d_42, "SMB"],
  [0x01_02_19_97, "9P"],
  [0x00_c3_64_00, "Ceph"],
])

/** The network over which a folder's file system is; undefined where it is this machine's own. */
export function networkFileSystemOf(folder: string): string | undefined {
  return overNetwork.get(statfsSync(folder).type)
}

/**
 * Holds the folder, which is made if it is missing.
 * @returns a function that lets it go; the end of this process does so as well
 * @throws CannotStart
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, "store.lock")
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const network = networkFileSystemOf(folder)
    if (network)
      throw new CannotStart(
        `${folder} is on a network file system (${network}), whose locks do not hold: choose a local folder with DATA_DIR=...`,
      )
    // SQLite's lock is the only one that Node has. Nothing is ever stored in this file.
    const held = new DatabaseSync(path)
    held.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return () => held.close()
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const isTaken = (error as { errcode?: number }).errcode === busy
    if (isTaken) throw new CannotStart(`${folder} is in use by another process`, { cause: error })
    throw unwritable(folder, error as Error)
  }
}
const busy = 5

/** The refusal of a folder that cannot be written to. */
export function unwritable(folder: string, cause: Error): CannotStart {
  return new CannotStart(`${folder} cannot be written to: ${cause.message}`, { cause })
}
