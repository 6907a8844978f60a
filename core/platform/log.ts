import { destination, pino, stdSerializers, stdTimeFunctions } from "pino"
import { config } from "./config.ts"

/** The destination of every log line of this process. */
export const lines = destination({ dest: config.LOG_FILE ?? 1, mkdir: true, sync: true })

/** One JSON object per line. Never message bodies, keys, codes or phone numbers. */
export const log = pino(
  {
    level: config.LOG_LEVEL,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    serializers: { error: stdSerializers.err },
  },
  lines,
)

/** The log of one session. Every line names the bridge. */
export type Logger = typeof log
