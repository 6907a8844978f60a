export * as StoredMedia from "./stored-media.ts"

import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import { GetObjectCommand, HeadObjectCommand, NoSuchKey, NotFound, S3Client } from "@aws-sdk/client-s3"
import { serviceAt, transferTimeouts } from "../platform/aws-client-options.ts"
import { nowMs } from "../platform/clock.ts"
import { config, need } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"
import { FilesOnDisk } from "./files-on-disk.ts"
import { putInParts } from "./put-in-parts.ts"
import { hmac, signingKey } from "./sign-v4.ts"

/** Contract, "Received media", in milliseconds. */
export const cachedForMs = 3 * 3600 * 1000

const bucket = lazily(
  () =>
    new S3Client({
      maxAttempts: 4,
      requestChecksumCalculation: "WHEN_REQUIRED",
      ...transferTimeouts,
      ...serviceAt(config.AWS_ENDPOINT_URL_S3),
    }),
)

/** The object's key. A message's id alone does not identify a message, since senders choose ids. */
export function keyOf(bridgeId: string, message: string): string {
  return `${bridgeId}/${message}`
}

/** Whether it was stored in the last three hours. */
export async function isFresh(key: string): Promise<boolean> {
  if (config.STORAGE_DIR) return await FilesOnDisk.isThere("media", nameOf(key), cachedForMs)
  try {
    const head = await bucket.send(new HeadObjectCommand({ Bucket: need("MEDIA_BUCKET"), Key: key }))
    return nowMs() - (head.LastModified?.getTime() ?? 0) < cachedForMs
  } catch (error) {
    if (error instanceof NotFound) return false
    throw error
  }
}

interface Stored {
  key: string
  path: string
  contentType: string
  /** The name under which a recipient may save it. */
  fileName: string
}

/** Stores a file. @throws ApiError `storage_full`, `file_limit_reached` on one machine */
export async function put(input: Stored): Promise<void> {
  if (!config.STORAGE_DIR) return await putInBucket(input)
  const { size: most } = await stat(input.path)
  await FilesOnDisk.store("media", nameOf(input.key), { ...input, most }, bytesOf(input.path))
}

/** Opened only at the first read, so that nothing stays open when there is no reader. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path)
}

/** Removes files from the disk of one machine that are not fresh. The bucket removes its own by a rule. */
export async function removeOld(): Promise<void> {
  await FilesOnDisk.removeOld("media", cachedForMs)
}

async function putInBucket(input: Stored): Promise<void> {
  const target = { Bucket: need("MEDIA_BUCKET"), Key: input.key }
  const about = { ContentType: input.contentType, ContentDisposition: dispositionOf(input.fileName) }
  await putInParts(bucket, target, about, input.path)
}

/** A file that a customer has put there themselves, with a form of `formFor`. */
export interface Uploaded {
  /** In bytes. */
  size: number
  contentType: string
  fileName: string
  body: Readable
}

/** An object that is younger than this; undefined when there is none. */
export async function open(key: string, youngerThanMs: number): Promise<Uploaded | undefined> {
  try {
    const found = await bucket.send(new GetObjectCommand({ Bucket: need("MEDIA_BUCKET"), Key: key }))
    const body = found.Body as Readable // on Node
    if (nowMs() - (found.LastModified?.getTime() ?? 0) < youngerThanMs) {
      const contentType = found.ContentType ?? "application/octet-stream"
      const size = found.ContentLength ?? 0 // S3 always says it
      return { size, contentType, fileName: nameIn(found.ContentDisposition), body }
    }
    body.destroy()
    return undefined
  } catch (error) {
    if (error instanceof NoSuchKey) return undefined
    throw error
  }
}

/**
 * A form with which anybody may put exactly this object into the bucket, before it expires (Amazon S3,
 * "Browser-Based Uploads Using POST", AWS Signature Version 4). S3 itself refuses any other key, type or
 * size.
 */
export async function formFor(input: {
  key: string
  contentType: string
  fileName: string
  /** The least and the most bytes. */
  size: [number, number]
  until: Date
}): Promise<{ url: string; fields: Record<string, string> }> {
  const Bucket = need("MEDIA_BUCKET")
  const region = await bucket.config.region()
  const { accessKeyId, secretAccessKey, sessionToken } = await bucket.config.credentials()
  const time = new Date(nowMs()).toISOString().replaceAll(/[-:]|\.\d+/g, "")
  const scope = [time.slice(0, 8), region, "s3", "aws4_request"]
  const signed = {
    key: input.key,
    "Content-Type": input.contentType,
    "Content-Disposition": dispositionOf(input.fileName),
    "x-amz-algorithm": "AWS4-HMAC-SHA256",
    "x-amz-credential": [accessKeyId, ...scope].join("/"),
    "x-amz-date": time,
    ...(sessionToken && { "x-amz-security-token": sessionToken }),
  }
  const conditions = [{ bucket: Bucket }, ["content-length-range", ...input.size], ...each(signed)]
  const policy = Buffer.from(JSON.stringify({ expiration: input.until.toISOString(), conditions })).toString(
    "base64",
  )
  const signature = hmac(signingKey(secretAccessKey, scope), policy).toString("hex")
  const local = config.AWS_ENDPOINT_URL_S3
  const url = local ? `${local}/${Bucket}` : `https://${Bucket}.s3.${region}.amazonaws.com/`
  return { url, fields: { ...signed, policy, "x-amz-signature": signature } }
}

const each = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => ({ [name]: value }))

/** The answer to a call for media: a stranger's bytes, which a browser must neither run nor show. */
export async function get(key: string): Promise<{ headers: Record<string, string>; body: Readable }> {
  const { contentType, size, disposition, body } = await (config.STORAGE_DIR ? onDisk(key) : inBucket(key))
  return {
    headers: {
      "content-type": contentType,
      "content-length": String(size),
      "content-disposition": disposition,
      "content-security-policy": "sandbox",
      // Our own JSON lists are not files, so clients may not cache them.
      "cache-control": contentType === "application/json" ? "no-store" : "private",
      "x-content-type-options": "nosniff",
    },
    body,
  }
}

async function onDisk(key: string) {
  const found = await FilesOnDisk.open("media", nameOf(key), cachedForMs * 2)
  if (!found) throw new Error("a file that was just stored is gone")
  return { ...found, disposition: dispositionOf(found.fileName) }
}

async function inBucket(key: string) {
  const found = await bucket.send(new GetObjectCommand({ Bucket: need("MEDIA_BUCKET"), Key: key }))
  return {
    contentType: found.ContentType ?? "application/octet-stream",
    size: found.ContentLength ?? 0,
    disposition: found.ContentDisposition ?? "attachment",
    // On Node, the SDK returns a Node stream.
    body: found.Body as Readable,
  }
}

/**
 * A file on the disk, of the bridge with which its key begins: the folders of the key become part of its
 * name.
 */
function nameOf(key: string): FilesOnDisk.Name {
  return { bridgeId: key.split("/", 1)[0]!, name: key.replaceAll("/", "-") }
}

/** The name in a header of `dispositionOf`. */
function nameIn(disposition = ""): string {
  return decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? "")
}

/** RFC 6266, with the name in RFC 8187's form, which can hold any name that a stranger chooses. */
function dispositionOf(fileName: string): string {
  if (fileName === "") return "attachment"
  const encoded = encodeURIComponent(fileName.slice(0, 255).toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${encoded}`
}
