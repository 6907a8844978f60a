import type { AuthenticationCreds, BinaryNode, WASocket } from "@whiskeysockets/baileys"
import type { Lifetime } from "../lifetime.ts"
import { newAdvSecret, type newCodes } from "./qr.ts"
import type { PasskeyLink } from "./passkey.ts"
import { hasChild } from "../stanza.ts"

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
