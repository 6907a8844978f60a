import { bodyLimit } from "hono/body-limit"
import { createMiddleware } from "hono/factory"
import { ApiError } from "#core/error.ts"

/** Room for 65,536 characters, each escaped as `\uXXXX`, and the rest of the body. */
const maxBytes = 512 * 1024
/** A deeper value would overflow the stack of code that walks it. */
const maxDepth = 32

/** Stops reading a body that is too long. */
export const limited = bodyLimit({
  maxSize: maxBytes,
  onError: () => {
    throw tooLarge()
  },
})

/**
 * Accepts only JSON of reasonable size and depth. An empty body counts as an empty object, so each required field is
 * missing.
 */
export const jsonBody = createMiddleware(async (c, next) => {
  const bytes = c.req.raw.body ? await c.req.arrayBuffer() : new ArrayBuffer()
  // The content-length is only a claim, so the bytes are counted.
  if (bytes.byteLength > maxBytes) throw tooLarge()
  if (bytes.byteLength > 0) check(bytes, c.req.header("content-type") ?? "")
  else c.req.bodyCache = { json: Promise.resolve({}) }
  // The validator skips bodies whose type it does not take for JSON, and it is stricter than RFC 9110: give it the one
  // name it knows.
  c.req.raw.headers.set("content-type", "application/json")
  await next()
})

/** @throws ApiError `unsupported_media_type`, `invalid_request` */
function check(bytes: ArrayBuffer, contentType: string): void {
  if (!/^application\/json *(?:;|$)/i.test(contentType)) throw new ApiError("unsupported_media_type")
  if (isTooDeep(parse(bytes)))
    throw new ApiError("invalid_request", `the body is nested too deeply: at most ${maxDepth} levels`)
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
