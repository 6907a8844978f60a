import { destination, pino, stdSerializers, stdTimeFunctions } from "pino"
import { config } from "./config.ts"

/** Where every line of this process goes. */
export const lines = destination({ dest: config.LOG_FILE ?? 1, mkdir: true, sync: true })

/** One JSON object a line. Never bodies, keys, codes or phone numbers. */
export const log = pino(
  {
    level: config.LOG_LEVEL,
    base: undefined,
    timestamp: stdTimeFunctions.isoTime,
    serializers: { error: stdSerializers.err },
  },
  lines,
)
