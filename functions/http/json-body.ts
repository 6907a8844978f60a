import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { ApiError } from "#core/error.ts"

/** Room for 65,536 characters, each escaped as `\uXXXX`, and the rest of the body. */
const maxBytes = 512 * 1024
/** Deeper values overflow the stack of whoever walks them. */
const maxDepth = 32

/** Stops reading a body that is too long. */
export const limited = bodyLimit({
  maxSize: maxBytes,
  onError: () => {
    throw tooLarge()
  },
})

/** A body is JSON of reasonable size and depth. Without one every field is missing, as in an empty object. */
export const jsonBody = createMiddleware(async (c, next) => {
  const bytes = c.req.raw.body ? await c.req.arrayBuffer() : new ArrayBuffer()
  // A content-length is a claim; this is a measure.
  if (bytes.byteLength > maxBytes) throw tooLarge()
  if (bytes.byteLength > 0) check(bytes, c.req.header("content-type") ?? "")
  else c.req.bodyCache = { json: Promise.resolve({}) }
  // Validation is left out for what it does not take for JSON, and it is narrower than RFC 9110: one name for all.
  c.req.raw.headers.set("content-type", "application/json")
  await next()
})

/** @throws ApiError `unsupported_media_type`, `invalid_request` */
function check(bytes: ArrayBuffer, contentType: string): void {
  if (!/^application\/json *(?:;|$)/i.test(contentType))
    throw new ApiError("unsupported_media_type", "send the body as application/json")
  if (isTooDeep(parse(bytes))) throw new ApiError("invalid_request", "the body is nested too deeply")
}

function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ApiError("invalid_request", "the body is not JSON")
    throw error
  }
}

/** Level by level, not by recursion: the value may be as deep as its text is long. */
function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((item) => (item && typeof item === "object" ? Object.values(item) : []))
  }
  return false
}

function tooLarge(): ApiError {
  return new ApiError("payload_too_large", "the body is longer than 512 KiB")
}
