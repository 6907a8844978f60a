import { sessionUnavailable } from "#core/error.ts"
import { mayWaitMs } from "../waiting.ts"

/**
 * How long a file may be on its way, ms, waiting for its turn included: every call is answered within 50 s, of which it
 * may have waited 5 for its session and the network may take 15 over the message (decisions, "Errors").
 */
const withinMs = 28_000
/** What of the wait for the session was not needed is the file's. */
const waitMs = 5000

/** @throws ApiError `session_unavailable` when it takes too long; it then ends on its own, and nobody hears of it. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(sessionUnavailable("the file could not be brought to its place in time: try again")),
    withinMs + mayWaitMs(waitMs),
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
