import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { ApiError } from "#core/error.ts"

/** Room for 65,536 characters, each escaped as `\uXXXX`, and the rest of the body. */
const maxBytes = 512 * 1024
/** A deeper value would overflow the stack of code that walks it. */
const maxDepth = 32

const counted = bodyLimit({
  maxSize: maxBytes,
  onError: () => {
    throw tooLarge()
  },
})

/** Methods whose body nothing reads. */
const bodiless = new Set(["GET", "TRACE"])

/** Refuses a body that says that it is too long. A body of unknown length is read until it is too long. */
export const limitedBody = createMiddleware(async (c, next) => {
  if (bodiless.has(c.req.method)) return await next()
  const claimed = c.req.header("content-length")
  // The body can have no more bytes than this (RFC 9112, 6.3).
  const isFixed = claimed !== undefined && c.req.header("transfer-encoding") === undefined
  if (!isFixed) return await counted(c, next)
  if (Number(claimed) > maxBytes) throw tooLarge()
  await next()
})

/**
 * Accepts only JSON of reasonable size and depth. An empty body counts as an empty object, so each required
 * field is missing.
 */
export const jsonBody = createMiddleware(async (c, next) => {
  const bytes = bodiless.has(c.req.method) ? new ArrayBuffer() : await c.req.arrayBuffer()
  // The content-length is only a claim, so the bytes are counted.
  if (bytes.byteLength > maxBytes) throw tooLarge()
  const text = bytes.byteLength > 0 ? checked(bytes, c.req.header("content-type") ?? "") : "{}"
  // All readers that follow get this. Hono keeps promises here, whatever its type says.
  c.req.bodyCache = { text: Promise.resolve(text) as unknown as string }
  // The validator skips bodies whose type it does not take for JSON, and it is stricter than RFC 9110: give
  // it the one name it knows.
  c.req.raw.headers.set("content-type", "application/json")
  await next()
})

/** @throws ApiError `unsupported_media_type`, `invalid_request` */
function checked(bytes: ArrayBuffer, contentType: string): string {
  if (!/^application\/json *(?:;|$)/i.test(contentType)) throw new ApiError("unsupported_media_type")
  const { text, value } = parsed(bytes)
  if (isTooDeep(value))
    throw new ApiError("invalid_request", `the body is nested too deeply: at most ${maxDepth} levels`)
  return text
}

function parsed(bytes: ArrayBuffer): { text: string; value: unknown } {
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

function tooLarge(): ApiError {
  return new ApiError("payload_too_large")
}
