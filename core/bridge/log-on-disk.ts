import { appendFileSync, mkdirSync, statSync } from "node:fs"
import { type FileHandle, open, readdir, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { iso, nowMs } from "../platform/clock.ts"
import { need } from "../platform/config.ts"
import { DiskRoom } from "../platform/disk-room.ts"

// The logs of bridges on one machine: a folder for each bridge under LOG_DIR, a file for each day.

/** How often a follower looks for new lines. */
const lookEachMs = 250
/** How much is read at a time. */
const blockBytes = 64 * 1024
const keptDays = 14
/** How much a bridge may log in a day: some 200,000 lines. */
export const dayOfLog = { mostBytes: 16 * 1024 * 1024 }
/** How much of a log is read at most to find the lines that are wanted. An ordinary log is shorter. */
const searchedBytes = 32 * 1024 * 1024

/** Which lines of a log are asked for: the newest `most` that are wanted. */
export interface Asked {
  most: number
  isWanted?: ((line: string) => boolean) | undefined
}

/** Lines in their order, and the place after them, where a reader goes on. */
export interface Lines {
  lines: string[]
  at: string
}

/** `isCut`: there are older lines, which were not looked at because there are too many. */
export type Past = Lines & { isCut: boolean }

/**
 * Appends a line in a single write at the end of the file, so that no other process can split it. Without
 * room to spare, or after the most that a day may have, no line is kept.
 */
export function append(bridgeId: string, line: { at: string; text: string }): void {
  if (!DiskRoom.hasRoomToSpare()) return
  const folder = folderOf(bridgeId)
  const path = join(folder, `${line.at.slice(0, 10)}.log`)
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size + line.text.length > dayOfLog.mostBytes) return
  const write = () => appendFileSync(path, `${line.text}\n`, { mode: 0o600 })
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    write()
  }
}

/** Reads from the newest file back to the oldest. */
export async function read(bridgeId: string, { most, isWanted }: Asked): Promise<Past> {
  const all = (await days(bridgeId)).toReversed()
  let at = ""
  let lines: string[] = []
  let searched = 0
  for (const day of all) {
    for await (const block of backwards(bridgeId, day)) {
      at ||= placeOf(day, block.end)
      lines = [...(isWanted ? block.lines.filter(isWanted) : block.lines), ...lines]
      searched += blockBytes
      if (lines.length >= most) return { lines: most === 0 ? [] : lines.slice(-most), at, isCut: false }
      if (isWanted && searched >= searchedBytes) return { lines, at, isCut: true }
    }
  }
  return { lines, at, isCut: false }
}

/** Yields the lines behind a place as they come: one batch per look, often an empty one. */
export async function* followFrom(
  bridgeId: string,
  place: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Lines> {
  const [, begin, offset] = /^(\d{4}-\d\d-\d\d)_(\d{1,15})$/.exec(place) ?? []
  let day = begin
  let position = Number(offset ?? 0)
  let begun = ""
  for (;;) {
    await sleep(lookEachMs, undefined, { signal })
    const next = (await days(bridgeId)).find((one) => day === undefined || one > day)
    const more = day ? await readFrom(bridgeId, day, position) : Buffer.alloc(0)
    position += more.length
    const lines = (begun + more.toString("latin1")).split("\n")
    begun = lines.pop() ?? ""
    // Lines are split as bytes and decoded afterwards: a block may end in the middle of a character.
    const decoded = lines.map((line) => Buffer.from(line, "latin1").toString())
    yield { lines: decoded, at: day ? placeOf(day, position - begun.length) : "" }
    if (next === undefined || more.length > 0) continue
    day = next
    position = 0
  }
}

/**
 * Deletes lines older than two weeks, and folders without lines: one may have come after its bridge was
 * deleted.
 */
export async function removeOld(): Promise<void> {
  const oldest = iso(nowMs() - keptDays * 86_400_000).slice(0, 10)
  for (const bridgeId of await namesIn(need("LOG_DIR"))) {
    const all = await days(bridgeId)
    const old = all.filter((day) => day < oldest)
    for (const day of old) await rm(fileOf(bridgeId, day), { force: true })
    // Another process may write the next line meanwhile.
    if (old.length === all.length) await rmdir(folderOf(bridgeId)).catch(() => {})
  }
}

/** Deletes the log of a deleted bridge. */
export async function remove(bridgeId: string): Promise<void> {
  await rm(folderOf(bridgeId), { recursive: true, force: true })
}

/** The days on which something was logged, oldest first. */
async function days(bridgeId: string): Promise<string[]> {
  return (await namesIn(folderOf(bridgeId)))
    .filter((file) => /^\d{4}-\d\d-\d\d\.log$/.test(file))
    .map((file) => file.slice(0, 10))
    .toSorted()
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/**
 * The whole lines of a file, in blocks from its end, each block in order: the file may be far longer than
 * what is wanted of it. `end` is where the last whole line of the file ends.
 */
async function* backwards(bridgeId: string, day: string): AsyncGenerator<{ lines: string[]; end: number }> {
  let end: number | undefined
  let begun = Buffer.alloc(0)
  for (let from: number | undefined; from !== 0;) {
    const until: number | undefined = from
    const block = await withFile(bridgeId, day, undefined, async (file) => {
      const to = until ?? (await file.stat()).size
      const length = Math.min(blockBytes, to)
      return { from: to - length, to, bytes: await readBlock(file, to - length, length) }
    })
    if (!block) return
    const bytes = Buffer.concat([block.bytes, begun])
    const first = block.from === 0 ? 0 : bytes.indexOf("\n") + 1
    // Another process may be writing the last line.
    const last = end === undefined ? bytes.lastIndexOf("\n") + 1 : bytes.length
    end ??= block.from + last
    begun = bytes.subarray(0, first)
    from = block.from
    yield { lines: bytes.subarray(first, last).toString().split("\n").slice(0, -1), end }
  }
}

function placeOf(day: string, position: number): string {
  return `${day}_${position}`
}

async function readFrom(bridgeId: string, day: string, position: number): Promise<Buffer> {
  return await withFile(bridgeId, day, Buffer.alloc(0), (file) => readBlock(file, position, blockBytes))
}

async function readBlock(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** @returns `otherwise` when the file does not exist or no longer does. */
async function withFile<Result>(
  bridgeId: string,
  day: string,
  otherwise: Result,
  work: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  let file: FileHandle
  try {
    file = await open(fileOf(bridgeId, day))
  } catch (error) {
    if (isMissing(error)) return otherwise
    throw error
  }
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

function folderOf(bridgeId: string): string {
  return join(need("LOG_DIR"), bridgeId)
}

function fileOf(bridgeId: string, day: string): string {
  return join(folderOf(bridgeId), `${day}.log`)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT"
}
