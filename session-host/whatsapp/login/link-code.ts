import {
  getBinaryNodeChild,
  initAuthCreds,
  type AuthenticationCreds,
  type BinaryNode,
} from "@whiskeysockets/baileys"
import type { WASocket } from "@whiskeysockets/baileys"
import { NetworkRejected, NoAnswer } from "#session-host/network/errors.ts"
import { credsFromText } from "../signal/keys-as-text.ts"

/** How long the network may take to register a code, ms. */
const answerMs = 15_000

/**
 * Asks for a code that is typed on the phone of this number. Baileys returns a code without waiting for the
 * network. The network may refuse the code, and then it would never work.
 * @throws NetworkRejected, NoAnswer
 */
export async function askForLinkCode(
  sock: Pick<WASocket, "requestPairingCode" | "ws">,
  phone: string,
): Promise<string> {
  const { promise: answer, resolve } = Promise.withResolvers<BinaryNode | undefined>()
  const listen = (frame: BinaryNode | Uint8Array) => {
    if (!(frame instanceof Uint8Array) && isAnswer(frame)) resolve(frame)
  }
  const timer = setTimeout(() => resolve(undefined), answerMs)
  sock.ws.on("frame", listen)
  try {
    const code = await sock.requestPairingCode(phone)
    const answered = await answer
    if (!answered) throw new NoAnswer("the network did not answer")
    if (answered.attrs.type === "error")
      throw new NetworkRejected(Number(getBinaryNodeChild(answered, "error")?.attrs.code))
    return code
  } finally {
    clearTimeout(timer)
    sock.ws.off("frame", listen)
  }
}

/**
 * Whether a frame is the answer. A connection that only links asks nothing else, so an error is an answer to
 * this question.
 */
function isAnswer(frame: BinaryNode): boolean {
  if (frame.tag !== "iq") return false
  return frame.attrs.type === "error" || getBinaryNodeChild(frame, "link_code_companion_reg") !== undefined
}

/**
 * The credentials to dial with. Credentials of a link code that was not typed are dropped: they name a phone,
 * and Baileys would log in as a device that was never linked.
 */
export function credsToDialWith(kept: string | undefined): AuthenticationCreds {
  if (kept === undefined) return initAuthCreds()
  const creds = credsFromText(kept)
  return creds.me && !creds.account ? initAuthCreds() : creds
}
