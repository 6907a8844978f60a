import { randomBytes } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import { Hono } from "hono"
import { LRUCache } from "lru-cache"
import { createUpload, maxUploadBytes } from "#core/contract/upload.ts"
import { ApiError } from "#core/error.ts"
import { config } from "#core/platform/config.ts"
import { nowMs } from "#core/platform/clock.ts"
import { Slots } from "#core/platform/slots.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { Uploads } from "#core/uploads.ts"
import { originOf } from "../http/address.ts"
import { type ApiEnv, contractRouter } from "../http/contract-router.ts"

/** Contract, "Uploads": for how long a form may be sent, in ms. */
const formMs = 15 * 60 * 1000

/** Where forms go on one machine. */
const uploadsPath = "/uploads"

/** The forms that may still be sent here, by their tokens. Each is good for one file. */
const awaited = new LRUCache<string, Uploads.Info>({ max: 10_000, ttl: formMs })

/** How many files of a bridge, and of all, come at once. */
const ofBridge = new LRUCache<string, Slots>({ max: 10_000 })
const patience = { ms: 10_000, sentence: "too many files are being uploaded at once: try again" }
const ofAll = new Slots(32, patience)

export const uploads = contractRouter().openapi(createUpload, async (c) => {
  if (!DiskRoom.hasRoom()) throw DiskRoom.refusal()
  const { content_type: contentType, filename: fileName = "", size } = c.req.valid("json")
  const upload = Uploads.withNewId({ bridgeId: c.var.bridge.id, contentType, fileName, size })
  const until = nowMs() + formMs
  const form = config.STORAGE_DIR
    ? formHere(upload, originOf(c))
    : await Uploads.formFor(upload, new Date(until))
  return c.json({ file: upload.file, upload: form, expires_at: Math.floor(until / 1000) }, 200)
})

function formHere(upload: Uploads.Info, origin: string) {
  const token = randomBytes(32).toString("base64url")
  awaited.set(token, upload)
  return { url: `${origin}${uploadsPath}`, fields: { token } }
}

/** The door for forms on one machine. It needs no key: the form has its own. */
export const uploadForms = new Hono<ApiEnv>().post(uploadsPath, async (c) => {
  if (Number(c.req.header("content-length") ?? 0) > maxUploadBytes + formBytes) throw tooLarge()
  await received(c.req.raw)
  return c.body(null, 204)
})

/** The most bytes of a form beside the file. */
const formBytes = 16_384

/** Takes in a form: the token, then the file. What is not whole leaves nothing. @throws ApiError */
async function received({ body, headers }: Request): Promise<void> {
  const form = parserOf(headers.get("content-type") ?? "")
  const fields = new Map<string, string>()
  let file: BusboyFileStream | undefined
  let kept: Promise<void> | undefined
  form.on("field", (name, value) => void fields.set(name, value))
  // Whoever reads the form or its file sees their errors. Once nobody reads them, an error concerns nobody.
  form.on("error", () => {})
  form.on("file", (name, stream) => {
    file = stream.on("error", () => {})
    kept = name === "file" ? keep(fields.get("token") ?? "", stream) : Promise.reject(noFile())
    // The sender hears the reason only once they have sent everything, so the rest is read and thrown away.
    kept.catch(() => stream.resume())
  })
  try {
    await pipeline(atMost(maxUploadBytes + formBytes, body ?? new Blob([]).stream()), form)
    if (!kept) throw noFile()
    await kept
  } catch (error) {
    // A file does not end by itself when its form does.
    file?.destroy(new Error("the form ended early"))
    const reasons = [await kept?.catch((reason: unknown) => reason), error]
    const ours = reasons.find((reason) => reason instanceof ApiError || isOfDisk(reason))
    throw ours ?? new ApiError("invalid_request", "the form ended early, or is none: nothing was kept")
  }
}

/** @throws ApiError `payload_too_large` */
async function* atMost(most: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge()
    yield chunk
  }
}

function noFile(): ApiError {
  return new ApiError("invalid_request", "the form has no file: send it as the field `file`, last")
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "path" in error
}

/** @throws ApiError `unsupported_media_type` */
function parserOf(contentType: string) {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: { files: 1, fields: 20, fieldSize: 4096, fileSize: maxUploadBytes },
    })
  } catch {
    // Busboy throws plain errors for any other type of content.
    throw new ApiError("unsupported_media_type", "send the file as multipart/form-data")
  }
}

/** @throws ApiError `not_found`, `payload_too_large`, `invalid_request`, `storage_full`, `session_unavailable` */
async function keep(token: string, file: BusboyFileStream): Promise<void> {
  const upload = awaited.get(token)
  if (!upload)
    throw new ApiError("not_found", "this form was used, is too old, or has no token before its file")
  awaited.delete(token)
  const slots = ofBridge.get(upload.bridgeId) ?? new Slots(2, patience)
  ofBridge.set(upload.bridgeId, slots)
  await slots.use(() => ofAll.use(() => Uploads.keep(upload, whole(file, upload.size))))
}

/** The bytes of a file. In the end it throws if they are not as many as they should be. */
async function* whole(file: BusboyFileStream, size: number | undefined): AsyncGenerator<Uint8Array> {
  let bytes = 0
  // The caller reads on when this ends early.
  const chunks = file.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  for await (const chunk of chunks) {
    bytes += chunk.length
    yield chunk
  }
  if (file.truncated) throw tooLarge()
  if (bytes === 0) throw new ApiError("invalid_request", "the file is empty")
  if (size !== undefined && bytes !== size)
    throw new ApiError("invalid_request", `the file has ${bytes} bytes, and the form was for ${size}`)
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "the file is too large: at most 100 MB")
}
