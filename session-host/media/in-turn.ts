import { sessionUnavailable } from "#core/error.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import type { Slots } from "#core/platform/slots.ts"
import { mayWaitMs, within } from "../concurrency/call-deadline.ts"

/**
 * How long a file may take, in ms, including the wait for its turn. Every call is answered within 50 s; 5 may
 * go to waiting for the session and 15 to the network's acknowledgement (Contract, "Time to answer").
 */
const withinMs = 28_000
/** The unused part of the wait for the session goes to the file. */
const waitMs = 5000

/**
 * Transfers a file of a bridge in its turn, with a temporary folder for it.
 * @throws ApiError `session_unavailable` when it takes too long; the work then finishes unobserved
 */
export async function inTurn<Result>(
  { media, bridgeId }: { media: Slots; bridgeId: string },
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const transferred = media.use(() => FilesOnDisk.inFolder(bridgeId, work))
  return await within(withinMs + mayWaitMs(waitMs), transferred, () => {
    throw sessionUnavailable("transferring the file took too long: try again")
  })
}
