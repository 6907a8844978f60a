import { open } from "node:fs/promises"

/** What a file of this family says of itself (ISO 14496-12): MP4, QuickTime, 3GP. */
interface Movie {
  /** Undefined if only the file's fragments, which are not read, would say it. */
  seconds: number | undefined
  hasVideo: boolean
  /** In pixels, as the video is shown. */
  size?: { width: number; height: number } | undefined
}

interface Box {
  type: string
  body: Buffer
}

const mostBoxes = 10_000
const mostHeaderBytes = 16 * 1024 * 1024

/**
 * What the file says of itself. Undefined for a file without a header or a track, or one that ends too early.
 */
export async function readMovie(path: string): Promise<Movie | undefined> {
  const header = await movieHeader(path)
  if (!header) return undefined
  const inside = boxesIn(header)
  const tracks = inside.filter(({ type }) => type === "trak").map(({ body }) => trackOf(body))
  if (tracks.length === 0) return undefined
  const video = tracks.find(({ kind }) => kind === "vide")
  const isInPieces = inside.some(({ type }) => type === "mvex")
  const seconds = secondsOf(bodyOf(inside, "mvhd"))
  return {
    seconds: seconds === 0 && isInPieces ? undefined : seconds,
    hasVideo: video !== undefined,
    size: video?.size,
  }
}

/** The content of the box `moov`; undefined unless all boxes of the file are whole. */
async function movieHeader(path: string): Promise<Buffer | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    let header: Buffer | undefined
    let at = 0
    for (let boxes = 0; at < size; boxes++) {
      const start = Buffer.alloc(16)
      const { bytesRead } = await file.read(start, 0, 16, at)
      const length = lengthOf(start.subarray(0, bytesRead), size - at)
      if (length === undefined || boxes >= mostBoxes) return undefined
      if (start.toString("latin1", 4, 8) === "moov" && length <= mostHeaderBytes)
        header = (await file.read(Buffer.alloc(length), 0, length, at)).buffer.subarray(8)
      at += length
    }
    return header
  } finally {
    await file.close()
  }
}

/**
 * The length of a box that begins with these bytes; undefined if the box does not fit into the bytes that are
 * left.
 */
function lengthOf(start: Buffer, left: number): number | undefined {
  if (start.length < 8) return undefined
  const short = start.readUInt32BE(0)
  // 0 means that the box goes up to the end.
  if (short === 0) return left
  if (short === 1 && start.length < 16) return undefined
  const length = short === 1 ? Number(start.readBigUInt64BE(8)) : short
  return length < 8 || length > left ? undefined : length
}

function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let rest = bytes; boxes.length < mostBoxes;) {
    const length = lengthOf(rest.subarray(0, 16), rest.length)
    if (length === undefined) break
    boxes.push({ type: rest.toString("latin1", 4, 8), body: rest.subarray(8, length) })
    rest = rest.subarray(length)
  }
  return boxes
}

function bodyOf(boxes: Box[], type: string): Buffer {
  return boxes.find((box) => box.type === type)?.body ?? Buffer.alloc(0)
}

/** The duration of the whole movie. Version 1 has longer fields for times. */
function secondsOf(header: Buffer): number | undefined {
  const at = header[0] === 1 ? 20 : 12
  if (header.length < at + 12) return undefined
  const duration = header[0] === 1 ? Number(header.readBigUInt64BE(at + 4)) : header.readUInt32BE(at + 4)
  const scale = header.readUInt32BE(at)
  return scale > 0 ? duration / scale : undefined
}

function trackOf(track: Buffer) {
  const inside = boxesIn(track)
  const handler = bodyOf(boxesIn(bodyOf(inside, "mdia")), "hdlr")
  return { kind: handler.toString("latin1", 8, 12), size: sizeOf(bodyOf(inside, "tkhd")) }
}

/** A track that a phone took upright is turned by a quarter: its matrix has no scale on its diagonal. */
function sizeOf(header: Buffer) {
  const at = header[0] === 1 ? 52 : 40
  if (header.length < at + 44) return undefined
  const [width, height] = [header.readUInt16BE(at + 36), header.readUInt16BE(at + 40)]
  if (width === 0 || height === 0) return undefined
  const isTurned = header.readInt32BE(at) === 0 && header.readInt32BE(at + 16) === 0
  return isTurned ? { width: height, height: width } : { width, height }
}
