import { pino } from "pino"
import { config } from "./config.ts"

/** One JSON object a line. Never bodies, keys, codes or phone numbers. */
export const log = pino({
  level: config.LOG_LEVEL,
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
})
