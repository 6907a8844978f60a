import { randomBytes } from "node:crypto"
import { now } from "../clock.ts"
import type { Network } from "../network/network.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, el, newStanzaId, type Node } from "../wire/node.ts"
import { type Pairing, PairingError, letStay } from "./pairing.ts"

/** How long a companion may take to answer the phone, in milliseconds. */
const answerTime = 10_000

/** How long a code may be typed, in milliseconds (whatsapp-rust, `pair_code.rs`). */
const validity = 180_000

/** A companion that waits for its code to be typed on the phone with this number. */
export interface LinkCode {
  number: string
  ref: Buffer
  /** Its ephemeral key, sealed with the code: salt, IV, key. */
  wrappedKey: Buffer
  /** Settles with the bundle by which it answers the phone. */
  finished?: (bundle: Buffer) => void
}

/**
 * A companion says for which number it shows a code, or answers that number's phone. Undefined: not
 * understood.
 */
export function receive(network: Network, pairing: Pairing, iq: Node): Node[] | undefined {
  const reg = child(iq, "link_code_companion_reg")
  if (!reg) return undefined
  switch (reg.attrs.stage ?? "") {
    case "companion_hello":
      return hello(network, pairing, reg)
    case "companion_finish": {
      const bundle = bytes(child(reg, "link_code_pairing_wrapped_key_bundle"))
      if (!bundle || !pairing.linkCode) return undefined
      pairing.linkCode.finished?.(bundle)
      return []
    }
    default:
      return undefined
  }
}

function hello(network: Network, pairing: Pairing, reg: Node): Node[] | undefined {
  const number = Jid.parse(reg.attrs.jid)?.user
  const wrappedKey = bytes(child(reg, "link_code_pairing_wrapped_companion_ephemeral_pub"))
  if (!number || wrappedKey?.length !== 80) return undefined
  const ref = randomBytes(32)
  pairing.linkCode = { number, ref, wrappedKey }
  letStay(pairing, validity)
  network.log.note(number, "link code shown", { known: network.directory.user(number) !== undefined })
  return [el("link_code_companion_reg", { stage: "companion_hello" }, [el("link_code_pairing_ref", {}, ref)])]
}

/** The companion that shows a code for this number. @throws PairingError when none does. */
export function find(network: Network, number: string): { pairing: Pairing; code: LinkCode } {
  for (const pairing of network.pairings.values())
    if (pairing.linkCode?.number === number) return { pairing, code: pairing.linkCode }
  throw new PairingError("unknown_ref", "no companion shows a code for this number")
}

/**
 * Tells a companion to make another secret. A companion whose link is under way must keep the one that it
 * has.
 */
export function refreshSecret(pairing: Pairing) {
  const attrs = { from: Jid.network, type: "companion_reg_refresh", id: newStanzaId(), t: now() }
  pairing.send(el("notification", attrs, [el("companion_reg_refresh")]))
}

/** Brings the companion the phone's half of the agreement. @returns its answer @throws PairingError */
export function exchangeKeys(
  pairing: Pairing,
  code: LinkCode,
  phone: { wrappedKey: Buffer; identity: Buffer },
  withinMs = answerTime,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const timer = setTimeout(
    () => reject(new PairingError("no_answer", "the companion did not answer")),
    withinMs,
  )
  code.finished = resolve
  const id = newStanzaId()
  pairing.send(
    el("notification", { from: Jid.network, type: "link_code_companion_reg", id, t: now() }, [
      el("link_code_companion_reg", { stage: "primary_hello" }, [
        el("link_code_pairing_wrapped_primary_ephemeral_pub", {}, phone.wrappedKey),
        el("primary_identity_pub", {}, phone.identity),
        el("link_code_pairing_ref", {}, code.ref),
      ]),
    ]),
  )
  return promise.finally(() => {
    clearTimeout(timer)
    delete code.finished
  })
}
