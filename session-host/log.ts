import type { log } from "#core/platform/log.ts"

/** The log of one session. Every line names the bridge. */
export type Logger = typeof log
