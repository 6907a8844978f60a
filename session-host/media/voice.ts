import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { log } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"

/** A voice note as phones record them. */
export interface Voice {
  /** Opus in Ogg, one channel. */
  path: string
  seconds: number
  /** How loud it is over its time: 64 values from 0 to 100. */
  waveform: Uint8Array
}

const mostSeconds = 900
const withinMs = 20_000

/**
 * What a stranger's file may make of the process that reads it: a GiB of addresses, 20 s of a processor,
 * files of 16 MB, no core dump. Sessions go first: where there are too few processors, and where memory is
 * short, since the kernel then ends this process before any other (proc(5), `oom_score_adj`). After 20 s of a
 * processor ffmpeg ends by itself, with 255, and is killed only if it does not.
 */
const bounded =
  "echo 1000 >/proc/self/oom_score_adj; ulimit -v 1048576; ulimit -S -t 20; ulimit -H -t 25; ulimit -f 32768; ulimit -c 0; " +
  'exec nice ffmpeg "$@"'

/** Containers that hold their sound themselves. Others name files and addresses, which ffmpeg would read. */
const containers = "mov,mp3,ogg,wav,w64,flac,aac,amr,matroska,webm,asf,caf,aiff,ac3,mpegts,avi,flv"

/** The second output: each of its bytes is the loudness of a moment, with 128 for silence. */
const samplesPerSecond = 8000
const silence = 128
const waveformValues = 64

const mostBytes = 2 * 16 * 1024 * 1024

/**
 * How many sounds are converted at once in this process, and how many of an account: it alone keeps no other
 * waiting.
 */
const conversions = new Slots(
  { most: 3, each: 2 },
  { ms: 10_000, refusal: () => sessionUnavailable("too many sounds are being converted: try again") },
)

/**
 * Makes any sound that ffmpeg reads into what phones play as a voice note, beside it, in a process of its
 * own.
 * @param owner the account whose turn it takes
 * @throws ApiError `conversion_unavailable`, `media_type_mismatch`, `payload_too_large`,
 * `session_unavailable`, and as `FilesOnDisk.promising`
 */
export function toVoice(path: string, owner: string): Promise<Voice> {
  const converted = () => FilesOnDisk.promising(dirname(path), mostBytes, () => convert(path))
  return conversions.use(converted, owner)
}

async function convert(path: string): Promise<Voice> {
  const [voice, loudness] = [`${path}.ogg`, `${path}.raw`]
  const sound = ["-map", "0:a:0", "-ac", "1", "-t", String(mostSeconds + 1)]
  await ffmpeg(
    [
      ["-v", "quiet", "-nostdin", "-threads", "1"],
      ["-protocol_whitelist", "file", "-format_whitelist", containers, "-i", `file:${path}`],
      ["-map_metadata", "-1", ...sound, "-ar", "48000", "-c:a", "libopus", "-b:a", "32k"],
      ["-application", "voip", "-compression_level", "5", "-f", "ogg", `file:${voice}`],
      [...sound, "-ar", String(samplesPerSecond), "-f", "u8", `file:${loudness}`],
    ].flat(),
  )
  const { size } = await stat(loudness)
  if (size === 0) throw noSound()
  if (size > mostSeconds * samplesPerSecond) throw tooLong("at most 15 minutes")
  return {
    path: voice,
    seconds: Math.max(1, Math.round(size / samplesPerSecond)),
    waveform: await waveformOf(loudness, size),
  }
}

/**
 * @throws ApiError `conversion_unavailable`, `media_type_mismatch`, `payload_too_large`,
 * `session_unavailable`
 */
async function ffmpeg(args: string[]): Promise<void> {
  const { code, signal, isLate } = await ended(args)
  if (code === 0) return
  // POSIX: the shell found no such command, or may not run it.
  if (code === 126 || code === 127) throw new ApiError("conversion_unavailable")
  if (isLate || code === stoppedBySignal) throw tooLong("it takes too long to convert")
  if (signal === "SIGXFSZ") throw tooLong("it becomes too large")
  // Nothing says that it is the file's fault: memory was short, or somebody ended the process.
  if (signal) throw endedFromOutside()
  throw noSound()
}

/** ffmpeg's exit code after a signal that it heeds, as the one for too much time of a processor. */
const stoppedBySignal = 255

/**
 * How the process has ended. @throws ApiError `session_unavailable` when the machine has no room for another
 * one
 */
async function ended(args: string[]) {
  try {
    const child = spawn("/bin/sh", ["-c", bounded, "sh", ...args], {
      stdio: "ignore",
      env: { PATH: process.env.PATH },
      timeout: withinMs,
      killSignal: "SIGKILL",
    })
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
    return { code, signal, isLate: child.killed }
  } catch (error) {
    log.warn({ error }, "a conversion could not be started")
    throw endedFromOutside()
  }
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

function endedFromOutside(): ApiError {
  return sessionUnavailable(
    "the sound could not be converted, since this machine is short of memory or processes: try again",
  )
}

function noSound(): ApiError {
  return new ApiError("media_type_mismatch", "there is no sound in this file that can be converted")
}

function tooLong(why: string): ApiError {
  return new ApiError("payload_too_large", `the sound is too long for a voice note: ${why}`)
}
