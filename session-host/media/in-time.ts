import { sessionUnavailable } from "#core/error.ts"
import { mayWaitMs, within } from "../concurrency/call-deadline.ts"

/**
 * How long a file may take, in ms, including the wait for its turn. Every call is answered within 50 s; 5 may go to
 * waiting for the session and 15 to the network's acknowledgement (Contract, "Time to answer").
 */
const withinMs = 28_000
/** The unused part of the wait for the session goes to the file. */
const waitMs = 5000

/** @throws ApiError `session_unavailable` when it takes too long; the work then finishes unobserved. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  return await within(withinMs + mayWaitMs(waitMs), work, () => {
    throw sessionUnavailable("transferring the file took too long: try again")
  })
}
