import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
} from "node:fs"
import { join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { syncFolder } from "../../service/private-file.ts"
import { CannotStart } from "../../service/settings.ts"
import { newCommit, settings, type Step } from "./commit.ts"

/** The format of the file and of its tables: a newer one is refused, and an older one as long as nothing migrates it. */
const format = 2
/** Tells the file from others of SQLite's: "brdg". */
const applicationId = 0x62_72_64_67

/** An open store. Only `commit` writes. */
export interface File {
  /** For reading, on this thread. */
  db: DatabaseSync
  /**
   * Applies all steps or none, one list at a time. Resolves when they are on the disk itself.
   * @throws SQLite's error
   */
  commit: (steps: Step[]) => Promise<void>
  close: () => Promise<void>
}

/** In memory: nothing outlives this process, and nothing has to be waited for. */
export function openMemory(): File {
  const db = new DatabaseSync(":memory:")
  const commit = newCommit(db)
  return { db, commit: async (steps) => commit(steps), close: async () => db.close() }
}

/** The file in this folder, made if it is missing. @throws CannotStart */
export function openFile(folder: string): File {
  refuseUnusable(folder)
  const unlock = lock(folder)
  try {
    const db = opened(folder)
    rmSync(join(folder, restoring), { recursive: true, force: true })
    const writer = startWriter(join(folder, fileName))
    const close = async () => {
      await writer.close()
      db.close()
      unlock()
    }
    return { db, commit: writer.commit, close }
  } catch (error) {
    unlock()
    throw error
  }
}

/** All pages at once: a copy in steps would begin anew whenever somebody writes between two of them. */
const allPages = 2 ** 31 - 1

/**
 * Copies the store of a folder as it is at one moment, while whoever has it open goes on. The copy is checked.
 * @throws CannotStart if there is none, or it is damaged
 */
export async function copyStore(folder: string, to: string): Promise<void> {
  const path = join(folder, fileName)
  if (!existsSync(path)) throw new CannotStart(`${path} is missing: there is nothing to copy`)
  const from = inFile(path, (db) => {
    checkFormat(db, path)
    db.exec("PRAGMA busy_timeout = 10000")
    return db
  })
  try {
    closeSync(openSync(to, "wx", 0o600))
    await backup(from, to, { rate: allPages })
  } finally {
    from.close()
  }
  inFile(to, (db) => {
    const { quick_check: said } = db.prepare("PRAGMA quick_check(1)").get()!
    db.close()
    if (said !== "ok") throw new CannotStart(`${path} is damaged: ${String(said)}`)
  })
}

/** In a data folder: what a backup is unpacked into. Once all of it is in its place, the store is in the folder itself. */
export const restoring = "restoring"

/** Whether the folder holds a store. */
export const isThere = (folder: string): boolean => existsSync(join(folder, fileName))
export const fileName = "store.sqlite"

/** Refuses a folder that this version cannot read or write, and writes nothing. @throws CannotStart */
export function refuseUnusable(folder: string): void {
  if (!existsSync(folder)) return
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw unwritable(folder, error as Error)
  }
  const path = join(folder, fileName)
  if (existsSync(path))
    return inFile(path, (db) => {
      checkFormat(db, path)
      db.close()
    })
  if (existsSync(join(folder, restoring)))
    throw new CannotStart(
      `a backup is being restored into ${folder}, or that was interrupted: ` +
        "run `npm run admin -- backup restore` again",
    )
  if (existsSync(join(folder, "dynamodb")))
    throw new CannotStart(
      `${folder} holds the data of a former version, which this one cannot read: ` +
        "choose another folder with DATA_DIR=..., or remove that one",
    )
}

function opened(folder: string): DatabaseSync {
  const path = join(folder, fileName)
  const isMissing = !existsSync(path)
  // For its owner alone, and so are the files that SQLite makes beside it.
  if (isMissing) closeSync(openSync(path, "a", 0o600))
  return inFile(path, (db) => {
    if (isEmpty(db)) db.exec(creation)
    db.exec(`PRAGMA journal_mode = WAL; ${settings}`)
    if (isMissing) syncFolder(folder)
    return db
  })
}

/** All of it or nothing: whatever ends the process meanwhile, what it leaves is a store, or empty. */
const creation = `PRAGMA auto_vacuum = INCREMENTAL; BEGIN;
  PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format}; COMMIT`

/** @throws CannotStart what `work` says, or that the file cannot be opened */
function inFile<Result>(path: string, work: (db: DatabaseSync) => Result): Result {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path)
    return work(db)
  } catch (error) {
    db?.close()
    if (error instanceof CannotStart) throw error
    throw new CannotStart(`${path} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

function isEmpty(db: DatabaseSync): boolean {
  return valueOf(db, "page_count") === 0
}

function valueOf(db: DatabaseSync, pragma: string): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()![pragma])
}

function checkFormat(db: DatabaseSync, path: string): void {
  if (isEmpty(db)) return
  const found = valueOf(db, "user_version")
  if (valueOf(db, "application_id") !== applicationId)
    throw new CannotStart(`${path} is not a store of this service`)
  if (found !== format)
    throw new CannotStart(
      `${path} has format ${found}, and this version reads format ${format}: ` +
        (found > format
          ? "start the newer version that wrote it"
          : "choose another folder with DATA_DIR=..."),
    )
}

/** File systems over a network, by what `statfs` calls them: their locks do not hold, and SQLite's log needs memory that is shared. */
const overNetwork = new Map([
  [0x69_69, "NFS"],
  [0x51_7b, "SMB"],
  [0xff_53_4d_42, "CIFS"],
  [0xfe_53_4d_42, "SMB"],
  [0x01_02_19_97, "9P"],
  [0x00_c3_64_00, "Ceph"],
])

/** The network over which a folder's file system is; undefined where it is this machine's own. */
export function networkOf(folder: string): string | undefined {
  return overNetwork.get(statfsSync(folder).type)
}

/**
 * Holds the folder, which is made if it is missing, until it is undone or this process ends, however it ends.
 * @throws CannotStart
 */
export function lock(folder: string): () => void {
  const path = join(folder, "store.lock")
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const network = networkOf(folder)
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

function unwritable(folder: string, cause: Error): CannotStart {
  return new CannotStart(`${folder} cannot be written to: ${cause.message}`, { cause })
}

function startWriter(path: string) {
  const worker = new Worker(new URL("./writer-thread.ts", import.meta.url), { workerData: path })
  let answer: PromiseWithResolvers<void> | undefined
  worker.on("message", (failed: { message: string; errcode?: number } | undefined) => {
    if (failed) answer?.reject(Object.assign(new Error(failed.message), { errcode: failed.errcode }))
    else answer?.resolve()
  })
  worker.on("error", (error) => answer?.reject(error))
  return {
    commit: (steps: Step[]): Promise<void> => {
      answer = Promise.withResolvers()
      worker.postMessage(steps)
      return answer.promise
    },
    close: async () => {
      const ended = new Promise((resolve) => worker.once("exit", resolve))
      worker.postMessage("close")
      await ended
    },
  }
}
