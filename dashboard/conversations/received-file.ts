import type { Context } from "hono"
import { ApiError } from "#core/error.ts"
import { rateLimited } from "#core/error.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Slots } from "#core/platform/slots.ts"
import type { DashboardEnv } from "../guard.ts"
import { callSession } from "../numbers/session-answer.ts"

/** Larger files are saved, and not shown in the page. */
const shownBytes = 20_000_000

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
    if (Number(headers["content-length"]) > shownBytes) {
      body.destroy()
      throw new ApiError(
        "payload_too_large",
        "this file is too large for the page: get it with the API, by `messages/{id}/media`",
      )
    }
    const bytes = Buffer.concat(await Array.fromAsync(body as AsyncIterable<Buffer>))
    return answerBytes(c, bytes, headers["content-disposition"])
  } finally {
    leave()
  }
}

function answerBytes(c: Context<DashboardEnv>, bytes: Buffer, disposition = "attachment"): Response {
  const type = shownAs(bytes)
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
  const from = Number(first)
  if (first === "" || from >= bytes.length) return c.body(new Uint8Array(bytes), 200, about)
  const to = last === "" ? bytes.length - 1 : Math.min(Number(last), bytes.length - 1)
  return c.body(new Uint8Array(bytes.subarray(from, to + 1)), 206, {
    ...about,
    "content-range": `bytes ${from}-${to}/${bytes.length}`,
  })
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
