import {
  type AuthenticationCreds,
  type BinaryNode,
  buildAckStanza,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { Lifetime } from "../lifetime.ts"
import { newAdvSecret, type newCodes } from "./qr.ts"
import type { PasskeyLink } from "./passkey.ts"
import { hasChild } from "../stanza.ts"
import type { Instead } from "../tap.ts"

interface Input {
  sock: Pick<WASocket, "sendNode">
  creds: AuthenticationCreds
  passkey: Pick<PasskeyLink, "onNotification">
  codes: ReturnType<typeof newCodes>
  lifetime: Pick<Lifetime, "emit">
  /** Keeps the credentials, and calls back when they are kept. */
  keepCreds: (then: () => void) => void
  onError: (error: unknown) => void
}

/** How often a phone is answered that says hello: it repeats that if it has not seen the answer (zapo 7f7f560). */
const mostHellos = 3

/**
 * Lets Baileys answer a phone on which our code was typed, if it names that code, and three times at most. Baileys answers
 * whatever says hello, at any time, and each answer makes another secret.
 */
export function answerHellos(
  sock: Pick<WASocket, "sendNode" | "ws">,
  onError: (error: unknown) => void,
): Instead {
  let ref: Uint8Array | undefined
  let left = 0
  sock.ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    const shown = !(frame instanceof Uint8Array) && frame.tag === "iq" && refIn(frame)
    if (shown) [ref, left] = [shown, mostHellos]
  })
  return (node, pass) => {
    if (node.attrs.type !== "link_code_companion_reg") return pass(node)
    const named = refIn(node)
    if (named && ref && Buffer.from(named).equals(ref) && left-- > 0) return pass(node)
    return sock.sendNode(buildAckStanza(node)).catch(onError)
  }
}

function refIn(node: BinaryNode): Uint8Array | undefined {
  const ref = getBinaryNodeChildBuffer(
    getBinaryNodeChild(node, "link_code_companion_reg"),
    "link_code_pairing_ref",
  )
  return ref instanceof Uint8Array ? ref : undefined
}

/** Takes the steps of pairing that Baileys does not know. Without an account its own acknowledgement fails, too. */
export function newPairingNotices({ sock, creds, passkey, codes, lifetime, keepCreds, onError }: Input) {
  /** A phone on which our code was typed has said hello. It knows the secret from our answer: another would end the link. */
  let isAgreed = false
  const refreshSecret = (notification: BinaryNode) => {
    if (isAgreed) return
    if (!hasChild(notification, "companion_reg_refresh") && !hasChild(notification, "pair-device-rotate-qr"))
      return
    creds.advSecretKey = newAdvSecret()
    const code = codes.again(creds.advSecretKey)
    keepCreds(() => {
      if (code) lifetime.emit({ kind: "qr", ...code })
    })
  }
  return (stanza: BinaryNode) => {
    if (stanza.tag !== "notification" || creds.account) return
    const { id, from, type } = stanza.attrs
    passkey.onNotification(stanza)
    if (type === "link_code_companion_reg") isAgreed = true
    if (type === "companion_reg_refresh") refreshSecret(stanza)
    const ack = { class: "notification", ...(id && { id }), ...(from && { to: from }), ...(type && { type }) }
    if (!creds.me) sock.sendNode({ tag: "ack", attrs: ack }).catch(onError)
  }
}
