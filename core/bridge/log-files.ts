import { appendFileSync, mkdirSync } from "node:fs"
import { type FileHandle, open, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { iso, nowMs } from "../platform/clock.ts"
import { need } from "../platform/config.ts"

// The logs of bridges on one machine: a folder for each bridge under LOG_DIR, a file for each day.

/** How often a follower looks for new lines. */
const lookEachMs = 250
/** How much is read at a time. */
const blockBytes = 64 * 1024
const keptDays = 14

/** Appends a line in a single write at the end of the file, so that no other process can split it. */
export function append(bridgeId: string, line: { at: string; text: string }): void {
  const folder = folderOf(bridgeId)
  const write = () =>
    appendFileSync(join(folder, `${line.at.slice(0, 10)}.log`), `${line.text}\n`, { mode: 0o600 })
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    write()
  }
}

/** Yields the last `tail` lines, then new ones: one batch per look, often an empty one. */
export async function* follow(
  bridgeId: string,
  tail: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string[]> {
  const past = await lastLines(bridgeId, tail)
  let { day, end: position } = past
  yield past.lines
  let begun = ""
  for (;;) {
    await sleep(lookEachMs, undefined, { signal })
    const latest = (await days(bridgeId)).at(-1)
    const more = day ? await readFrom(bridgeId, day, position) : Buffer.alloc(0)
    position += more.length
    const lines = (begun + more.toString("latin1")).split("\n")
    begun = lines.pop() ?? ""
    // Lines are split as bytes and decoded afterwards: a block may end in the middle of a character.
    yield lines.map((line) => Buffer.from(line, "latin1").toString())
    if (latest === day || more.length > 0) continue
    day = latest
    position = 0
  }
}

/** Deletes log files older than two weeks. */
export async function trim(bridgeId: string): Promise<void> {
  const oldest = iso(nowMs() - keptDays * 86_400_000).slice(0, 10)
  for (const day of await days(bridgeId)) if (day < oldest) await rm(fileOf(bridgeId, day), { force: true })
}

/** Deletes the log of a deleted bridge. */
export async function remove(bridgeId: string): Promise<void> {
  await rm(folderOf(bridgeId), { recursive: true, force: true })
}

/** The days on which something was logged, oldest first. */
async function days(bridgeId: string): Promise<string[]> {
  try {
    const files = await readdir(folderOf(bridgeId))
    return files
      .filter((file) => /^\d{4}-\d\d-\d\d\.log$/.test(file))
      .map((file) => file.slice(0, 10))
      .toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Reads from the newest file back to the oldest. `day` is the newest file's; `end` is how far that file was read. */
async function lastLines(
  bridgeId: string,
  count: number,
): Promise<{ lines: string[]; day: string | undefined; end: number }> {
  const [newest, ...older] = (await days(bridgeId)).toReversed()
  if (newest === undefined) return { lines: [], day: undefined, end: 0 }
  const { lines, end } = await tailOf(bridgeId, newest, count)
  for (const day of older) {
    if (lines.length >= count) break
    lines.unshift(...(await tailOf(bridgeId, day, count - lines.length)).lines)
  }
  return { lines, day: newest, end }
}

/** Reads in blocks from the end: a file may be far longer than its last lines. */
async function tailOf(
  bridgeId: string,
  day: string,
  count: number,
): Promise<{ lines: string[]; end: number }> {
  return await withFile(bridgeId, day, { lines: [], end: 0 }, async (file) => {
    const { size } = await file.stat()
    const blocks: Buffer[] = []
    let from = size
    for (let found = 0; from > 0 && found <= count; found += newlines(blocks.at(-1)!)) {
      const length = Math.min(blockBytes, from)
      from -= length
      blocks.push(await readBlock(file, from, length))
    }
    const text = Buffer.concat(blocks.toReversed())
    const whole = text.subarray(0, text.lastIndexOf("\n") + 1)
    const lines = whole.toString().split("\n").slice(0, -1)
    return { lines: count === 0 ? [] : lines.slice(-count), end: size - (text.length - whole.length) }
  })
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

function newlines(bytes: Buffer): number {
  let count = 0
  for (const byte of bytes) if (byte === 0x0a) count++
  return count
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT"
}
