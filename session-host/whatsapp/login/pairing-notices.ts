import {
  type AuthenticationCreds,
  type BinaryNode,
  buildAckStanza,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  type WASocket,
} from "@whiskeysockets/baileys"
import type { Lifetime } from "../lifetime.ts"
import type { Interceptor } from "../listeners.ts"
import { hasChild } from "../stanza.ts"
import type { PasskeyLink } from "./passkey.ts"
import { newAdvSecret, type newCodes } from "./qr.ts"

interface Input {
  sock: Pick<WASocket, "sendNode">
  creds: AuthenticationCreds
  passkey: Pick<PasskeyLink, "onNotification">
  hellos: Hellos
  codes: ReturnType<typeof newCodes>
  lifetime: Pick<Lifetime, "emit">
  /** Keeps the credentials, and calls back when they are kept. */
  commitCreds: (then: () => void) => void
  onError: (error: unknown) => void
}

/**
 * How many hellos of a phone are answered: the phone says hello again if it has not seen the answer (zapo
 * 7f7f560).
 */
const mostHellos = 3

export type Hellos = ReturnType<typeof newHellos>

/** The hellos of a phone on which our code was typed. */
export function newHellos(sock: Pick<WASocket, "ws">) {
  let ref: Uint8Array | undefined
  let left = 0
  const isShown = (named: Uint8Array) => ref !== undefined && Buffer.from(named).equals(ref)
  sock.ws.on("frame", (frame: BinaryNode | Uint8Array) => {
    const shown =
      !(frame instanceof Uint8Array) && frame.tag === "iq" && partIn(frame, "link_code_pairing_ref")
    if (shown && !isShown(shown)) [ref, left] = [shown, mostHellos]
  })
  return {
    /** Whether this is a hello that can be answered: whole, and for the code that is shown. */
    isOne: (node: BinaryNode): boolean => {
      const named = partIn(node, "link_code_pairing_ref")
      const { stage } = getBinaryNodeChild(node, "link_code_companion_reg")?.attrs ?? {}
      if (stage !== "primary_hello" || !named || !isShown(named)) return false
      return lengths.every(([tag, length]) => partIn(node, tag)?.length === length)
    },
    /** Whether one more hello may be answered, which counts it. */
    consume: (): boolean => left-- > 0,
  }
}

/** The other parts of a hello, and how many bytes each has. */
const lengths = [
  ["link_code_pairing_wrapped_primary_ephemeral_pub", 80],
  ["primary_identity_pub", 32],
] as const

/**
 * Lets Baileys answer a phone on which our code was typed, if the hello names that code, and three times at
 * most. By itself Baileys answers every notification about a link code, at any time, and each answer makes
 * another secret. The network may also ask for another code (`refresh_code`). The user already has their
 * code, so that request is only acknowledged.
 */
export function limitHellos(
  sock: Pick<WASocket, "sendNode">,
  hellos: Hellos,
  onError: (error: unknown) => void,
): Interceptor {
  return (node, pass) => {
    if (node.attrs.type !== "link_code_companion_reg") return pass(node)
    if (hellos.isOne(node) && hellos.consume()) return pass(node)
    return sock.sendNode(buildAckStanza(node)).catch(onError)
  }
}

function partIn(node: BinaryNode, tag: string): Uint8Array | undefined {
  const part = getBinaryNodeChildBuffer(getBinaryNodeChild(node, "link_code_companion_reg"), tag)
  return part instanceof Uint8Array ? part : undefined
}

/**
 * Takes the steps of pairing that Baileys does not know. Without an account, Baileys' own acknowledgement
 * fails, too.
 */
export function newPairingNotices(input: Input) {
  const { sock, creds, passkey, hellos, codes, lifetime, commitCreds, onError } = input
  /**
   * Whether a phone on which our code was typed has said hello. The phone knows the secret from our answer:
   * another secret would end the link.
   */
  let isAgreed = false
  const refreshSecret = (notification: BinaryNode) => {
    if (isAgreed) return
    if (!hasChild(notification, "companion_reg_refresh") && !hasChild(notification, "pair-device-rotate-qr"))
      return
    creds.advSecretKey = newAdvSecret()
    const code = codes.again(creds.advSecretKey)
    commitCreds(() => {
      if (code) lifetime.emit({ kind: "qr", ...code })
    })
  }
  return (stanza: BinaryNode) => {
    if (stanza.tag !== "notification" || creds.account) return
    const { id, from, type } = stanza.attrs
    passkey.onNotification(stanza)
    if (type === "link_code_companion_reg" && hellos.isOne(stanza)) isAgreed = true
    if (type === "companion_reg_refresh") refreshSecret(stanza)
    const ack = { class: "notification", ...(id && { id }), ...(from && { to: from }), ...(type && { type }) }
    if (!creds.me) sock.sendNode({ tag: "ack", attrs: ack }).catch(onError)
  }
}
