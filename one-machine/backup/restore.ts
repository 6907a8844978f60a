import { existsSync } from "node:fs"
import { copyFile, type FileHandle, mkdir, open, readdir, rename, rm, statfs } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Account } from "#core/account/account.ts"
import { markRestored } from "#core/bridge/after-restore.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { useStoreWithoutHttp } from "#core/store/store.ts"
import { isDiskFull } from "#dynamodb-on-sqlite/rows/commit.ts"
import { lockFolder } from "#dynamodb-on-sqlite/rows/folder-lock.ts"
import { storeFile, hasStore, restoringFolder } from "#dynamodb-on-sqlite/rows/sqlite-file.ts"
import { syncFolder } from "#dynamodb-on-sqlite/rows/sync-folder.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { type BackupHeader, filesBesideStore, type Piece, readBackup } from "./backup.ts"
import { Unusable } from "./unusable.ts"

interface Input {
  dataDir: string
  /** The backup's file. */
  path: string
  passphrase: string
  /**
   * Whether the backup may take the place of what is in the folder, which is then kept in a folder of its own
   * there.
   */
  replaces?: boolean
}

export interface Restored {
  /** When the backup was made, Unix ms. */
  madeMs: number
  bridges: number
}

/**
 * Puts a backup into a data folder. Whatever ends it, the folder is as before, or refuses a start until this
 * is done again, or holds all of it: the store comes last.
 * @throws Unusable, CannotStart
 */
export async function restoreBackup({ dataDir, path, passphrase, replaces }: Input): Promise<Restored> {
  const unlock = lockFolder(dataDir)
  try {
    if (!replaces) refuseUsed(dataDir)
    return await readBackup(path, passphrase, async (about, pieces) => {
      await removeLeftovers(dataDir)
      await mustHaveRoom(dataDir, about)
      return await putBack(dataDir, about, pieces)
    })
  } catch (error) {
    if (isDiskFull(error) || (error as NodeJS.ErrnoException).code === "ENOSPC")
      throw new Unusable(`the disk of ${dataDir} became full: nothing was restored`, { cause: error })
    throw error
  } finally {
    unlock()
  }
}

async function putBack(
  dataDir: string,
  about: BackupHeader,
  pieces: AsyncIterable<Piece>,
): Promise<Restored> {
  const work = join(dataDir, restoringFolder)
  const isTakenUp = existsSync(work)
  await mkdir(work, { recursive: true, mode: 0o700 })
  let bridges = 0
  try {
    await unpack(about, pieces, work)
    bridges = await makeAllAnew(work, about.madeMs)
    // What SQLite has not moved into the store's file yet would be left behind.
    if (logOf(work).some((name) => existsSync(name))) throw new Error("the store was not closed")
    syncFolder(work)
    syncFolder(dataDir)
  } catch (error) {
    await (isTakenUp ? removeLeftovers(dataDir) : rm(work, { recursive: true, force: true }))
    throw error
  }
  await putAside(dataDir)
  await putInPlace(work, dataDir)
  return { madeMs: about.madeMs, bridges }
}

/** @throws Unusable if there is something that did not come from an interrupted restore */
function refuseUsed(dataDir: string): void {
  const isOurs = existsSync(join(dataDir, restoringFolder))
  const found = [storeFile, ...(isOurs ? [] : filesBesideStore)].find((name) =>
    existsSync(join(dataDir, name)),
  )
  if (found)
    throw new Unusable(
      `${join(dataDir, found)} is there already: restore into another folder (DATA_DIR), or say \`replace\` behind ` +
        "the file to have what is there put aside",
    )
}

/**
 * Removes what an interrupted restore has left. Without a store, the other files are from it as well. Its
 * folder stays: without that, a service would begin anew there.
 */
async function removeLeftovers(dataDir: string): Promise<void> {
  const work = join(dataDir, restoringFolder)
  if (!existsSync(work)) return
  if (!hasStore(dataDir)) for (const name of filesBesideStore) await rm(join(dataDir, name), { force: true })
  for (const name of await readdir(work)) await rm(join(work, name), { recursive: true, force: true })
}

/** Where SQLite keeps what it has not moved into the store's file. */
function logOf(folder: string): string[] {
  return ["-wal", "-shm"].map((end) => join(folder, `${storeFile}${end}`))
}

/**
 * Puts what is in the folder into one of its own. As soon as the store has gone there, a start is refused.
 */
async function putAside(dataDir: string): Promise<void> {
  const found = [storeFile, ...filesBesideStore].filter((name) => existsSync(join(dataDir, name)))
  if (found.length > 0) {
    const aside = join(dataDir, `replaced-${iso(nowMs()).replaceAll(":", "-")}`)
    await mkdir(aside, { mode: 0o700 })
    for (const name of found.filter((one) => one !== storeFile))
      await copyFile(join(dataDir, name), join(aside, name))
    if (hasStore(dataDir)) {
      finishLog(dataDir)
      // Before the store goes: what the log still holds is nowhere else.
      await copyLog(dataDir, aside)
      await rename(join(dataDir, storeFile), join(aside, storeFile))
    }
    syncFolder(aside)
    syncFolder(dataDir)
  }
  // Beside another store, SQLite's log would be taken for that store's.
  for (const name of logOf(dataDir)) await rm(name, { force: true })
}

/**
 * Moves what SQLite has in its log into the store's file, if that is possible: the disk may be full, or
 * another process may be reading and need the log.
 */
function finishLog(dataDir: string): void {
  try {
    const db = new DatabaseSync(join(dataDir, storeFile))
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
  } catch {
    // The store is damaged, which may be why it is replaced, or the disk is full.
  }
}

/** Copies SQLite's log, if there is one, which belongs to the store in the other folder as well. */
async function copyLog(from: string, to: string): Promise<void> {
  const name = `${storeFile}-wal`
  if (!existsSync(join(from, name))) return
  await copyFile(join(from, name), join(to, name))
  const copy = await open(join(to, name), "r+")
  try {
    await copy.sync()
  } finally {
    await copy.close()
  }
}

/** What the store writes when it is opened, in bytes. */
const someMore = 16e6

async function mustHaveRoom(dataDir: string, { files }: BackupHeader): Promise<void> {
  const needed = files.reduce((sum, { bytes }) => sum + bytes, someMore)
  const { bavail, bsize } = await statfs(dataDir)
  const [freeMb, neededMb] = [bavail * bsize, needed].map((bytes) => Math.ceil(bytes / 1e6))
  if (bavail * bsize < needed)
    throw new Unusable(
      `the disk of ${dataDir} has no room for this backup: ${freeMb} MB are free, and it takes ${neededMb}`,
    )
}

async function unpack({ files }: BackupHeader, pieces: AsyncIterable<Piece>, work: string): Promise<void> {
  const opened = new Map<string, FileHandle>()
  try {
    for (const { name } of files) opened.set(name, await open(join(work, name), "wx", 0o600))
    // A backup says which files it has, and holds nothing of others.
    for await (const { name, bytes } of pieces) await opened.get(name)!.appendFile(bytes)
    for (const { name, bytes } of files) {
      const file = opened.get(name)!
      if ((await file.stat()).size !== bytes) throw new Unusable("the backup is not whole")
      await file.sync()
    }
  } finally {
    for (const file of opened.values()) await file.close()
  }
}

/** Marks every bridge: its keys are from a backup of this time. @returns how many bridges there are */
async function makeAllAnew(folder: string, madeMs: number): Promise<number> {
  const store = await startDynamoDb({ path: folder })
  const end = useStoreWithoutHttp(store.answer)
  try {
    let bridges = 0
    for (const { id: accountId } of await Account.list())
      for (const { id } of await Bridge.list(accountId)) if (await markRestored(id, madeMs)) bridges++
    return bridges
  } finally {
    end()
    await store.close()
  }
}

async function putInPlace(work: string, dataDir: string): Promise<void> {
  for (const name of filesBesideStore)
    if (existsSync(join(work, name))) await rename(join(work, name), join(dataDir, name))
    else await rm(join(dataDir, name), { force: true })
  syncFolder(dataDir)
  await rename(join(work, storeFile), join(dataDir, storeFile))
  syncFolder(dataDir)
  await rm(work, { recursive: true, force: true })
}
