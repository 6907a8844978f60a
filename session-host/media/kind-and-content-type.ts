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
 * The kind under which a file is sent, by its Content-Type (Contract, "Sent files"). @throws ApiError
 * `media_type_mismatch`
 */
export function kindOf(contentType: string, asSticker: boolean): Kind {
  const isImage = ["image/jpeg", "image/png", "image/webp"].includes(contentType)
  if (asSticker && !isImage) throw new ApiError("media_type_mismatch")
  if (isImage) return asSticker ? "sticker" : "image"
  if (contentType.startsWith("video/")) return "video"
  if (contentType === "audio/ogg") return "voice"
  return contentType.startsWith("audio/") ? "audio" : "document"
}

/**
 * The type in lower case, without parameters; for a missing or malformed header, the type of arbitrary bytes.
 */
export function contentTypeOf(header: unknown): string {
  const type = typeof header === "string" ? header.split(";")[0]!.trim().toLowerCase() : ""
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream"
}

/** How many bytes at the beginning of a file reveal its type. */
export const headBytes = 16

type Looks = (head: Buffer) => boolean

const starts =
  (text: string, at = 0): Looks =>
  (head) =>
    head.subarray(at, at + text.length).toString("latin1") === text
const any =
  (...looks: Looks[]): Looks =>
  (head) =>
    looks.some((look) => look(head))

/** ISO 14496-12: the length of a box, then its type. */
const isMedia = any(...["ftyp", "moov", "mdat", "free", "wide", "skip"].map((box) => starts(box, 4)))
const matroska = starts("\x1a\x45\xdf\xa3")
/** MPEG audio and ADTS: eleven or twelve set bits. */
const frames: Looks = (head) => head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0

/** The first bytes of pictures, videos and sounds of these types. Other types cannot be checked. */
const beginnings = new Map<string, Looks>([
  ["image/jpeg", starts("\xff\xd8\xff")],
  ["image/png", starts("\x89PNG\r\n\x1a\n")],
  ["image/webp", (head) => starts("RIFF")(head) && starts("WEBP", 8)(head)],
  ["audio/ogg", starts("OggS")],
  ["audio/mpeg", any(starts("ID3"), frames)],
  ["audio/mp3", any(starts("ID3"), frames)],
  ["audio/aac", any(starts("ADIF"), frames)],
  ["audio/mp4", isMedia],
  ["audio/x-m4a", isMedia],
  ["audio/amr", starts("#!AMR")],
  ["audio/wav", (head) => starts("RIFF")(head) && starts("WAVE", 8)(head)],
  ["audio/x-wav", (head) => starts("RIFF")(head) && starts("WAVE", 8)(head)],
  ["audio/flac", starts("fLaC")],
  ["audio/webm", matroska],
  ["video/mp4", isMedia],
  ["video/quicktime", isMedia],
  ["video/3gpp", isMedia],
  ["video/webm", matroska],
  ["video/x-matroska", matroska],
])

/** Whether a file's beginning fits its Content-Type. A document may begin in any way. */
export function looksLike(contentType: string, head: Buffer): boolean {
  return beginnings.get(contentType)?.(head) ?? true
}
