import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { ApiError } from "#core/error.ts"

/** Room for 65,536 characters, each escaped as two `\uXXXX` as an emoji is, and the rest of the body. */
const maxBytes = 800 * 1024
/** The texts for 10,000 people. Lambda takes 6 MB. */
const mostBytesOfJob = 4_000_000
/** A deeper value would overflow the stack of code that walks it. */
const maxDepth = 32

/** Contract, "Time to answer": how long a body may take to come. */
export const bodyWithin = { ms: 30_000 }

/** Methods whose body nothing reads. */
const bodiless = new Set(["GET", "TRACE"])

/**
 * Accepts only JSON of reasonable size and depth. An empty body counts as an empty object, so each required
 * field is missing.
 */
export const jsonBody = createMiddleware(async (c, next) => {
  const isOfMany = c.req.method === "POST" && /^\/api\/instances\/[^/]+\/proxy\/jobs$/.test(c.req.path)
  const bytes = await bodyOf(c, isOfMany ? mostBytesOfJob : maxBytes)
  const text = bytes.byteLength > 0 ? checked(bytes, c) : "{}"
  // All readers that follow get this. Hono keeps promises here, whatever its type says.
  c.req.bodyCache = { text: Promise.resolve(text) as unknown as string }
  // The validator skips bodies whose type it does not take for JSON, and it is stricter than RFC 9110: give
  // it the one name it knows.
  c.req.raw.headers.set("content-type", "application/json")
  await next()
})

/**
 * The body, of at most so many bytes; empty where the method has none.
 * @throws ApiError `payload_too_large`, `request_timeout`
 */
export async function bodyOf(c: Context, most = maxBytes): Promise<Uint8Array> {
  return bodiless.has(c.req.method) ? new Uint8Array() : await inTime(bytesOf(c, most))
}

/** Refuses a body that says that it is too long. A body of unknown length is read until it is too long. */
async function bytesOf({ req }: Context, most: number): Promise<Uint8Array> {
  const claimed = req.header("content-length")
  // The body can have no more bytes than this (RFC 9112, 6.3).
  const isFixed = claimed !== undefined && req.header("transfer-encoding") === undefined
  if (isFixed && Number(claimed) > most) throw tooLarge(most)
  const bytes = isFixed ? new Uint8Array(await req.arrayBuffer()) : await read(req.raw.body, most)
  // The content-length is only a claim, so the bytes are counted.
  if (bytes.byteLength > most) throw tooLarge(most)
  return bytes
}

async function read(body: ReadableStream<Uint8Array> | null, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // The connection is needed for the answer.
  for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge(most)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws ApiError `request_timeout` */
async function inTime<Result>(reading: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const refusal = new ApiError("request_timeout", undefined, { headers: { connection: "close" } })
  const timer = setTimeout(() => late.reject(refusal), bodyWithin.ms)
  try {
    return await Promise.race([reading, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** @throws ApiError `unsupported_media_type`, `invalid_request` */
function checked(bytes: Uint8Array, { req }: Context): string {
  mustBePlain(req.header("content-encoding"))
  if (!/^application\/json *(?:;|$)/i.test(req.header("content-type") ?? ""))
    throw new ApiError("unsupported_media_type")
  return jsonOf(bytes).text
}

/**
 * Refuses a compressed body: a small one may be huge.
 * @param encoding its `Content-Encoding`
 * @throws ApiError `unsupported_media_type`, which says what is taken (RFC 9110, 12.5.3)
 */
export function mustBePlain(encoding: string | undefined): void {
  if (/^(?:identity)?$/i.test(encoding ?? "")) return
  throw new ApiError(
    "unsupported_media_type",
    "the body is encoded: send it as it is, without Content-Encoding",
    { headers: { "accept-encoding": "identity" } },
  )
}

/** The JSON of a body, of reasonable depth, and its text. @throws ApiError `invalid_request` */
export function jsonOf(bytes: Uint8Array): { text: string; value: unknown } {
  const parsed = parse(bytes)
  if (!isTooDeep(parsed.value)) return parsed
  throw new ApiError("invalid_request", `the body is nested too deeply: at most ${maxDepth} levels`)
}

function parse(bytes: Uint8Array): { text: string; value: unknown } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ApiError("invalid_request", "the body is not JSON")
    throw error
  }
}

/** Walks level by level, not by recursion: the value may be as deep as its text is long. */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((item) => (item && typeof item === "object" ? Object.values(item) : []))
  }
  return false
}

function tooLarge(most: number): ApiError {
  const sentence =
    most === maxBytes ? undefined : `the body is longer than ${Math.floor(most / 1_000_000)} MB`
  return new ApiError("payload_too_large", sentence)
}
