import { createHash } from "node:crypto"
import { createReadStream, existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, statfs } from "node:fs/promises"
import { basename, join } from "node:path"
import { z } from "zod"
import { iso, nowMs } from "#core/platform/clock.ts"
import { isDiskFull } from "#dynamodb-on-sqlite/rows/commit.ts"
import { copyStore, storeFile, hasStore } from "#dynamodb-on-sqlite/rows/sqlite-file.ts"
import { syncFolder } from "#dynamodb-on-sqlite/rows/sync-folder.ts"
import { accountFile, keyFiles, networkFile } from "../service/data-folder.ts"
import { readPrivate } from "../service/private-file.ts"
import { Secrets } from "../service/secrets.ts"
import type { BackupSettings } from "../service/settings.ts"
import { readSealed, writeSealed } from "./sealed-file.ts"
import { Unusable } from "./unusable.ts"

/**
 * The files of the data folder that a backup holds beside the store. Logs, and the simulated network, are not
 * among them.
 */
export const filesBesideStore = [
  keyFiles.wrapping,
  keyFiles.secrets,
  basename(accountFile("")),
  basename(networkFile("")),
]

/** What a backup says of itself, once it is opened. */
const BackupHeader = z.object({
  /** When its copy of the store was made, Unix ms. */
  madeMs: z.number().int(),
  files: z.array(
    z.object({
      name: z.enum([storeFile, ...filesBesideStore] as [string, ...string[]]),
      bytes: z.number().int(),
    }),
  ),
})
export type BackupHeader = z.infer<typeof BackupHeader>

/** Some bytes of a file in a backup. One file comes after the other, and each file's pieces are in order. */
export interface Piece {
  name: string
  bytes: Buffer
}

interface Input extends BackupSettings {
  dataDir: string
  /** How much room stays free on the disk of the data folder, in MB. */
  reserveMb: number
}

/** A backup as its folder shows it. */
export interface ListedBackup {
  path: string
  madeMs: number
}

/**
 * Makes a backup of the service in this data folder, which may run meanwhile, checks it, and removes the
 * oldest beyond those that are to be kept. Whatever ends it, the folder holds whole backups alone.
 * @throws Unusable
 */
export async function makeBackup(input: Input): Promise<ListedBackup> {
  try {
    return await make(input)
  } catch (error) {
    const { code, path = "", message } = error as NodeJS.ErrnoException
    if (isDiskFull(error) || code === "ENOSPC")
      throw new Unusable("the disk became full in the midst of a backup", { cause: error })
    if (code !== undefined && path.startsWith(input.dir))
      throw new Unusable(`${input.dir} cannot be written to: ${message}`, { cause: error })
    throw error
  }
}

async function make({ dataDir, dir, passphrase, keep, reserveMb }: Input): Promise<ListedBackup> {
  if (!hasStore(dataDir))
    throw new Unusable(`${dataDir} holds no data of the service: DATA_DIR says which folder`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await removeLeftovers(dataDir, dir)
  await mustHaveRoom(dataDir, dir, reserveMb)
  const service = serviceIn(dataDir)
  const madeMs = nowMs()
  const path = join(dir, nameOf(service, madeMs))
  const part = `${path}.${process.pid}.part`
  const work = await mkdtemp(join(dataDir, `${workPrefix}${process.pid}-`))
  try {
    const copy = join(work, storeFile)
    await copyStore(dataDir, copy)
    // The files are read after the store: a key is in its file before anything is wrapped under it.
    const files = [
      copy,
      ...filesBesideStore.map((name) => join(dataDir, name)).filter((file) => existsSync(file)),
    ]
    await writeSealed(part, { kind: "backup", passphrase, service }, contentOf(madeMs, files))
    await checkBackup(part, passphrase)
    await rename(part, path)
    syncFolder(dir)
  } finally {
    await rm(work, { recursive: true, force: true })
    await rm(part, { force: true })
  }
  for (const old of (await backupsIn(dir, service)).slice(0, -keep)) await rm(old.path, { force: true })
  return { path, madeMs }
}

/**
 * The backups of this data folder's service, the oldest first; before them, any that a clock which was ahead
 * has dated in the future.
 */
export async function ownBackups(dataDir: string, dir: string): Promise<ListedBackup[]> {
  return await backupsIn(dir, serviceIn(dataDir))
}

/** Reads a backup: `read` is given what it holds, piece by piece. @throws Unusable */
export async function readBackup<Result>(
  path: string,
  passphrase: string,
  read: (about: BackupHeader, pieces: AsyncIterable<Piece>) => Promise<Result>,
): Promise<Result> {
  const content = readSealed("backup", path, passphrase)
  try {
    const first = await content.next()
    const bytes = first.done ? Buffer.alloc(0) : first.value
    const end = bytes.indexOf("\n")
    const about = BackupHeader.parse(JSON.parse(bytes.toString("utf8", 0, end)))
    return await read(about, piecesOf(about, bytes.subarray(end + 1), content))
  } finally {
    await content.return(undefined)
  }
}

/** Reads all of a backup. @throws Unusable */
export async function checkBackup(path: string, passphrase: string): Promise<BackupHeader> {
  return await readBackup(path, passphrase, async (about, pieces) => {
    let left = about.files.reduce((sum, { bytes }) => sum + bytes, 0)
    for await (const { bytes } of pieces) left -= bytes.length
    if (left !== 0) throw new Unusable(`${path} is not whole`)
    return about
  })
}

/** A name for the service that owns this data folder, which tells nothing about its secrets. */
function serviceIn(dataDir: string): string {
  const { hostTokenSecret } = readPrivate(join(dataDir, keyFiles.secrets), Secrets)
  return createHash("sha256").update(`service of ${hostTokenSecret}`).digest("hex").slice(0, 12)
}

function nameOf(service: string, madeMs: number): string {
  return `messaging-bridge-${service}-${iso(madeMs).replaceAll(":", "-")}.backup`
}

/** The backups' names sort as their times do. */
async function backupsIn(dir: string, service: string): Promise<ListedBackup[]> {
  const names = await namesIn(dir)
  const listed = names.toSorted().flatMap((name) => {
    const [, of, date, time] =
      /^messaging-bridge-([0-9a-f]+)-([\d-]{10})T([\d.-]{12}Z)\.backup$/.exec(name) ?? []
    if (of !== service) return []
    return { path: join(dir, name), madeMs: Date.parse(`${date}T${time?.replaceAll("-", ":")}`) }
  })
  const now = nowMs()
  return listed.toSorted((one, other) => Number(one.madeMs <= now) - Number(other.madeMs <= now))
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

const workPrefix = "backup-"

/** What a process that died in the midst of a backup has left. */
async function removeLeftovers(dataDir: string, dir: string): Promise<void> {
  for (const [folder, pid] of [
    [dataDir, /^backup-(\d+)-/],
    [dir, /^messaging-bridge-.*\.backup\.(\d+)\.part$/],
  ] as const)
    for (const name of await namesIn(folder)) {
      const [, digits] = pid.exec(name) ?? []
      if (digits && !(await isAlive(Number(digits))))
        await rm(join(folder, name), { recursive: true, force: true })
    }
}

/**
 * Whether the process that was making a backup lives. This process makes one at a time, so what has its id is
 * left over. One that has ended keeps its id until its parent takes note, which the first process of a
 * container may never do.
 */
async function isAlive(pid: number): Promise<boolean> {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  const state = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "only Linux tells")
  return !state.includes(") Z ")
}

/** The service must not come to a full disk because of its backup. @throws Unusable */
export async function mustHaveRoom(dataDir: string, dir: string, reserveMb: number): Promise<void> {
  const store = join(dataDir, storeFile)
  const bytes = (await sizeOf(store)) + (await sizeOf(`${store}-wal`))
  const isOneDisk = (await stat(dataDir)).dev === (await stat(dir)).dev
  const [here, there] = await Promise.all([freeIn(dataDir), freeIn(dir)])
  const needed = bytes * (isOneDisk ? 2 : 1) + reserveMb * 1e6
  if (here < needed) throw noRoom(dataDir, here, needed)
  if (!isOneDisk && there < bytes) throw noRoom(dir, there, bytes)
}

async function sizeOf(file: string): Promise<number> {
  return existsSync(file) ? (await stat(file)).size : 0
}

async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

function noRoom(folder: string, free: number, needed: number): Unusable {
  const [freeMb, neededMb] = [free, needed].map((bytes) => Math.ceil(bytes / 1e6))
  return new Unusable(
    `the disk of ${folder} has no room for a backup: ${freeMb} MB are free, and it takes ${neededMb}`,
  )
}

async function* contentOf(madeMs: number, files: string[]): AsyncGenerator<Buffer> {
  const sizes = await Promise.all(files.map(sizeOf))
  const about: BackupHeader = {
    madeMs,
    files: files.map((file, at) => ({ name: basename(file), bytes: sizes[at]! })),
  }
  yield Buffer.from(`${JSON.stringify(about)}\n`)
  for (const [at, { bytes }] of about.files.entries()) {
    let left = bytes
    // Without an encoding they are buffers.
    for await (const piece of createReadStream(files[at]!) as AsyncIterable<Buffer>) {
      left -= piece.length
      yield piece
    }
    if (left !== 0) throw new Unusable(`${files[at]} changed while it was read: try again`)
  }
}

async function* piecesOf(
  about: BackupHeader,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Piece> {
  const waiting = about.files.map((file) => ({ ...file }))
  const pieces = function* (bytes: Buffer): Generator<Piece> {
    for (let at = 0; at < bytes.length;) {
      const file = waiting.find(({ bytes: left }) => left > 0)
      if (!file) throw new Unusable("the backup holds more than it says")
      const piece = bytes.subarray(at, at + file.bytes)
      at += piece.length
      file.bytes -= piece.length
      yield { name: file.name, bytes: piece }
    }
  }
  yield* pieces(first)
  for await (const bytes of rest) yield* pieces(bytes)
}
