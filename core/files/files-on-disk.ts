export * as FilesOnDisk from "./files-on-disk.ts"

import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative, sep } from "node:path"
import type { Readable } from "node:stream"
import { z } from "zod"
import { fileLimitSentence } from "#contract/error-codes.ts"
import { Bridge } from "../bridge/bridge.ts"
import { ApiError } from "../error.ts"
import { restWhileBusy } from "../platform/busy.ts"
import { nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { DiskRoom } from "../platform/disk-room.ts"
import { Slots } from "../platform/slots.ts"

// Files that the processes of one machine share for a while (STORAGE_DIR), and those that they are working
// on: a folder for each kind, and in it one for each account. Beside each file that is kept lies what is
// known about it.
//
// A file is counted before it is written. It has its full size from the start, as a sparse file: what is
// still to be written is the difference between that and what it takes up. So the folders themselves say how
// much room is promised, to every process and after any crash.

/** Which files are kept: a folder for each kind. */
export type Kind = "uploads" | "media"
const kinds = ["uploads", "media"] as const

/** The folder of files that are being written or worked on. */
const underWay = "temporary"

/** The bytes that a smaller file counts as: an account has no more files than can be looked through. */
const leastBytes = 256 * 1024

/** For how long a received file stays that was just asked for, in ms, however little room its account has. */
const spareMs = 60_000

const About = z.object({ contentType: z.string(), fileName: z.string() })
type About = z.infer<typeof About>

/** A file: whose it is, and a name that we have made, since it becomes a path. */
export interface Name {
  bridgeId: string
  name: string
}

/** An open file. Who opens it reads or destroys its body. */
export interface Opened extends About {
  size: number
  body: Readable
}

/**
 * Keeps a file. It is there when it is whole.
 * @param most how many bytes there may be: as many are counted until it is whole
 * @throws ApiError `storage_full`, `file_limit_reached`, and what reading `bytes` throws
 */
export async function store(
  kind: Kind,
  name: Name,
  { contentType, fileName, most }: About & { most: number },
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const path = await pathOf(kind, name)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await inFolder(name.bridgeId, async (folder) => {
    // Another call may be writing the same file, such as one whose caller was told that it took too long.
    const part = join(folder, "part")
    await write(part, most, bytes)
    await writeFile(aboutOf(part), JSON.stringify({ contentType, fileName }), { mode: 0o600 })
    await rename(aboutOf(part), aboutOf(path))
    await rename(part, path)
  })
}

/**
 * Runs `work` with a folder of its own for the files of a bridge, which is removed with them however `work`
 * ends. On one machine it lies on the disk of the data, and is counted.
 */
export async function inFolder<Result>(
  bridgeId: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const within = config.STORAGE_DIR ? await folderOf(underWay, bridgeId) : tmpdir()
  await mkdir(within, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(within, "media-"))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Writes a new file into a folder of `inFolder`. On one machine its bytes are counted before they are
 * written. What `bytes` yields belongs to this function: its memory is freed once it is written.
 * @param most how many bytes there may be
 * @throws ApiError `storage_full`, `file_limit_reached`, `payload_too_large`, and what reading `bytes` throws
 */
export async function write(
  path: string,
  most: number,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const file = await openFile(path, "wx", 0o600)
  try {
    await promise(file, path, most)
    let written = 0
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of bytes) {
        written += chunk.length
        if (written > most) throw new ApiError("payload_too_large", "the file is longer than was announced")
        if (config.STORAGE_DIR && DiskRoom.free() < config.STORAGE_RESERVE_MB) throw DiskRoom.refusal()
        yield chunk
        freeMemoryOf(chunk)
        await restWhileBusy()
      }
    }
    await file.writeFile(counted())
    await file.truncate(written)
  } finally {
    await file.close()
  }
}

/**
 * Frees the memory of bytes that nobody reads any more, unless it holds others, too. Left to the collector of
 * garbage, each large file would stop this process a few times, and all of its sessions with it.
 */
export function freeMemoryOf({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/**
 * Counts bytes that another program is about to write into a folder of `inFolder`, as long as `work` runs.
 * @throws ApiError `storage_full`, `file_limit_reached`, and what `work` throws
 */
export async function promising<Result>(
  folder: string,
  most: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const path = join(folder, "promised")
  const file = await openFile(path, "wx", 0o600)
  try {
    await promise(file, path, most)
    return await work()
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
}

/** How much an account's files take up here, kept and under way, in bytes. */
export async function usedBy(accountId: string): Promise<number> {
  let bytes = 0
  for await (const { size } of filesOf(accountId)) bytes += Math.max(size, leastBytes)
  return bytes
}

/** Whether there is a file that is at most so old. */
export async function isThere(kind: Kind, name: Name, youngerThanMs: number): Promise<boolean> {
  const found = await stat(await pathOf(kind, name)).catch(absent)
  return found !== undefined && nowMs() - found.mtimeMs <= youngerThanMs
}

/**
 * A file that is at most so old; undefined when there is none. It can be read to its end, even if it is
 * removed.
 */
export async function open(kind: Kind, name: Name, youngerThanMs: number): Promise<Opened | undefined> {
  const path = await pathOf(kind, name)
  const file = await openFile(path).catch(absent)
  if (!file) return undefined
  try {
    const { size, mtimeMs } = await file.stat()
    const about = await readFile(aboutOf(path), "utf8").catch(absent)
    if (nowMs() - mtimeMs <= youngerThanMs && about !== undefined)
      return { ...About.parse(JSON.parse(about)), size, body: file.createReadStream() }
  } catch (error) {
    await file.close()
    throw error
  }
  await file.close()
  return undefined
}

/** Removes kept files that are older. */
export async function removeOld(kind: Kind, olderThanMs: number): Promise<void> {
  await removeUnchanged(kind, olderThanMs)
}

/**
 * Removes what a crash has left of files under way: what has not changed for so long. It would count for
 * ever.
 */
export async function removeAbandoned(unchangedForMs: number): Promise<void> {
  await removeUnchanged(underWay, unchangedForMs)
}

async function removeUnchanged(kind: Kind | typeof underWay, forMs: number): Promise<void> {
  const folder = join(config.STORAGE_DIR ?? "", kind)
  for (const account of await namesIn(folder))
    for (const name of await namesIn(join(folder, account))) {
      const path = join(folder, account, name)
      const { mtimeMs } = (await stat(path).catch(absent)) ?? { mtimeMs: Infinity }
      const within = await Array.fromAsync(filesIn(path), (file) => file.mtimeMs)
      if (Math.abs(nowMs() - Math.max(mtimeMs, ...within)) > forMs)
        await rm(path, { recursive: true, force: true })
    }
}

/** If several files begin at once in this process, the first get the room. */
const oneByOne = new Slots({ most: 1 })

/**
 * Gives a new file its full size before it is looked whether there is room: two processes at once see each
 * other.
 */
async function promise(file: FileHandle, path: string, most: number): Promise<void> {
  if (!config.STORAGE_DIR) return
  const [, owner] = relative(config.STORAGE_DIR, path).split(sep)
  await oneByOne.use(async () => {
    try {
      await file.truncate(most)
      await mustHaveRoom(path)
    } catch (error) {
      await file.truncate(0)
      throw error
    }
  }, owner)
}

/**
 * @throws ApiError `storage_full` if the disk has no room for all that is under way, `file_limit_reached` if
 * the account has none
 */
async function mustHaveRoom(path: string): Promise<void> {
  const [, accountId = ""] = relative(config.STORAGE_DIR ?? "", path).split(sep)
  // Before the disk is asked: what is written in between counts twice, not never.
  const promised = await stillToCome()
  const spare = (DiskRoom.freeNow() - 2 * config.STORAGE_RESERVE_MB) * 1e6 - promised
  const used = await usedBy(accountId)
  // An account leaves the others as much as it has, however small the disk is.
  if (spare < 0 || (used > spare && !(await letGoOfMedia(accountId, used - spare))))
    throw DiskRoom.refusal(noRoom)
  const over = used - config.STORAGE_ACCOUNT_MB * 1e6
  if (over > 0 && !(await letGoOfMedia(accountId, over)))
    throw new ApiError("file_limit_reached", fileLimitSentence(config.STORAGE_ACCOUNT_MB))
}

const noRoom =
  "the disk of this service has no room for this file now: try again later, or send a smaller one, or ask its operator to make room"

/** How many bytes of the files under way, of all accounts, are not written yet. */
async function stillToCome(): Promise<number> {
  const folder = join(config.STORAGE_DIR ?? "", underWay)
  let bytes = 0
  for (const account of await namesIn(folder))
    for await (const { size, taken } of filesIn(join(folder, account))) bytes += Math.max(0, size - taken)
  return bytes
}

/**
 * Removes the oldest received files of an account until so many bytes are free: the network still has them.
 * @returns whether there were enough
 */
async function letGoOfMedia(accountId: string, bytes: number): Promise<boolean> {
  const all = await Array.fromAsync(filesIn(join(config.STORAGE_DIR ?? "", "media", accountId)))
  const old = all.filter(({ mtimeMs }) => nowMs() - mtimeMs > spareMs)
  if (old.reduce((sum, { size }) => sum + Math.max(size, leastBytes), 0) < bytes) return false
  let left = bytes
  for (const { path, size } of old.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) {
    if (left <= 0) return true
    await rm(aboutOf(path), { force: true })
    await rm(path, { force: true })
    left -= Math.max(size, leastBytes)
  }
  return left <= 0
}

interface Measured {
  path: string
  size: number
  /** What it takes up on the disk, in bytes. */
  taken: number
  mtimeMs: number
}

async function* filesOf(accountId: string): AsyncGenerator<Measured> {
  for (const kind of [...kinds, underWay]) yield* filesIn(join(config.STORAGE_DIR ?? "", kind, accountId))
}

/** The files in a folder and its folders, without what is known about them. */
async function* filesIn(folder: string): AsyncGenerator<Measured> {
  for (const name of await namesIn(folder)) {
    if (name.endsWith(".json")) continue
    const path = join(folder, name)
    const found = await stat(path).catch(absent)
    if (found?.isDirectory()) yield* filesIn(path)
    // POSIX counts blocks of 512 bytes.
    else if (found) yield { path, size: found.size, taken: found.blocks * 512, mtimeMs: found.mtimeMs }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}

async function folderOf(kind: Kind | typeof underWay, bridgeId: string): Promise<string> {
  return join(config.STORAGE_DIR ?? "", kind, await Bridge.accountOf(bridgeId))
}

async function pathOf(kind: Kind, { bridgeId, name }: Name): Promise<string> {
  return join(await folderOf(kind, bridgeId), name)
}

function aboutOf(path: string): string {
  return `${path}.json`
}

function absent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code === "ENOENT" || code === "ENOTDIR") return undefined
  throw error
}
