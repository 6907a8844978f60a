import { fileTypeFromBuffer } from "file-type"
import { getMimeType } from "hono/utils/mime"
import { ApiError } from "#core/error.ts"
import type { Media } from "../network/connection.ts"

export type Kind = Media["kind"]

/**
 * Contract, "Sent files": 100 MB for a document, 16 MB for everything else. The network takes no larger
 * document.
 */
const documentBytes = 100_000_000
const otherBytes = 16 * 1024 * 1024

/** The largest size of a file of this kind, in bytes. */
export function limitOf(kind: Kind): number {
  return kind === "document" ? documentBytes : otherBytes
}

/**
 * The kind under which a file is sent, by its type (Contract, "Sent files").
 * @throws ApiError `media_type_mismatch`
 */
export function kindOf(contentType: string, asSticker: boolean): Kind {
  const isImage = ["image/jpeg", "image/png", "image/webp"].includes(contentType)
  if (asSticker && !isImage) throw new ApiError("media_type_mismatch")
  if (isImage) return asSticker ? "sticker" : "image"
  // An animated GIF is converted to a video.
  if (contentType.startsWith("video/") || contentType === "image/gif") return "video"
  // A sound that is not Opus is converted.
  if (contentType === "audio/ogg" || contentType === "application/ogg") return "voice"
  return contentType.startsWith("audio/") ? "audio" : "document"
}

/** The type of arbitrary bytes. */
const arbitrary = "application/octet-stream"

/**
 * The type in lower case, without parameters; for a missing or malformed header, the type of arbitrary bytes.
 */
export function contentTypeOf(header: unknown): string {
  const type = typeof header === "string" ? header.split(";")[0]!.trim().toLowerCase() : ""
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : arbitrary
}

/** How many bytes at the beginning of a file reveal its type. */
export const headBytes = 4100

/** What is said about a file's type, besides its bytes. */
export interface SaidType {
  /** As `contentTypeOf` gives it. */
  mimetype: string
  /** The source of that type. */
  says: string
  /** Whether the customer says so, and not merely a server. */
  isWanted: boolean
  name: string
}

/**
 * The type of a file, by its first bytes: they reveal every type that phones show in another way than as a
 * document. They reveal only few types of documents: otherwise the type is the one that was said, or else the
 * one that the name says. Ogg is `audio/ogg` if its sound is Opus, and else `application/ogg`.
 * @throws ApiError `media_type_mismatch` if the customer says another type, or if a server says that a file
 * is a picture, a video or a sound that it is not
 */
export async function typeOf(head: Buffer, { mimetype, says, isWanted, name }: SaidType): Promise<string> {
  const seen = await typeByBytes(head)
  if (!seen) {
    if (isShown(mimetype)) throw mismatch(`${says} says ${mimetype}, but the file does not begin like one`)
    if (!saysNothing.has(mimetype)) return mimetype
    const named = contentTypeOf(getMimeType(name.toLowerCase()))
    return isShown(named) ? arbitrary : named
  }
  if (saysNothing.has(mimetype) || (!isWanted && wrappers.has(mimetype)))
    return (wrappers.has(seen) && getMimeType(name, wrapped)) || seen
  const [container, said] = [containerOf(seen), containerOf(mimetype)]
  // Some containers hold sounds as well as videos, and always begin as a video.
  if (container === said) return mimetype.startsWith("audio/") ? seen.replace(/^video\//, "audio/") : seen
  const areDocuments = !isShown(seen) && !isShown(mimetype)
  if (areDocuments && (isWanted || wrappers.has(seen))) return mimetype
  if (!isWanted) return seen
  throw mismatch(`${says} says ${mimetype}, but the file begins like ${seen}`)
}

/** The types that servers give to files that they do not know. */
const saysNothing = new Set([
  arbitrary,
  "binary/octet-stream",
  "application/binary",
  "application/download",
  "application/force-download",
  "application/x-download",
])

/** Many formats of documents begin like these. */
const wrappers = new Set(["application/zip", "application/x-cfb", "application/xml", "application/gzip"])

const office = "application/vnd.openxmlformats-officedocument"
/** Documents that may begin like a wrapper and like nothing else, by the ends of their names. */
const wrapped = {
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  docx: `${office}.wordprocessingml.document`,
  xlsx: `${office}.spreadsheetml.sheet`,
  pptx: `${office}.presentationml.presentation`,
  apk: "application/vnd.android.package-archive",
}

/** The network's names for these. */
const usual = new Map([
  ["image/apng", "image/png"],
  ["audio/x-m4a", "audio/mp4"],
  ["video/x-m4v", "video/mp4"],
  ["audio/ogg; codecs=opus", "audio/ogg"],
  ["audio/ogg", "application/ogg"],
])

async function typeByBytes(head: Buffer): Promise<string | undefined> {
  const seen = await fileTypeFromBuffer(head)
  // Phones do not play this type, and texts in UTF-16 begin like it.
  if (!seen || seen.ext === "mp1") return undefined
  return usual.get(seen.mime) ?? contentTypeOf(seen.mime)
}

/** Containers that have several types, by what follows the slash, without `x-` and `vnd.`. */
const containers = new Map([
  ["m4a", "mp4"],
  ["m4v", "mp4"],
  ["quicktime", "mp4"],
  ["3gpp", "mp4"],
  ["3gpp2", "mp4"],
  ["mp4a-latm", "mp4"],
  ["webm", "matroska"],
  ["opus", "ogg"],
  ["vorbis", "ogg"],
  ["mp3", "mpeg"],
  ["mp1s", "mpeg"],
  ["mp2p", "mpeg"],
  ["wave", "wav"],
  ["pn-wav", "wav"],
  ["aacp", "aac"],
  ["jpg", "jpeg"],
  ["msvideo", "avi"],
  ["ms-wma", "ms-asf"],
  ["ms-wmv", "ms-asf"],
])

/** The container that a file of this type is in. */
export function containerOf(type: string): string {
  const format = type.replace(/^.*\/(?:x-|vnd\.)?/, "")
  return containers.get(format) ?? format
}

/** Whether phones show this type in another way than as a document. */
function isShown(type: string): boolean {
  return /^(?:audio\/|video\/|application\/ogg$|image\/(?:jpe?g|png|webp|gif)$)/.test(type)
}

function mismatch(sentence: string): ApiError {
  return new ApiError("media_type_mismatch", sentence)
}
