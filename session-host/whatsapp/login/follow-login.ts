import {
  jidDecode,
  jidNormalizedUser,
  type AuthenticationCreds,
  type BaileysEventMap,
} from "@whiskeysockets/baileys"
import type { Me } from "#session-host/network/happening.ts"
import { endOf } from "../end-reasons.ts"
import type { Lifetime } from "../lifetime.ts"
import { isSpareCode, type PasskeyLink } from "./passkey.ts"
import type { newCodes } from "./qr.ts"

/**
 * The longest time from dialling to the network's first word, ms. Baileys may wait for ever (HTTP answer to
 * the upgrade).
 */
const answerMs = 20_000

/** The longest time from there to the first code or the login, ms. */
const loginMs = 60_000

/** The longest time from the pairing to the network's wish to restart, ms. */
const restartMs = 15_000

/** How long a user may take to type a code, ms (Contract, "Linking a phone"). */
const linkCodeMs = 3 * 60_000

interface Input {
  passkey: Pick<PasskeyLink, "isAsked">
  creds: AuthenticationCreds
  codes: ReturnType<typeof newCodes>
  lifetime: Lifetime
  /** Keeps the credentials, and calls back when they are durable. */
  commitCreds: (onKept: () => void) => void
  onOpen: () => void
}

/** Follows a connection to its first code, its pairing or its login, and to the end that Baileys reports. */
export function followLogin({ creds, passkey, codes, lifetime, commitCreds, onOpen }: Input) {
  const tooLong = { reason: "lost", detail: "connecting took too long" } as const
  lifetime.mustGoOn(answerMs, tooLong)
  const onAnswer = () => lifetime.mustGoOn(loginMs, tooLong)
  const onRefused = (status: number | undefined) =>
    lifetime.end({ reason: "lost", detail: `HTTP ${status} to the upgrade` })
  let typed: { code: string | undefined; sinceMs: number } | undefined
  /**
   * Whether a user may be typing a link code. A new link code is noticed only with the next QR code, so it
   * counts for up to a minute longer.
   */
  const mayBeTyped = () => {
    if (typed?.code !== creds.pairingCode) typed = { code: creds.pairingCode, sinceMs: performance.now() }
    return creds.pairingCode !== undefined && performance.now() - typed!.sinceMs < linkCodeMs
  }
  const onUpdate = (update: BaileysEventMap["connection.update"]) => {
    const isTyped = update.qr !== undefined && mayBeTyped()
    if (update.qr && (passkey.isAsked || isSpareCode(update.qr))) {
      // While a passkey is asked for, no code is scanned. Otherwise the network's own codes are used up.
      if (!passkey.isAsked && !isTyped)
        lifetime.end({ reason: "refs_ended", detail: "nobody scanned a code" })
    } else if (update.qr) {
      lifetime.goesOn()
      lifetime.emit({ kind: "qr", ...codes.next(update.qr, creds.advSecretKey) })
    }
    if (update.isNewLogin) {
      lifetime.mustGoOn(restartMs, { reason: "restart", detail: "paired" })
      commitCreds(() => lifetime.emit({ kind: "paired" }))
    }
    if (update.connection === "open") {
      lifetime.goesOn()
      lifetime.open(meOf(creds))
      onOpen()
    }
    if (update.connection === "close") lifetime.end(endOf(update.lastDisconnect?.error))
  }
  return { onAnswer, onRefused, onUpdate }
}

function meOf(creds: AuthenticationCreds): Me {
  const jid = jidNormalizedUser(creds.me?.id)
  return {
    jid,
    lid: jidNormalizedUser(creds.me?.lid),
    phone: jidDecode(jid)?.user ?? "",
    name: creds.me?.name ?? "",
  }
}
