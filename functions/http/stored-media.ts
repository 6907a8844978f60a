import { Readable } from "node:stream"
import type { Context } from "hono"
import { StoredMedia } from "#core/stored-media.ts"
import type { ApiEnv } from "./router.ts"

/** Where the media of an answer are, for the function that streams them (`functions/stream`). */
export const storedAt = "x-stored-at"

/**
 * Media that the host has put into the bucket, or, on Lambda, where they are: they may be larger than an answer of a
 * function that does not stream.
 */
export async function answerMedia(c: Context<ApiEnv>, { key }: StoredMedia.Stored): Promise<Response> {
  if (isOnLambda(c)) return c.body(null, 200, { [storedAt]: encodeURIComponent(key) })
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
