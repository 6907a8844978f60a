export * as FilesOnDisk from "./files-on-disk.ts"

import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
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

export interface Found extends About {
  size: number
  body: () => Readable
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
  const part = `${path}.part`
  try {
    await pipeline(whileThereIsRoom(bytes), createWriteStream(part, { mode: 0o600 }))
    await writeFile(aboutOf(path), JSON.stringify({ contentType, fileName }), { mode: 0o600 })
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
}

/** A file that is at most so old; undefined when there is none. */
export async function find(kind: Kind, name: string, youngerThanMs: number): Promise<Found | undefined> {
  const path = pathOf(kind, name)
  const found = await stat(path).catch(absent)
  if (!found || nowMs() - found.mtimeMs > youngerThanMs) return undefined
  const about = await readFile(aboutOf(path), "utf8").catch(absent)
  if (about === undefined) return undefined
  return { ...About.parse(JSON.parse(about)), size: found.size, body: () => createReadStream(path) }
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
