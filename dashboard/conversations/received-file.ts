import { Readable } from "node:stream"
import type { Context } from "hono"
import { ApiError, rateLimited } from "#core/error.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Slots } from "#core/platform/slots.ts"
import { streamOf } from "#functions/http/stored-media.ts"
import type { DashboardEnv } from "../guard.ts"
import { callSession } from "../numbers/session-answer.ts"

/** Larger files are saved, and not shown in the page. */
const shownBytes = 20_000_000

/** For how long a file is open for a reader at most, in ms. */
const openMs = 600_000

/** How many files an account's pages load at once. A browser asks for six. */
const loading = new Slots({ most: 64, each: 12 }, { ms: 10_000, refusal: () => rateLimited(3) })

/**
 * A file of a message, for our own page: what a browser can show as a picture or play, by its bytes and not
 * by what its sender says; anything else is saved. Nothing in it runs: it comes from a stranger.
 */
export async function receivedFile(c: Context<DashboardEnv>, chat: string, id: string): Promise<Response> {
  const { bridge, requestId } = c.var
  const path = `/messages/${encodeURIComponent(id)}/media?chat=${encodeURIComponent(chat)}`
  const leave = await loading.enter(bridge.accountId)
  try {
    const answer = await callSession({ method: "GET", path, bridgeId: bridge.id, requestId }, false)
    const key = AnswerInBucket.bucketKeyOf(answer.headers)
    if (key === undefined) throw new ApiError("not_found")
    const { headers, body } = await StoredMedia.get(key)
    const size = Number(headers["content-length"])
    if (size > shownBytes) {
      body.destroy()
      throw new ApiError(
        "payload_too_large",
        "this file is too large for the page: get it with the API, by `messages/{id}/media`",
      )
    }
    // A player that is paused reads no further, and asks for another part when it goes on.
    const late = setTimeout(() => body.destroy(), openMs).unref()
    body.once("close", () => clearTimeout(late))
    const { type, bytes } = await begun(body)
    return answerBytes(c, { type, size, body, bytes }, headers["content-disposition"])
  } finally {
    leave()
  }
}

/** What the first bytes of a file say that it is, and the whole file again, of which a part is in memory. */
async function begun(body: Readable): Promise<{ type: string | undefined; bytes: AsyncIterable<Buffer> }> {
  const rest = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let start = Buffer.alloc(0)
  while (start.length < 16) {
    const { value, done } = await rest.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  async function* bytes() {
    yield start
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { type: shownAs(start), bytes: bytes() }
}

function answerBytes(
  c: Context<DashboardEnv>,
  file: { type: string | undefined; size: number; body: Readable; bytes: AsyncIterable<Buffer> },
  disposition = "attachment",
): Response {
  const { type, size, body, bytes } = file
  const about = {
    "content-type": type ?? "application/octet-stream",
    "content-disposition": type && c.req.query("save") === undefined ? "inline" : disposition,
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=3600",
    "accept-ranges": "bytes",
  }
  // Players ask for parts, and some play nothing else.
  const [, first = "", last = ""] = /^bytes=(\d+)-(\d*)$/.exec(c.req.header("range") ?? "") ?? []
  const isPart = first !== "" && Number(first) < size && (last === "" || Number(first) <= Number(last))
  const from = isPart ? Number(first) : 0
  const to = isPart && last !== "" ? Math.min(Number(last), size - 1) : size - 1
  const part = Readable.from(between(bytes, from, to))
  part.once("close", () => body.destroy())
  return c.body(streamOf(part), isPart ? 206 : 200, {
    ...about,
    "content-length": String(Math.max(0, to + 1 - from)),
    ...(isPart && { "content-range": `bytes ${from}-${to}/${size}` }),
  })
}

/** The bytes of a file from one place to another, both included. */
async function* between(bytes: AsyncIterable<Buffer>, from: number, to: number): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to + 1 - at))
    if (part.length > 0) yield part
    at += chunk.length
    if (at > to) return
  }
}

/** What a browser shows or plays in a page, by the first bytes in hexadecimal. None holds a script. */
const kinds: [pattern: RegExp, type: string][] = [
  [/^ffd8ff/, "image/jpeg"],
  [/^89504e470d0a1a0a/, "image/png"],
  [/^4749463[89]/, "image/gif"],
  [/^52494646.{8}57454250/, "image/webp"],
  [/^52494646.{8}57415645/, "audio/wav"],
  [/^4f676753/, "audio/ogg"],
  [/^(?:494433|ff[ef][23ab])/, "audio/mpeg"],
  [/^fff[19]/, "audio/aac"],
  [/^.{8}667479704d34[42]/, "audio/mp4"],
  [/^.{8}66747970/, "video/mp4"],
  [/^1a45dfa3/, "video/webm"],
]

function shownAs(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 16).toString("hex")
  return kinds.find(([pattern]) => pattern.test(start))?.[1]
}
