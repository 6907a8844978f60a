import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sessionUnavailable } from "#core/error.ts"
import type { Slots } from "#core/platform/slots.ts"
import { mayWaitMs, within } from "../concurrency/call-deadline.ts"

/**
 * How long a file may take, in ms, including the wait for its turn. Every call is answered within 50 s; 5 may go to
 * waiting for the session and 15 to the network's acknowledgement (Contract, "Time to answer").
 */
const withinMs = 28_000
/** The unused part of the wait for the session goes to the file. */
const waitMs = 5000

/**
 * Transfers a file in its turn, with a temporary folder for it.
 * @throws ApiError `session_unavailable` when it takes too long; the work then finishes unobserved
 */
export async function inTurn<Result>(
  turns: Slots,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const transferred = turns.use(() => inTemporaryFolder(work))
  return await within(withinMs + mayWaitMs(waitMs), transferred, () => {
    throw sessionUnavailable("transferring the file took too long: try again")
  })
}

/** Runs `work` with a temporary folder, which is removed with all its files however `work` ends. */
export async function inTemporaryFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "media-"))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
