import { ApiError } from "#core/error.ts"
import { log } from "#core/platform/log.ts"
import type { Fetched } from "./fetch.ts"
import { convert } from "./ffmpeg.ts"
import { type Kind, limitOf } from "./kind-and-content-type.ts"
import { type Picture, readPicture } from "./picture.ts"
import { readTracks } from "./tracks.ts"
import { measureLoudness } from "./voice.ts"

/** A sound or a video as it is sent, with what phones show of it before it is played. */
export interface Played {
  kind: Kind
  mimetype: string
  seconds?: number | undefined
  waveform?: Uint8Array | undefined
  picture?: Partial<Picture> | undefined
}

type File = Pick<Fetched, "path" | "kind" | "mimetype">

/**
 * What phones show of a sound or a video. Without ffmpeg there is no waveform and no picture. A video without
 * pictures is sent as a sound.
 * @throws ApiError `media_type_mismatch` if nothing in the file plays
 */
export async function readPlayed({ path, kind, mimetype }: File, owner: string): Promise<Played> {
  const tracks = await readTracks(path, mimetype)
  if (kind === "video" && tracks.hasVideo !== false) {
    const first = await orUndefined(readFirstPicture(path, owner))
    if (tracks.seconds === 0 && !(first && !tracks.isKnown)) throw nothingPlays()
    return { kind, mimetype, seconds: shown(tracks.seconds), picture: first ?? tracks.size }
  }
  const isVoice = kind === "voice"
  const loudness = isVoice || !tracks.seconds ? await orUndefined(measureLoudness(path, owner)) : undefined
  const seconds = tracks.seconds || loudness?.seconds
  if (!seconds && tracks.isKnown && tracks.seconds !== undefined) throw nothingPlays()
  return {
    kind: isVoice ? kind : "audio",
    mimetype: mimetype.replace(/^video\//, "audio/"),
    seconds: shown(seconds),
    waveform: isVoice ? loudness?.waveform : undefined,
  }
}

/**
 * Converts an animated GIF to what phones show in its place, beside it: a video without sound. Videos on the
 * network have an even number of pixels in each direction.
 * @throws ApiError as `convert` does
 */
export async function makeVideo(path: string, owner: string): Promise<string> {
  const video = `${path}.mp4`
  const h264 = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", "-c:v", "h264"]
  const output = ["-map", "0:v:0", "-an", ...h264, "-movflags", "+faststart", "-f", "mp4", `file:${video}`]
  await convert({ path, what: "video", bytes: limitOf("video"), owner }, output)
  return video
}

/** The first picture of a video. @throws ApiError as `convert` and `readPicture` do */
async function readFirstPicture(path: string, owner: string): Promise<Picture> {
  const picture = `${path}.jpg`
  const jpeg = ["-pix_fmt", "yuvj420p", "-c:v", "mjpeg", "-q:v", "5", "-f", "mjpeg"]
  const output = ["-map", "0:v:0", "-frames:v", "1", ...jpeg, `file:${picture}`]
  await convert({ path, what: "video", bytes: mostPictureBytes, owner }, output)
  return await readPicture(picture, owner)
}

const mostPictureBytes = 2 * 1024 * 1024

/**
 * What was made, or undefined if it could not be made. The message is then sent without it: a file that fails
 * here may well play on phones.
 */
async function orUndefined<Made>(made: Promise<Made>): Promise<Made | undefined> {
  try {
    return await made
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    log.debug({ code: error.code }, "a file is sent without what phones show of it")
    return undefined
  }
}

function shown(seconds: number | undefined): number | undefined {
  return seconds ? Math.max(1, Math.round(seconds)) : undefined
}

function nothingPlays(): ApiError {
  return new ApiError(
    "media_type_mismatch",
    "nothing in this file plays: it is empty or damaged, or it was cut off",
  )
}
