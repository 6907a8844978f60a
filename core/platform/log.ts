import { destination, pino, stdSerializers, stdTimeFunctions } from "pino"
import { config } from "./config.ts"
import { lazily } from "./lazily.ts"

/** The standard output. */
let descriptor = 1

/**
 * Sends log lines that go to no file to the error output, since the output is this program's answer. Called
 * before the first line.
 */
export function logToErrorOutput(): void {
  descriptor = 2
}

/** How many bytes of lines wait for room on the disk. Beyond that, new ones are lost. */
const mostWaiting = 1_000_000

/** The destination of every log line of this process. Never throws at whoever logs. */
export const logOutput = lazily(() => {
  try {
    return written(config.LOG_FILE ?? descriptor)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
    return written(descriptor)
  }
})

function written(dest: string | number) {
  const opened = destination({ dest, mkdir: true, sync: true, maxLength: mostWaiting })
  // What could not be written, as on a full disk, is written with the next line that can be.
  opened.on("error", () => {})
  return opened
}

/** One JSON object per line. Never message bodies, keys, codes or phone numbers. */
export const log = lazily(() =>
  pino(
    {
      level: config.LOG_LEVEL,
      base: undefined,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { error: stdSerializers.err },
    },
    logOutput,
  ),
)

/** The log of one session. Every line names the bridge. */
export type Logger = typeof log
