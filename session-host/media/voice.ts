import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { convert, nothingIn, tooLong } from "./ffmpeg.ts"

/** How a sound is shown before it is played. */
export interface Loudness {
  seconds: number
  /** The loudness over time: 64 values from 0 to 100. */
  waveform: Uint8Array
}

/** A voice note as phones record them: Opus in Ogg, one channel. */
export interface Voice extends Loudness {
  path: string
}

const mostSeconds = 900

/** Each byte of this output is the loudness of a moment, with 128 for silence. */
const samplesPerSecond = 8000
const silence = 128
const waveformValues = 64

const mostBytes = 16 * 1024 * 1024

const firstSound = ["-map", "0:a:0", "-ac", "1", "-t", String(mostSeconds + 1)]

/**
 * Converts any sound that ffmpeg reads to a voice note that phones play, beside it.
 * @param owner the account whose turn it takes
 * @throws ApiError as `convert` does; `payload_too_large` if the sound is longer than 15 minutes
 */
export async function toVoice(path: string, owner: string): Promise<Voice> {
  const voice = `${path}.ogg`
  const opus = ["-ar", "48000", "-c:a", "libopus", "-b:a", "32k", "-application", "voip"]
  await convert(
    { path, what: "sound", bytes: 2 * mostBytes, owner },
    [...firstSound, ...opus, "-compression_level", "5", "-f", "ogg", `file:${voice}`],
    loudnessOf(path),
  )
  const { seconds, waveform } = await readLoudness(path)
  if (seconds > mostSeconds) throw tooLong("sound", "at most 15 minutes")
  return { path: voice, seconds: Math.max(1, Math.round(seconds)), waveform }
}

/** The length and the loudness of a sound, of its first 15 minutes. @throws as `convert` does */
export async function measureLoudness(path: string, owner: string): Promise<Loudness> {
  await convert({ path, what: "sound", bytes: mostBytes, owner }, loudnessOf(path))
  return await readLoudness(path)
}

function loudnessOf(path: string): string[] {
  return [...firstSound, "-ar", String(samplesPerSecond), "-f", "u8", `file:${path}.raw`]
}

async function readLoudness(path: string): Promise<Loudness> {
  const { size } = await stat(`${path}.raw`)
  if (size === 0) throw nothingIn("sound")
  return { seconds: size / samplesPerSecond, waveform: await waveformOf(`${path}.raw`, size) }
}

async function waveformOf(path: string, size: number): Promise<Uint8Array> {
  const sums = new Float64Array(waveformValues)
  let at = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
    for (const sample of chunk)
      sums[Math.floor((at++ * waveformValues) / size)]! += Math.abs(sample - silence)
  const loudest = Math.max(...sums) || 1
  return Uint8Array.from(sums, (sum) => Math.round((100 * sum) / loudest))
}
