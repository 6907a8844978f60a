import type { Sharp } from "sharp"
import { ApiError } from "#core/error.ts"
import { Slots } from "#core/platform/slots.ts"

/** A small file may decompress to gigabytes. Its header, which is read first, says so. */
const mostPixels = 25_000_000
/**
 * A JPEG with one scan is scaled down while it is read, strip by strip: a phone's picture of 48 megapixels
 * takes 15 MB of memory. A JPEG with several scans, such as a progressive one, is decompressed as a whole, at
 * 6 bytes a pixel.
 */
const mostPixelsInOneScan = 200_000_000
/** The widths that other clients use, beside a picture and beside a link. */
const thumbnailWidth = 72
const previewWidth = 192

/** A host has a quarter of a core, and other pictures wait. */
const patience = { seconds: 15 }

export interface Picture {
  width: number
  height: number
  isAnimated: boolean
  /** A small JPEG. */
  thumbnail: Buffer
}

/** Accounts take turns. */
const oneByOne = new Slots({ most: 1 })

/**
 * The size of a picture, with a thumbnail. One at a time in this process.
 * @param owner whose turn it takes
 * @throws ApiError `payload_too_large`, `media_type_mismatch`
 */
export function readPicture(path: string, owner: string): Promise<Picture> {
  return oneByOne.use(() => readNow(path), owner)
}

/** A small JPEG of a picture, beside a link. One at a time in this process. @throws as `readPicture` does */
export function makePreview(picture: Buffer, owner: string): Promise<Buffer> {
  return oneByOne.use(async () => small((await opened(picture)).image, previewWidth), owner)
}

/** The width and height of a sticker. */
const stickerWidth = 512

/**
 * A sticker made from a picture, beside it: 512 x 512, transparent around what is not square. One at a time
 * in this process.
 * @throws as `readPicture` does
 */
export function makeSticker(path: string, owner: string): Promise<string> {
  return oneByOne.use(async () => {
    const { image } = await opened(path)
    const to = `${path}.webp`
    const size = { fit: "contain", background: "#00000000" } as const
    const sticker = image.timeout(patience).rotate().resize(stickerWidth, stickerWidth, size).webp()
    await orMismatch(sticker.toFile(to))
    return to
  }, owner)
}

/** A PNG made from a picture, beside it. One at a time in this process. @throws as `readPicture` does */
export function makePng(path: string, owner: string): Promise<string> {
  return oneByOne.use(async () => {
    const { image } = await opened(path)
    const to = `${path}.png`
    await orMismatch(image.timeout(patience).png().toFile(to))
    return to
  }, owner)
}

/** The size that other clients use: the network refuses pictures that are larger or not square. */
const avatarWidth = 640

/**
 * A profile picture made from this one: the middle of it, at most 640 x 640, without the camera's metadata.
 * One at a time in this process.
 * @throws ApiError `payload_too_large`, `media_type_mismatch`
 */
export function makeAvatar(path: string, owner: string): Promise<Buffer> {
  return oneByOne.use(async () => {
    const { image, width, height } = await opened(path)
    const side = Math.min(width, height, avatarWidth)
    const avatar = image.timeout(patience).rotate().resize(side, side, { fit: "cover" }).jpeg()
    return await orMismatch(avatar.toBuffer())
  }, owner)
}

/** libvips is 20 MB of memory, which most hosts never need. */
async function loadSharp() {
  const { default: sharp } = await import("sharp")
  // Without these settings, sharp would cache the files that it has opened, and use every core.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

async function opened(from: string | Buffer) {
  const sharp = await loadSharp()
  const header = await orMismatch(sharp(from, { limitInputPixels: false }).metadata())
  const { pages = 1, format, isProgressive, autoOrient } = header
  // The size as the picture is shown: the camera may have been turned.
  const { width, height } = autoOrient
  const most = format === "jpeg" && !isProgressive ? mostPixelsInOneScan : mostPixels
  if (width * height > most)
    throw new ApiError(
      "payload_too_large",
      "the picture is too large: at most 25 megapixels, or 200 for a JPEG that is not progressive",
    )
  return { image: sharp(from, { limitInputPixels: most }), width, height, pages }
}

async function readNow(path: string): Promise<Picture> {
  const { image, width, height, pages } = await opened(path)
  return { width, height, isAnimated: pages > 1, thumbnail: await small(image, thumbnailWidth) }
}

function small(image: Sharp, width: number): Promise<Buffer> {
  const jpeg = image
    .timeout(patience)
    .rotate()
    .resize(width, width, { fit: "inside" })
    .flatten({ background: "#ffffff" })
    .jpeg({ quality: 50 })
  return orMismatch(jpeg.toBuffer())
}

/** Turns libvips' error into ours: the beginning of the file was right, but the file is no picture. */
async function orMismatch<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new ApiError(
      "media_type_mismatch",
      "the picture cannot be decoded as the type that its Content-Type names",
    )
  }
}
