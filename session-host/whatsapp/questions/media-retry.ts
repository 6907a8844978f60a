import {
  decodeMediaRetryNode,
  decryptMediaRetryData,
  encryptMediaRetryRequest,
  proto,
  type BinaryNode,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { ILogger } from "../quiet-log.ts"

/**
 * How long the phone may take, in ms. A phone that is off or asleep does not answer, while a caller waits for
 * the file.
 */
const answerMs = 10_000

/** A file that the network does not have any more, by the message that it came with. */
export interface MissedFile {
  id: string
  chat: string
  /** The sender, in a group, of a status or in a broadcast list. */
  sender: string
  fromMe: boolean
  mediaKey: Uint8Array
}

/**
 * Asks the account's phone to bring the file of a message to the network once more.
 * @returns where the file is now; undefined if the phone does not have it, or does not answer
 */
export async function bringAgain(
  sock: Pick<WASocket, "sendNode" | "ws">,
  missed: MissedFile,
  { me, log }: { me: string; log: ILogger },
): Promise<string | undefined> {
  const { id, chat: remoteJid, sender: participant, fromMe, mediaKey } = missed
  const isShared = /@(?:g\.us|broadcast)$/.test(remoteJid)
  const key = { id, remoteJid, fromMe, ...(isShared && !fromMe && { participant }) }
  const { promise, resolve } = Promise.withResolvers<BinaryNode | undefined>()
  const onNotification = (notification: BinaryNode) => {
    if (notification.attrs.id === id) resolve(notification)
  }
  const late = setTimeout(() => resolve(undefined), answerMs)
  sock.ws.on("CB:notification,type:mediaretry", onNotification)
  try {
    await sock.sendNode(encryptMediaRetryRequest(key, mediaKey, me))
    const answer = await promise
    return answer && pathIn(answer, missed, log)
  } finally {
    clearTimeout(late)
    sock.ws.off("CB:notification,type:mediaretry", onNotification)
  }
}

function pathIn(answer: BinaryNode, { id, mediaKey }: MissedFile, log: ILogger): string | undefined {
  try {
    const { media } = decodeMediaRetryNode(answer)
    if (!media) return undefined
    const { result, directPath } = decryptMediaRetryData(media, mediaKey, id)
    return result === proto.MediaRetryNotification.ResultType.SUCCESS ? (directPath ?? undefined) : undefined
  } catch (error) {
    log.warn({ error }, "the phone's answer about a file cannot be read")
    return undefined
  }
}
