import { destination, pino, stdSerializers, stdTimeFunctions } from "pino"
import { config } from "./config.ts"
import { lazily } from "./lazily.ts"

/** The standard output. */
let descriptor = 1

/** Log lines go to the error output, if not to a file: this program's output is its answer. Called before the first line. */
export function logToErrorOutput(): void {
  descriptor = 2
}

/** The destination of every log line of this process. */
export const lines = lazily(() =>
  destination({ dest: config.LOG_FILE ?? descriptor, mkdir: true, sync: true }),
)

/** One JSON object per line. Never message bodies, keys, codes or phone numbers. */
export const log = lazily(() =>
  pino(
    {
      level: config.LOG_LEVEL,
      base: undefined,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { error: stdSerializers.err },
    },
    lines,
  ),
)

/** The log of one session. Every line names the bridge. */
export type Logger = typeof log
