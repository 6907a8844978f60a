import { randomBytes } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { Busboy, type BusboyFileStream } from "@fastify/busboy"
import { Hono } from "hono"
import { LRUCache } from "lru-cache"
import { createUpload, maxUploadBytes } from "#contract/upload.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { ApiError, noSuchBridge, sessionUnavailable } from "#core/error.ts"
import { Uploads } from "#core/files/uploads.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { Slots } from "#core/platform/slots.ts"
import { originOf } from "../http/address.ts"
import { type ApiEnv, contractRouter } from "../http/contract-router.ts"
import { mustBePlain } from "../http/json-body.ts"

/** Contract, "Uploads": for how long a form may be sent, in ms. */
const formMs = 15 * 60 * 1000

/** Where forms go on one machine. */
const uploadsPath = "/uploads"

interface OpenForm {
  bridge: Bridge.Info
  upload: Uploads.Info
}

/**
 * The forms of each account that may still be sent here, by their tokens. Each is good for one file. An
 * account that has more loses its oldest.
 */
const awaited = new LRUCache<string, LRUCache<string, OpenForm>>({ max: 10_000, ttl: formMs })
const mostForms = 1000

const patience = {
  ms: 10_000,
  refusal: () => sessionUnavailable("too many files are being uploaded at once: try again"),
}
/** How many files of a bridge come at once, and how many of all, and of an account among these. */
const ofBridges = new Slots({ most: Infinity, each: 2 }, patience)
const ofAccounts = new Slots({ most: 32, each: 8 }, patience)

/** How fast a file has to come, in bytes a second, after its first seconds. */
export const pace = { leastRate: 64_000, graceMs: 30_000 }

export const uploads = contractRouter().openapi(createUpload, async (c) => {
  if (!DiskRoom.hasRoom()) throw DiskRoom.refusal()
  const { content_type: contentType, filename: fileName = "", size } = c.req.valid("json")
  const upload = Uploads.withNewId({ bridgeId: c.var.bridge.id, contentType, fileName, size })
  const until = nowMs() + formMs
  const form = config.STORAGE_DIR
    ? formHere({ bridge: c.var.bridge, upload }, originOf(c))
    : await Uploads.formFor(upload, new Date(until))
  return c.json({ file: upload.file, upload: form, expires_at: Math.floor(until / 1000) }, 200)
})

function formHere(form: OpenForm, origin: string) {
  const { accountId } = form.bridge
  const token = `${accountId}.${randomBytes(32).toString("base64url")}`
  const forms = awaited.get(accountId) ?? new LRUCache<string, OpenForm>({ max: mostForms, ttl: formMs })
  awaited.set(accountId, forms.set(token, form))
  return { url: `${origin}${uploadsPath}`, fields: { token } }
}

/** The door for forms on one machine. It needs no key: the form has its own. */
export const uploadForms = new Hono<ApiEnv>().post(uploadsPath, async (c) => {
  mustBePlain(c.req.header("content-encoding"))
  // Without a length, a body may have any.
  const announced = Number(c.req.header("content-length") ?? maxUploadBytes)
  if (announced > maxUploadBytes + formBytes) throw tooLarge()
  await received(c.req.raw, Math.min(announced, maxUploadBytes))
  return c.body(null, 204)
})

/** The most bytes of a form beside the file. */
const formBytes = 16_384

/**
 * Takes in a form: the token, then the file, of `most` bytes. What is not whole leaves nothing. @throws
 * ApiError
 */
async function received({ body, headers }: Request, most: number): Promise<void> {
  const form = parserOf(headers.get("content-type") ?? "")
  const fields = new Map<string, string>()
  let file: BusboyFileStream | undefined
  let kept: Promise<void> | undefined
  form.on("field", (name, value) => void fields.set(name, value))
  // A reader of the form or its file sees their errors. Once there is no reader, an error is of no interest.
  form.on("error", () => {})
  form.on("file", (name, stream) => {
    file = stream.on("error", () => {})
    kept = name === "file" ? storeAwaited(fields.get("token") ?? "", most, stream) : Promise.reject(noFile())
    // The sender hears the reason only once they have sent everything, so the rest is read and thrown away.
    kept.catch(() => stream.resume())
  })
  try {
    await pipeline(inTime(body ?? new Blob([]).stream()), form)
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

/**
 * The bytes of a form, as long as they come fast enough: what trickles or stops would keep its place from
 * others.
 * @throws ApiError `payload_too_large`, `invalid_request`
 */
async function* inTime(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const startMs = performance.now()
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => "whoever reads on is told")
  let bytes = 0
  const looking = setInterval(() => {
    const seconds = (performance.now() - startMs - pace.graceMs) / 1000
    if (bytes < seconds * pace.leastRate) late.reject(tooSlow())
  }, 1000)
  const chunks = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { value, done } = await Promise.race([chunks.next(), late.promise])
      if (done) return
      bytes += value.length
      if (bytes > maxUploadBytes + formBytes) throw tooLarge()
      yield value
    }
  } finally {
    clearInterval(looking)
  }
}

function tooSlow(): ApiError {
  return new ApiError(
    "invalid_request",
    "the file came too slowly, or no longer at all: ask for a new form, and send at least 64 kB a second",
    { headers: { connection: "close" } },
  )
}

function noFile(): ApiError {
  return new ApiError("invalid_request", "the form has no file: send it as the field `file`, last")
}

/** An error of a socket has a system call, too, but neither a path nor one of these codes. */
function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = "", path } = error as NodeJS.ErrnoException
  return path !== undefined || ["ENOSPC", "EDQUOT", "EIO", "EROFS"].includes(code)
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

/**
 * @throws ApiError `not_found`, `payload_too_large`, `invalid_request`, `storage_full`, `file_limit_reached`,
 * `session_unavailable`
 */
async function storeAwaited(token: string, most: number, file: BusboyFileStream): Promise<void> {
  const [accountId = ""] = token.split(".", 1)
  const forms = awaited.get(accountId)
  const form = forms?.get(token)
  if (!form)
    throw new ApiError("not_found", "this form was used, is too old, or has no token before its file")
  forms?.delete(token)
  const { bridge, upload } = form
  if (!(await Bridge.isThere(bridge))) throw noSuchBridge()
  const { bridgeId, size } = upload
  const kept = () => Uploads.store(upload, size ?? most, whole(file, size))
  await ofBridges.use(() => ofAccounts.use(kept, accountId), bridgeId)
}

/** The bytes of a file. In the end it throws if they are not as many as they should be. */
async function* whole(file: BusboyFileStream, size: number | undefined): AsyncGenerator<Uint8Array> {
  let bytes = 0
  // The caller reads on when this ends early.
  const chunks = file.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (size !== undefined && bytes > size)
      throw new ApiError("invalid_request", `the file has more than the ${size} bytes that the form was for`)
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
