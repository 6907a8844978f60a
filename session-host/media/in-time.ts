import { sessionUnavailable } from "#core/error.ts"

/**
 * How long a file may be on its way, ms: in all, waiting for its turn included, since every call is answered within 50 s
 * and the network may take 15 over the message (decisions, "Errors").
 */
const withinMs = 33_000

/** @throws ApiError `session_unavailable` when it takes too long; it then ends on its own, and nobody hears of it. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(sessionUnavailable("the file could not be brought to its place in time: try again")),
    withinMs,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
