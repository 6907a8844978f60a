import type { WASocket } from "@whiskeysockets/baileys"
import { NoAnswer } from "../network.ts"

/** decisions, "Errors": how long the network may take. */
const answerMs = 15_000

/** There is none, or it is not shown to us. */
const refusals = new Set([401, 403, 404, 406])

/** Where a picture is; undefined when there is none for us. @throws NoAnswer */
export async function pictureUrl(
  sock: Pick<WASocket, "profilePictureUrl">,
  jid: string,
): Promise<string | undefined> {
  try {
    return await sock.profilePictureUrl(jid, "image", answerMs)
  } catch (error) {
    // Baileys puts the network's number into `data`, and its own 408 into `output`.
    const { data, output } = error as { data?: unknown; output?: { statusCode?: number } }
    if (typeof data === "number" && refusals.has(data)) return undefined
    if (output?.statusCode === 408) throw new NoAnswer("the network did not answer", { cause: error })
    throw error
  }
}
