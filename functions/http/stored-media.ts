import { Readable } from "node:stream"
import type { Context } from "hono"
import { StoredMedia } from "#core/stored-media.ts"
import type { ApiEnv } from "./router.ts"

/**
 * What the host has put into the bucket, or, on Lambda, where it is: it may be larger than an answer of a function that
 * does not stream.
 */
export async function answerStored(c: Context<ApiEnv>, key: string): Promise<Response> {
  if (isOnLambda(c)) return c.body(null, 200, StoredMedia.pointerTo(key))
  const { headers, body } = await StoredMedia.get(key)
  return new Response(streamOf(body), { headers })
}

/** Node's own type of the same thing. */
export function streamOf(body: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(body) as ReadableStream<Uint8Array>
}

/** Lambda's event is passed along with each request. */
function isOnLambda(c: Context<ApiEnv>): boolean {
  return "event" in (c.env as object) // whatever the door passes along
}
