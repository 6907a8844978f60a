import { createWriteStream } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { ApiError } from "#core/error.ts"
import { Connections } from "#core/fetch/connections.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { safeFetch } from "#core/fetch/safe-fetch.ts"
import { contentTypeOf, headBytes, type Kind, kindOf, limitOf, looksLike } from "./kind-and-content-type.ts"

/** Contract, "Time to answer": for the whole fetch, in ms. */
const withinMs = 25_000
/** Contract, "Sent files" */
const redirects = 3

export interface Fetched {
  path: string
  kind: Kind
  mimetype: string
  /** From the URL's path. */
  name: string
}

interface Wanted {
  url: string
  /** The bridge whose customer wants it. */
  bridgeId: string
  asSticker: boolean
  folder: string
}

/**
 * Fetches the file at a customer's URL into a folder.
 * @throws ApiError `url_not_allowed`, `media_fetch_failed`, `media_type_mismatch`, `payload_too_large`
 */
export async function fetchMedia(wanted: Wanted): Promise<Fetched> {
  const connections = new Connections()
  try {
    return await fetchWith(wanted, connections)
  } catch (error) {
    if (error instanceof FetchError) throw refusal(error)
    throw error
  } finally {
    await connections.destroy()
  }
}

async function fetchWith(input: Wanted, connections: Connections): Promise<Fetched> {
  const { url, bridgeId } = input
  const answer = await safeFetch({
    url,
    connections,
    share: bridgeId,
    method: "GET",
    redirects,
    withinMs,
    maxBytes: limitOf("document"),
  })
  if (answer.status < 200 || answer.status > 299)
    throw new ApiError("media_fetch_failed", `the URL answers with status ${answer.status}`)
  const mimetype = contentTypeOf(answer.headers["content-type"])
  const kind = kindOf(mimetype, input.asSticker)
  if (Number(answer.headers["content-length"] ?? 0) > limitOf(kind)) throw tooLarge(kind)

  const path = join(input.folder, "plain")
  await pipeline(bounded(answer.body, kind), createWriteStream(path, { flags: "wx", mode: 0o600 }))
  if (!looksLike(mimetype, await headOf(path)))
    throw new ApiError(
      "media_type_mismatch",
      `the URL answers with ${mimetype}, but its file does not begin like one`,
    )
  return { path, kind, mimetype, name: nameIn(url) }
}

/** Applies the limit of the file's kind, which only the answer's Content-Type reveals. */
async function* bounded(body: AsyncIterable<Uint8Array>, kind: Kind): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > limitOf(kind)) throw tooLarge(kind)
    yield chunk
  }
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The last part of the URL's path. */
function nameIn(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(last).slice(0, 255).toWellFormed() || "file"
  } catch {
    // Not percent-encoded, so it is meant as it stands.
    return last.slice(0, 255)
  }
}

function tooLarge(kind: Kind): ApiError {
  const mb = Math.floor(limitOf(kind) / 1_000_000)
  return new ApiError("payload_too_large", `the file is too large to be sent as ${kind}: at most ${mb} MB`)
}

function refusal({ category }: FetchError): ApiError {
  if (category === "blocked") return new ApiError("url_not_allowed")
  if (category === "too_large") return tooLarge("document")
  return new ApiError("media_fetch_failed", `the URL could not be fetched: ${category}`)
}
