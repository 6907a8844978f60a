import type { log } from "#core/log.ts"

/** The log of one session: it says which bridge, in each line. */
export type Logger = typeof log
