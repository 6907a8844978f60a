import { accessSync, closeSync, constants, existsSync, openSync, rmSync } from "node:fs"
import { extname, join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { CannotStart, MayPass } from "../cannot-start.ts"
import { newCommitter, pragmas, type Step } from "./commit.ts"
import { lockFolder, unwritable } from "./folder-lock.ts"
import { syncFolder } from "./sync-folder.ts"

/**
 * The format of the file and of its tables. A newer one is refused; so is an older one, as long as nothing
 * migrates it.
 */
const format = 2
/** Tells the file from others of SQLite's: "brdg". */
const applicationId = 0x62_72_64_67

/** An open store. Only `commit` writes. */
export interface SqliteFile {
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
export function openInMemory(): SqliteFile {
  const db = new DatabaseSync(":memory:")
  const commit = newCommitter(db)
  return { db, commit: async (steps) => commit(steps), close: async () => db.close() }
}

/**
 * The file in this folder, made if it is missing. `isLocked`: the caller holds the folder's lock.
 * @throws CannotStart
 */
export function openFile(folder: string, isLocked = false): SqliteFile {
  refuseUnusable(folder)
  const unlock = isLocked ? () => {} : lockFolder(folder)
  try {
    const db = opened(folder)
    rmSync(join(folder, restoringFolder), { recursive: true, force: true })
    const writer = startWriter(join(folder, storeFile))
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

/** Copies all pages at once: a copy in steps would begin anew after each write between two of them. */
const allPages = 2 ** 31 - 1

/**
 * Copies the store of a folder as it is at one moment, while the process that has it open goes on. The copy
 * is checked.
 * @throws CannotStart if there is none, or it is damaged
 */
export async function copyStore(folder: string, to: string): Promise<void> {
  const path = join(folder, storeFile)
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

/**
 * The folder in a data folder into which a backup is unpacked. Once everything is in its place, the store is
 * in the data folder itself.
 */
export const restoringFolder = "restoring"

/** Whether the folder holds a store. */
export const hasStore = (folder: string): boolean => existsSync(join(folder, storeFile))
export const storeFile = "store.sqlite"

/** Refuses a folder that this version cannot read or write, and writes nothing. @throws CannotStart */
export function refuseUnusable(folder: string): void {
  if (!existsSync(folder)) return
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw unwritable(folder, error as Error)
  }
  const path = join(folder, storeFile)
  if (existsSync(path))
    return inFile(path, (db) => {
      checkFormat(db, path)
      db.close()
    })
  if (existsSync(join(folder, restoringFolder)))
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
  const path = join(folder, storeFile)
  const isMissing = !existsSync(path)
  // The file is for its owner alone, and so are those that SQLite makes beside it.
  if (isMissing) closeSync(openSync(path, "a", 0o600))
  return inFile(path, (db) => {
    if (isEmpty(db)) db.exec(creation)
    db.exec(`PRAGMA journal_mode = WAL; ${pragmas}`)
    if (isMissing) syncFolder(folder)
    return db
  })
}

/** All of this is done or nothing: if the process ends meanwhile, the file is a store, or empty. */
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
    throw new MayPass(`${path} cannot be opened: ${(error as Error).message}`, { cause: error })
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

function startWriter(path: string) {
  const worker = new Worker(new URL(`./writer-thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: path,
  })
  let answer: PromiseWithResolvers<void> | undefined
  worker.on("message", (failed: { message: string; errcode?: number } | undefined) => {
    if (failed) answer?.reject(Object.assign(new Error(failed.message), { errcode: failed.errcode }))
    else answer?.resolve()
  })
  worker.on("error", (error) => answer?.reject(error))
  let isClosing = false
  worker.on("exit", () => {
    // Nothing would ever be committed again, and no caller would learn of it. So the process ends, and its
    // supervisor starts it anew.
    if (!isClosing) throw new Error("the thread that writes the store has ended")
  })
  return {
    commit: (steps: Step[]): Promise<void> => {
      answer = Promise.withResolvers()
      worker.postMessage(steps)
      return answer.promise
    },
    close: async () => {
      isClosing = true
      const ended = new Promise((resolve) => worker.once("exit", resolve))
      worker.postMessage("close")
      await ended
    },
  }
}
