import type { Event } from "#contract/event.ts"
import { safeName } from "../media/file-name.ts"
import type { Media, MediaKind } from "../network/connection.ts"
import { wholeNumber } from "./mapped.ts"

type Facts = NonNullable<Extract<Event, { event: "message" }>["file"]>

/** The part of a message that names a file. Not every kind has all of these fields. */
export interface FilePart {
  caption?: unknown
  mimetype?: unknown
  fileName?: unknown
  title?: unknown
  url?: unknown
  directPath?: unknown
  mediaKey?: unknown
  fileEncSha256?: unknown
  fileSha256?: unknown
  fileLength?: unknown
  seconds?: unknown
  width?: unknown
  height?: unknown
  pageCount?: unknown
  gifPlayback?: unknown
  waveform?: unknown
}

/** How many values of a waveform are kept: phones write 64. */
const mostValues = 256

/** A message's file, and what its sender says about the file. */
export function fileIn(kind: MediaKind, part: FilePart): { media: Media; facts: Facts } {
  const media = {
    kind,
    caption: stringOf(part.caption),
    mimetype: stringOf(part.mimetype),
    fileName: safeName(stringOf(part.fileName)) || safeName(stringOf(part.title)),
    url: stringOf(part.url),
    directPath: stringOf(part.directPath),
    mediaKey: bytesOf(part.mediaKey),
    fileEncSha256: bytesOf(part.fileEncSha256),
    fileSha256: bytesOf(part.fileSha256),
  }
  const waveform = bytesOf(part.waveform)
  const said = { seconds: part.seconds, width: part.width, height: part.height, pages: part.pageCount }
  return {
    media,
    facts: {
      name: media.fileName,
      content_type: media.mimetype,
      size: wholeNumber(part.fileLength),
      ...Object.fromEntries(
        Object.entries(said).flatMap(([name, value]) =>
          wholeNumber(value) ? [[name, wholeNumber(value)]] : [],
        ),
      ),
      ...(kind === "voice" && waveform.length > 0 && { waveform: [...waveform.subarray(0, mostValues)] }),
      ...(part.gifPlayback === true && { gif: true as const }),
    },
  }
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array()
}
