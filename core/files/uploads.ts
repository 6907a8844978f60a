export * as Uploads from "./uploads.ts"

import { randomBytes } from "node:crypto"
import { maxUploadBytes } from "#contract/upload.ts"
import { config } from "../platform/config.ts"
import { FilesOnDisk } from "./files-on-disk.ts"
import { StoredMedia } from "./stored-media.ts"

// Files that customers upload, to send them (Contract, "Uploads"). On AWS they go to the bucket by a form
// that S3 itself checks, since a function takes 6 MB. On one machine they go through its own door, to the
// disk that its processes share.

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

export function withNewId(about: Omit<Info, "file">): Info {
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
  return await FilesOnDisk.open("uploads", { bridgeId, name: nameOf({ bridgeId, file }) }, keptMs)
}

/**
 * Writes a file to the disk of one machine. It is there when it is whole.
 * @param most how many bytes there may be
 * @throws ApiError `storage_full`, `file_limit_reached`, and what reading `bytes` throws
 */
export async function store(upload: Info, most: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const name = { bridgeId: upload.bridgeId, name: nameOf(upload) }
  await FilesOnDisk.store("uploads", name, { ...upload, most }, bytes)
}

/** Removes files that can no longer be sent. */
export async function removeOld(): Promise<void> {
  await FilesOnDisk.removeOld("uploads", keptMs)
}

function keyOf({ bridgeId, file }: Pick<Info, "bridgeId" | "file">): string {
  return StoredMedia.keyOf(bridgeId, `upload-${file}`)
}

function nameOf({ bridgeId, file }: Pick<Info, "bridgeId" | "file">): string {
  return `${bridgeId}-${file}`
}
