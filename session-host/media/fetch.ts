import { open } from "node:fs/promises"
import { join } from "node:path"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { Connections } from "#core/fetch/connections.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { announcedBytes, safeFetch } from "#core/fetch/safe-fetch.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { Uploads } from "#core/files/uploads.ts"
import { contentTypeOf, headBytes, type Kind, kindOf, limitOf, looksLike } from "./kind-and-content-type.ts"

/** Contract, "Time to answer": for the whole fetch, in ms. */
const withinMs = 25_000
/** Contract, "Sent files" */
const redirects = 3

export interface Fetched {
  path: string
  kind: Kind
  mimetype: string
  /** Of the file; `""` if there is none. */
  name: string
}

/** Where a file is: one of these (Contract, "Sent files"). */
export interface Source {
  url?: string | undefined
  /** The id of an upload. */
  file?: string | undefined
  /** The file itself, in base64, and its type. */
  data?: string | undefined
  content_type?: string | undefined
}

const tooLong = "reading the upload took too long: try again"

interface Wanted extends Source {
  /** The bridge whose customer wants it. */
  bridgeId: string
  asSticker: boolean
  /** The file is to become a voice note, so its type does not matter yet. */
  asVoice?: boolean
  folder: string
}

/**
 * Brings a customer's file into a folder.
 * @throws ApiError `url_not_allowed`, `media_fetch_failed`, `media_type_mismatch`, `payload_too_large`,
 * `not_found`, `storage_full`, `file_limit_reached`
 */
export async function fetchCustomerFile(wanted: Wanted): Promise<Fetched> {
  const { url, file, data = "", content_type = "" } = wanted
  if (url !== undefined) return await fromUrl({ ...wanted, url })
  if (file === undefined) {
    const bytes = Buffer.from(data, "base64")
    return await written(
      {
        body: [bytes],
        size: bytes.length,
        mimetype: contentTypeOf(content_type),
        name: "",
        says: "`content_type`",
      },
      wanted,
    )
  }
  const uploaded = await Uploads.open(wanted.bridgeId, file)
  if (!uploaded) throw new ApiError("not_found", "there is no such file: an upload is kept for 24 hours")
  const { body, size, contentType, fileName } = uploaded
  // Its client waits for ever for the rest of an answer that has begun.
  const late = setTimeout(() => body.destroy(sessionUnavailable(tooLong)), withinMs)
  try {
    return await written(
      { body, size, mimetype: contentTypeOf(contentType), name: fileName, says: "the upload" },
      wanted,
    )
  } finally {
    clearTimeout(late)
    // One that was not read would keep its connection to the bucket, of which all bridges here share a few.
    body.destroy()
  }
}

async function fromUrl(wanted: Wanted & { url: string }): Promise<Fetched> {
  const { url, bridgeId } = wanted
  const connections = new Connections()
  try {
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
    const kind = kindOfWanted(mimetype, wanted)
    const size = announcedBytes(answer, limitOf("document"))
    if (Number(answer.headers["content-length"] ?? 0) > limitOf(kind)) throw tooLarge(kind)
    return await written({ body: answer.body, size, mimetype, name: nameIn(url), says: "the URL" }, wanted)
  } catch (error) {
    if (error instanceof FetchError) throw refusal(error)
    throw error
  } finally {
    await connections.destroy()
  }
}

/** A file on its way, its type, and who has said that this is its type. */
interface Coming {
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Its bytes at most. */
  size: number
  mimetype: string
  name: string
  says: string
}

async function written({ body, size, mimetype, name, says }: Coming, wanted: Wanted): Promise<Fetched> {
  const kind = kindOfWanted(mimetype, wanted)
  const path = join(wanted.folder, "plain")
  await FilesOnDisk.write(path, Math.min(size, limitOf(kind)), bounded(body, kind))
  if (!wanted.asVoice && !looksLike(mimetype, await headOf(path)))
    throw new ApiError(
      "media_type_mismatch",
      `${says} says ${mimetype}, but the file does not begin like one`,
    )
  return { path, kind, mimetype, name }
}

function kindOfWanted(mimetype: string, { asSticker, asVoice }: Wanted): Kind {
  return asVoice ? "document" : kindOf(mimetype, asSticker)
}

/** Applies the limit of the file's kind, which only its type reveals. */
async function* bounded(body: Coming["body"], kind: Kind): AsyncGenerator<Uint8Array> {
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
