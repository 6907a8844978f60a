import { Readable } from "node:stream"
import type { Context } from "hono"
import { AnswerInBucket } from "#core/answer-in-bucket.ts"
import { StoredMedia } from "#core/stored-media.ts"
import type { ApiEnv } from "./contract-router.ts"

/**
 * Answers with a file that the host has put into the bucket. On Lambda it answers only where the file is, since the
 * file may be larger than a function can answer without streaming.
 */
export async function answerStored(c: Context<ApiEnv>, key: string): Promise<Response> {
  if (isOnLambda(c)) return c.body(null, 200, AnswerInBucket.pointerTo(key, c.var.accountId))
  const { headers, body } = await StoredMedia.get(key)
  return new Response(streamOf(body), { headers })
}

/** The same stream as a web stream, in Node's own type. */
export function streamOf(body: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(body) as ReadableStream<Uint8Array>
}

/** Lambda's event is passed along with each request. */
function isOnLambda(c: Context<ApiEnv>): boolean {
  return "event" in (c.env as object) // whatever the door passes along
}
