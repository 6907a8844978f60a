import { join } from "node:path"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { FetchError } from "#core/fetch/fetch-error.ts"
import { announcedBytes, Connections, safeFetch } from "#core/fetch/safe-fetch.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { Uploads } from "#core/files/uploads.ts"
import { nameInHeader, nameInPath, safeName } from "./file-name.ts"
import {
  contentTypeOf,
  headBytes,
  type Kind,
  kindOf,
  limitOf,
  type SaidType,
  typeOf,
} from "./kind-and-content-type.ts"

/** Contract, "Time to answer": the limit of the whole fetch, in ms. */
const withinMs = 25_000
/** Contract, "Sent files" */
const redirects = 3

export interface Fetched {
  path: string
  kind: Kind
  mimetype: string
  /** The name of the file; `""` if it has none. */
  name: string
}

/** Where a file is: one of these (Contract, "Sent files"). */
export interface Source {
  url?: string | undefined
  /** The id of an upload. */
  file?: string | undefined
  /** The file itself, in base64. */
  data?: string | undefined
  /** The type of the file at the URL, or in `data`. */
  content_type?: string | undefined
  filename?: string | undefined
}

const tooLong = "reading the upload took too long: try again"

interface Wanted extends Source {
  /** The bridge whose customer sends the file. */
  bridgeId: string
  asSticker?: boolean
  asDocument?: boolean
  /** Whether the file is to become a voice note, so that its type does not matter yet. */
  asVoice?: boolean
  folder: string
}

/**
 * Brings a customer's file into a folder.
 * @throws ApiError `url_not_allowed`, `media_fetch_failed`, `media_type_mismatch`, `payload_too_large`,
 * `not_found`, `storage_full`, `file_limit_reached`
 */
export async function fetchCustomerFile(wanted: Wanted): Promise<Fetched> {
  const { url, file, data = "", filename = "" } = wanted
  if (url !== undefined) return await fromUrl({ ...wanted, url })
  if (file === undefined) {
    const bytes = Buffer.from(data, "base64")
    const said = { ...typeInRequest(wanted), name: filename }
    return await written({ body: [bytes], size: bytes.length, said }, wanted)
  }
  const uploaded = await Uploads.open(wanted.bridgeId, file)
  if (!uploaded) throw new ApiError("not_found", "there is no such file: an upload is kept for 24 hours")
  const { body, size, contentType, fileName } = uploaded
  const mimetype = contentTypeOf(contentType)
  const said = { mimetype, says: "the upload", isWanted: true, name: filename || fileName }
  // The client of the download waits for ever for the rest of an answer that has begun.
  const late = setTimeout(() => body.destroy(sessionUnavailable(tooLong)), withinMs)
  try {
    return await written({ body, size, said }, wanted)
  } finally {
    clearTimeout(late)
    // A body that was not read would keep its connection to the bucket, and all bridges here share a few
    // connections.
    body.destroy()
  }
}

function typeInRequest({ content_type }: Source) {
  return { mimetype: contentTypeOf(content_type), says: "`content_type`", isWanted: true }
}

async function fromUrl(wanted: Wanted & { url: string }): Promise<Fetched> {
  const { url, bridgeId, content_type, filename } = wanted
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
    const { status, headers, body } = answer
    if (status < 200 || status > 299)
      throw new ApiError("media_fetch_failed", `the URL answers with status ${status}`)
    const type =
      content_type === undefined
        ? { mimetype: contentTypeOf(headers["content-type"]), says: "the URL", isWanted: false }
        : typeInRequest(wanted)
    const name = filename || nameInHeader(headers["content-disposition"]) || nameIn(answer.url)
    const size = announcedBytes(answer, Infinity)
    return await written({ body, size, said: { ...type, name } }, wanted)
  } catch (error) {
    if (error instanceof FetchError) throw refusal(error)
    throw error
  } finally {
    await connections.destroy()
  }
}

/** A file on its way. */
interface Coming {
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Its size in bytes; Infinity if its server does not say. */
  size: number
  said: SaidType
}

async function written({ body, size, said }: Coming, wanted: Wanted): Promise<Fetched> {
  const isTooLarge = (kind: Kind) => size !== Infinity && size > limitOf(kind)
  if (isTooLarge("document")) throw tooLarge("document")
  const { head, whole } = await peek(body)
  if (head.length === 0) throw new ApiError("media_type_mismatch", "the file is empty")
  const { mimetype, kind } = await typeAndKind(head, said, wanted)
  if (isTooLarge(kind)) throw tooLarge(kind)
  const path = join(wanted.folder, "plain")
  await FilesOnDisk.write(path, Math.min(size, limitOf(kind)), bounded(whole, kind))
  return { path, kind, mimetype, name: safeName(said.name) || "file" }
}

async function typeAndKind(head: Buffer, said: SaidType, { asSticker = false, asVoice, asDocument }: Wanted) {
  if (asVoice) return { mimetype: said.mimetype, kind: "document" as const }
  const mimetype = await typeOf(head, said)
  return { mimetype, kind: asDocument ? ("document" as const) : kindOf(mimetype, asSticker) }
}

/** The beginning of a file, and the whole file, which includes that beginning. */
async function peek(body: Coming["body"]): Promise<{ head: Buffer; whole: AsyncIterable<Uint8Array> }> {
  const rest = Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]()
  const first: Uint8Array[] = []
  let missing = headBytes
  while (missing > 0) {
    const next = await rest.next()
    if (next.done) break
    first.push(next.value)
    missing -= next.value.length
  }
  async function* whole() {
    yield* first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  }
  return { head: Buffer.concat(first).subarray(0, headBytes), whole: whole() }
}

/** Applies the limit of the file's kind, which only its type reveals. */
async function* bounded(body: AsyncIterable<Uint8Array>, kind: Kind): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > limitOf(kind)) throw tooLarge(kind)
    yield chunk
  }
}

/** The last part of the URL's path. */
function nameIn(url: string): string {
  const { pathname } = new URL(url)
  const last = pathname.slice(pathname.lastIndexOf("/") + 1)
  try {
    return nameInPath(decodeURIComponent(last))
  } catch {
    // The name is not percent-encoded, so it is meant as it stands.
    return last
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
