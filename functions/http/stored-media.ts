import { Readable } from "node:stream"
import type { Context } from "hono"
import { rateLimited } from "#core/error.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Slots } from "#core/platform/slots.ts"
import type { ApiEnv } from "./contract-router.ts"

/**
 * How many files an account may fetch at once (Contract, "Received media"): fewer than the fewest places that
 * a stage on AWS has for it (`transfers` in `infra/stage/stage.ts`), since a caller who reads slowly holds
 * one for minutes.
 */
export const openDownloads = 8
/** In seconds, until a caller over that limit asks again. */
export const refusedFor = 3

/** The files that this process is giving to callers. Where others do that as well, the store counts them. */
const downloads = new Slots(
  { most: Infinity, each: openDownloads },
  { ms: 0, refusal: () => rateLimited(refusedFor) },
)
/**
 * How long a caller may take over a file, in ms, and for each kB of a large one: as long as an upload may
 * take.
 */
const most = { ms: 600_000, perKb: 1000 / 64 }

/**
 * Answers with a file that the host has put into the bucket. On Lambda it answers only where the file is,
 * since the file may be larger than a function can answer without streaming.
 * @throws ApiError `rate_limited` when the account fetches too many files at once
 */
export async function answerStored(c: Context<ApiEnv>, key: string): Promise<Response> {
  if (isOnLambda(c)) return c.body(null, 200, AnswerInBucket.pointerTo(key, c.var.accountId))
  const leave = await downloads.enter(c.var.accountId)
  try {
    const { headers, body } = await StoredMedia.get(key)
    const ms = Math.max(most.ms, (Number(headers["content-length"]) / 1000) * most.perKb || 0)
    const late = setTimeout(() => body.destroy(), ms).unref()
    body.once("close", () => {
      clearTimeout(late)
      leave()
    })
    return new Response(streamOf(body), { headers })
  } catch (error) {
    leave()
    throw error
  }
}

/** The same stream as a web stream, in Node's own type. */
export function streamOf(body: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(body) as ReadableStream<Uint8Array>
}

/** Lambda's event is passed along with each request. */
function isOnLambda(c: Context<ApiEnv>): boolean {
  return "event" in (c.env as object) // whatever the door passes along
}
