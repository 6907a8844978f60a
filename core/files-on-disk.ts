export * as FilesOnDisk from "./files-on-disk.ts"

import { randomUUID } from "node:crypto"
import { mkdir, open as openFile, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { z } from "zod"
import { nowMs } from "./platform/clock.ts"
import { config } from "./platform/config.ts"
import { DiskRoom } from "./platform/disk-room.ts"

// Files that the processes of one machine share for a while (STORAGE_DIR). Beside each lies what is known about it.

/** Which files: a folder for each kind. */
export type Kind = "uploads" | "media"

const About = z.object({ contentType: z.string(), fileName: z.string() })
type About = z.infer<typeof About>

/** An open file. Who opens it reads or destroys its body. */
export interface Opened extends About {
  size: number
  body: Readable
}

/**
 * Writes a file. It is there when it is whole.
 * @param name made by us: it becomes a path
 * @throws ApiError `storage_full`, and what reading `bytes` throws
 */
export async function keep(
  kind: Kind,
  name: string,
  { contentType, fileName }: About,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const path = pathOf(kind, name)
  await mkdir(folderOf(kind), { recursive: true, mode: 0o700 })
  // Another call may be writing the same file, such as one whose caller was told that it took too long.
  const part = `${path}.${randomUUID()}.part`
  try {
    // Opened before anything can fail: a stream might open it only after the removal below, and so leave it there.
    const file = await openFile(part, "w", 0o600)
    await pipeline(whileThereIsRoom(bytes), file.createWriteStream())
    await writeFile(aboutOf(path), JSON.stringify({ contentType, fileName }), { mode: 0o600 })
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
}

/** Whether there is a file that is at most so old. */
export async function isThere(kind: Kind, name: string, youngerThanMs: number): Promise<boolean> {
  const found = await stat(pathOf(kind, name)).catch(absent)
  return found !== undefined && nowMs() - found.mtimeMs <= youngerThanMs
}

/** A file that is at most so old; undefined when there is none. It can be read to its end, even if it is removed. */
export async function open(kind: Kind, name: string, youngerThanMs: number): Promise<Opened | undefined> {
  const path = pathOf(kind, name)
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

/** Removes files that are older, and what a crash has left of others. */
export async function removeOld(kind: Kind, olderThanMs: number): Promise<void> {
  for (const name of (await readdir(folderOf(kind)).catch(absent)) ?? []) {
    const path = pathOf(kind, name)
    const { mtimeMs } = (await stat(path).catch(absent)) ?? { mtimeMs: Infinity }
    if (nowMs() - mtimeMs > olderThanMs) await rm(path, { force: true })
  }
}

async function* whileThereIsRoom(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    if (DiskRoom.free() < config.STORAGE_RESERVE_MB) throw DiskRoom.refusal()
    yield chunk
  }
}

function folderOf(kind: Kind): string {
  return join(config.STORAGE_DIR ?? "", kind)
}

function pathOf(kind: Kind, name: string): string {
  return join(folderOf(kind), name)
}

function aboutOf(path: string): string {
  return `${path}.json`
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
  throw error
}
