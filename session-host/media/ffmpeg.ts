import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname } from "node:path"
import { ApiError, sessionUnavailable } from "#core/error.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { log } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"

const withinMs = 20_000

/**
 * The limits of the process that reads a stranger's file: a GiB of addresses, 20 s of a processor, files of
 * 16 MB, no core dump. Sessions go first where there are too few processors, and where memory is short: the
 * kernel then ends this process before any other (proc(5), `oom_score_adj`). `nice` counts among the
 * processes of one group alone, and Linux may make each process that runs `detached` a group, as this one and
 * the session hosts do: so the group is nice, too (sched(7), autogroup). After 20 s of a processor, ffmpeg
 * ends by itself with 255, and is killed only if it does not.
 */
const bounded =
  "echo 1000 >/proc/self/oom_score_adj; echo 10 >/proc/self/autogroup; ulimit -v 1048576; ulimit -S -t 20; ulimit -H -t 25; ulimit -f 32768; ulimit -c 0; " +
  'exec nice ffmpeg "$@"'

/**
 * Containers that hold their sound themselves. Other containers name files and addresses, which ffmpeg would
 * read.
 */
const containers = "mov,mp3,ogg,wav,w64,flac,aac,amr,matroska,webm,asf,caf,aiff,ac3,mpegts,avi,flv,gif"

/**
 * How many files are converted at once in this process, and how many of one account, so that one account
 * keeps no other waiting.
 */
const conversions = new Slots(
  { most: 3, each: 2 },
  { ms: 10_000, refusal: () => sessionUnavailable("too many files are being converted: try again") },
)

/** The file of a conversion, the most bytes that it may write, and the account whose turn it takes. */
interface Conversion {
  path: string
  what: "sound" | "video"
  bytes: number
  owner: string
}

/**
 * Makes other files from one file, beside it, in a process of its own.
 * @param outputs the arguments for each of the other files
 * @throws ApiError `conversion_unavailable`, `media_type_mismatch`, `payload_too_large`,
 * `session_unavailable`, and as `FilesOnDisk.promising`
 */
export async function convert(of: Conversion, ...outputs: string[][]): Promise<void> {
  const args = [
    ["-v", "quiet", "-nostdin", "-threads", "1", "-protocol_whitelist", "file"],
    ["-format_whitelist", containers, "-i", `file:${of.path}`],
    ...outputs.map((output) => ["-map_metadata", "-1", "-threads", "1", ...output]),
  ].flat()
  const run = () => FilesOnDisk.promising(dirname(of.path), of.bytes, () => ffmpeg(args, of.what))
  await conversions.use(run, of.owner)
}

/**
 * @throws ApiError `conversion_unavailable`, `media_type_mismatch`, `payload_too_large`,
 * `session_unavailable`
 */
async function ffmpeg(args: string[], what: Conversion["what"]): Promise<void> {
  const { code, signal, isLate } = await ended(args)
  if (code === 0) return
  // POSIX: the shell found no such command, or may not run it.
  if (code === 126 || code === 127) throw new ApiError("conversion_unavailable")
  if (isLate || code === stoppedBySignal) throw tooLong(what, "it takes too long to convert")
  if (signal === "SIGXFSZ") throw tooLong(what, "it becomes too large")
  // This need not be the file's fault: memory was short, or another program ended the process.
  if (signal) throw endedFromOutside()
  throw nothingIn(what)
}

/** ffmpeg's exit code after a signal that it handles, such as the one for too much time of a processor. */
const stoppedBySignal = 255

/**
 * How the process has ended.
 * @throws ApiError `session_unavailable` if the machine has no room for another process
 */
async function ended(args: string[]) {
  try {
    const child = spawn("/bin/sh", ["-c", bounded, "sh", ...args], {
      stdio: "ignore",
      detached: true,
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

function endedFromOutside(): ApiError {
  return sessionUnavailable(
    "the file could not be converted, since this machine is short of memory or processes: try again",
  )
}

export function nothingIn(what: Conversion["what"]): ApiError {
  return new ApiError("media_type_mismatch", `there is no ${what} in this file that can be converted`)
}

export function tooLong(what: Conversion["what"], why: string): ApiError {
  return new ApiError("payload_too_large", `the ${what} is too long: ${why}`)
}
