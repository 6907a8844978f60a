export * as Uploads from "./uploads.ts"

import { randomBytes } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { z } from "zod"
import { maxUploadBytes } from "./contract/upload.ts"
import { config } from "./platform/config.ts"
import { nowMs } from "./platform/clock.ts"
import { DiskRoom } from "./platform/disk-room.ts"
import { StoredMedia } from "./stored-media.ts"

// Files that customers upload, to send them (Contract, "Uploads"). On AWS they go to the bucket by a form that S3 itself checks,
// since a function takes 6 MB. On one machine they go through its own door, to the disk that its processes share.

/** Contract, "Uploads", in milliseconds. */
const keptMs = 24 * 3600 * 1000

export interface Info {
  bridgeId: string
  file: string
  contentType: string
  /** `""`: without a name. */
  fileName: string
  /** In bytes, if the customer has said. */
  size?: number | undefined
}

export function create(about: Omit<Info, "file">): Info {
  return { ...about, file: randomBytes(16).toString("base64url") }
}

/** The form that puts this file into the bucket. */
export async function formFor(upload: Info, until: Date) {
  const { contentType, fileName, size } = upload
  const range: [number, number] = [size ?? 1, size ?? maxUploadBytes]
  return await StoredMedia.formFor({ key: keyOf(upload), contentType, fileName, size: range, until })
}

/** An uploaded file, to send it; undefined when there is none, or it is too old. */
export async function open(bridgeId: string, file: string): Promise<StoredMedia.Uploaded | undefined> {
  if (!config.STORAGE_DIR) return await StoredMedia.open(keyOf({ bridgeId, file }), keptMs)
  const path = pathOf({ bridgeId, file })
  const age = await stat(path).then(({ mtimeMs }) => nowMs() - mtimeMs, absent)
  if (age === undefined || age > keptMs) return undefined
  const about = await readFile(aboutOf(path), "utf8").catch(absent)
  return about === undefined ? undefined : { ...About.parse(JSON.parse(about)), body: createReadStream(path) }
}

const About = z.object({ contentType: z.string(), fileName: z.string() })

/**
 * Writes a file to the disk of one machine. It is there when it is whole.
 * @throws ApiError `storage_full`, and what reading `bytes` throws
 */
export async function keep(upload: Info, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const path = pathOf(upload)
  const { contentType, fileName } = upload
  await mkdir(folder(), { recursive: true, mode: 0o700 })
  const part = `${path}.part`
  try {
    await pipeline(whileThereIsRoom(bytes), createWriteStream(part, { mode: 0o600 }))
    await writeFile(aboutOf(path), JSON.stringify({ contentType, fileName }), { mode: 0o600 })
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
}

async function* whileThereIsRoom(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    if (!DiskRoom.hasRoom()) throw DiskRoom.refusal()
    yield chunk
  }
}

/** Removes files that nobody can send any more, and what a crash has left of others. */
export async function removeOld(): Promise<void> {
  for (const name of (await readdir(folder()).catch(absent)) ?? []) {
    const path = join(folder(), name)
    const { mtimeMs } = (await stat(path).catch(absent)) ?? { mtimeMs: Infinity }
    if (nowMs() - mtimeMs > keptMs) await rm(path, { force: true })
  }
}

function keyOf({ bridgeId, file }: Pick<Info, "bridgeId" | "file">): string {
  return StoredMedia.keyOf(bridgeId, `upload-${file}`)
}

function folder(): string {
  return join(config.STORAGE_DIR ?? "", "uploads")
}

function pathOf({ bridgeId, file }: Pick<Info, "bridgeId" | "file">): string {
  return join(folder(), `${bridgeId}-${file}`)
}

function aboutOf(path: string): string {
  return `${path}.json`
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
  throw error
}
