import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import type { SignedPreKey, User } from "../network/directory.ts"
import type { Network } from "../network/network.ts"
import * as Curve from "../wire/curve.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, el, newStanzaId, type Node } from "../wire/node.ts"
import { signaturePrefixes } from "./key-index-list.ts"
import type { LinkCode } from "./link-code.ts"
import { notifyOfDevice } from "./notify-of-devices.ts"
import type { Ceremony } from "./passkey.ts"

/** WhatsApp Web shows the first QR code for 60 s and each of the five others for 20 s. */
const lifetimes = [60, 20, 20, 20, 20, 20]

/** How long a companion may take to sign, in milliseconds. */
const signingTime = 10_000

/** A companion that is not linked yet, with what it told of itself. */
export interface Pairing {
  refs: { ref: string; until: number }[]
  noiseKey: Buffer
  identity: Buffer
  registrationId: number
  signedPreKey: SignedPreKey
  platform: string
  /** The push name the client goes by, if it says one. */
  pushName: string
  /** Secrets it has been told to replace. */
  retired: Set<string>
  linkCode?: LinkCode
  /** Set when a phone wants its account's passkey first. */
  ceremony?: Ceremony
  send(stanza: Node): void
  end(goodbye?: Node): void
  /** Settles the linking under way: with the companion's answer, or without one if the companion has left. */
  answered?: (answer?: Node) => void
  /** Set while a phone is linking it. */
  linking: boolean
  expiry: NodeJS.Timeout
}

/** Why a phone could not link a companion. */
export class PairingError extends Error {
  override name = "PairingError"
  readonly code:
    | "not_a_code"
    | "unknown_ref"
    | "wrong_code"
    | "declined"
    | "secret_retired"
    | "passkey_required"
    | "expired_ref"
    | "wrong_key"
    | "busy"
    | "refused"
    | "no_answer"
    | "bad_signature"
  constructor(code: PairingError["code"], message: string) {
    super(message)
    this.code = code
  }
}

/** A client that is not linked yet, as it comes out of its handshake. */
export type Companion = Pick<Pairing, "send" | "end" | "noiseKey"> & { payload: proto.IClientPayload }

/** Gives an unlinked companion its six refs. Undefined when its registration is not sound. */
export function begin(network: Network, companion: Companion): Pairing | undefined {
  const registered = registration(companion.payload)
  if (!registered) return undefined
  let until = Date.now()
  const refs = lifetimes.map((seconds) => {
    until += seconds * 1000
    return { ref: `2@${randomBytes(48).toString("base64")}`, until }
  })
  const { send, end, noiseKey } = companion
  const expiry = setTimeout(() => end(), until - Date.now())
  expiry.unref()
  const pushName = companion.payload.pushName ?? ""
  const pairing: Pairing = {
    ...registered,
    pushName,
    refs,
    noiseKey,
    send,
    end,
    linking: false,
    retired: new Set(),
    expiry,
  }
  for (const { ref } of refs) network.pairings.set(ref, pairing)
  send(
    el("iq", { from: Jid.network, type: "set", id: newStanzaId(), xmlns: "md" }, [
      el(
        "pair-device",
        {},
        refs.map(({ ref }) => el("ref", {}, Buffer.from(ref))),
      ),
    ]),
  )
  return pairing
}

/** Lets the companion stay for this long from now, even if its codes have expired. */
export function letStay(pairing: Pairing, ms: number) {
  clearTimeout(pairing.expiry)
  pairing.expiry = setTimeout(() => pairing.end(), ms)
  pairing.expiry.unref()
}

/** Forgets a companion whose connection has ended. */
export function forget(network: Network, pairing: Pairing) {
  clearTimeout(pairing.expiry)
  pairing.answered?.()
  withdraw(network, pairing)
}

/** Makes the companion's codes invalid. */
function withdraw(network: Network, pairing: Pairing) {
  for (const { ref } of pairing.refs) network.pairings.delete(ref)
}

/** The companion that shows this ref. @throws PairingError when there is none or the ref is too old. */
export function find(network: Network, ref: string): Pairing {
  const pairing = network.pairings.get(ref)
  if (!pairing)
    throw new PairingError(
      "unknown_ref",
      "no companion shows this code: it was used or has expired, fetch a new one",
    )
  const until = pairing.refs.find((one) => one.ref === ref)?.until ?? 0
  if (Date.now() > until) throw new PairingError("expired_ref", "this code has expired")
  return pairing
}

/** The obstacles that can come between a scan and the link. */
export const obstacles = ["decline", "companion_reg_refresh", "pair-device-rotate-qr", "passkey"] as const

export type Obstacle = (typeof obstacles)[number]

/** Puts an obstacle between the scan and the link. Always throws the `PairingError` that the phone shows. */
export function obstruct(pairing: Pairing, obstacle: Obstacle, advSecret: Buffer): never {
  const notify = (type: string, content: Node) =>
    pairing.send(el("notification", { from: Jid.network, type, id: newStanzaId(), t: now() }, [content]))
  switch (obstacle) {
    case "decline":
      throw new PairingError("declined", "the phone's owner declined")
    case "companion_reg_refresh":
    case "pair-device-rotate-qr":
      // The companion's secret is void from here on. It makes another, and shows the same ref with it.
      pairing.retired.add(advSecret.toString("base64"))
      notify("companion_reg_refresh", el(obstacle))
      throw new PairingError("secret_retired", "the companion was told to replace its secret")
    case "passkey":
      notify("passkey_prologue_request", el("passkey_request_options", {}, Buffer.from(passkeyOptions())))
      throw new PairingError("passkey_required", "the account wants a passkey first")
  }
}

function passkeyOptions() {
  return JSON.stringify({
    challenge: randomBytes(32).toString("base64url"),
    rpId: "whatsapp.com",
    userVerification: "required",
  })
}

interface Linked {
  user: User
  /**
   * The identity that the phone signed, under the secret that the companion showed
   * (ADVSignedDeviceIdentityHMAC).
   */
  identity: Uint8Array
  details: Uint8Array
  accountKey: Buffer
  keyIndex: number
}

/**
 * Tells the companion that a phone has linked it, waits for its signature, makes it a device and
 * sends it off to log in. @throws PairingError when the companion does not play its part.
 */
export async function link(network: Network, pairing: Pairing, linked: Linked): Promise<number> {
  const { user } = linked
  const isChatDbLidMigrated = !network.profiles.get(user.pn).byNumber
  if (pairing.linking) throw new PairingError("busy", "another phone is linking this companion")
  pairing.linking = true
  const device = user.nextDevice
  const iqId = newStanzaId()
  const answer = await ask(
    pairing,
    el("iq", { from: Jid.network, type: "set", id: iqId, xmlns: "md", t: now() }, [
      el("pair-success", {}, [
        el("device-identity", {}, linked.identity),
        el("biz", { name: user.name }),
        el("device", {
          jid: Jid.format(user.pn, Jid.server, device),
          lid: Jid.format(user.lid, "lid", device),
        }),
        el("platform", { name: "android" }),
        el("client-props", {}, proto.ClientPairingProps.encode({ isChatDbLidMigrated }).finish()),
      ]),
    ]),
  ).finally(() => {
    pairing.linking = false
  })
  if (answer.attrs.type !== "result") throw new PairingError("refused", "the companion refused to be linked")
  const signedIdentity = signedByCompanion(pairing, linked, answer)
  if (!signedIdentity) {
    pairing.end(el("stream:error", { code: "401" }))
    throw new PairingError("bad_signature", "the companion's signature is not its identity's")
  }
  network.store.atomically(() => {
    network.directory.saveUser(Object.assign(user, { nextDevice: device + 1 }))
    const { noiseKey, identity, registrationId, signedPreKey, platform } = pairing
    network.directory.saveDevice({
      user: user.pn,
      id: device,
      keyIndex: linked.keyIndex,
      signedIdentity,
      addedAt: now(),
      noiseKey,
      identity,
      registrationId,
      signedPreKey,
      platform,
    })
    notifyOfDevice(network, "add", { user: user.pn, id: device })
  })
  network.log.note(`${user.pn}:${device}`, "paired", { platform: pairing.platform })
  withdraw(network, pairing)
  // The companion hangs up itself. If the network hangs up before whatsmeow has read this, it never comes
  // back.
  pairing.send(el("stream:error", { code: "515" }))
  return device
}

function ask(pairing: Pairing, stanza: Node): Promise<Node> {
  const { promise, resolve, reject } = Promise.withResolvers<Node>()
  const timer = setTimeout(
    () => reject(new PairingError("no_answer", "the companion did not answer")),
    signingTime,
  )
  pairing.answered = (answer) => {
    if (!answer) reject(new PairingError("refused", "the companion hung up"))
    else if (answer.attrs.id === stanza.attrs.id) resolve(answer)
  }
  pairing.send(stanza)
  return promise.finally(() => {
    clearTimeout(timer)
    delete pairing.answered
  })
}

/**
 * The identity that both have signed, with the account's key in it; undefined if the companion's signature is
 * not its own.
 */
function signedByCompanion(pairing: Pairing, linked: Linked, answer: Node): Buffer | undefined {
  const signed = child(child(answer, "pair-device-sign"), "device-identity")
  const content = bytes(signed)
  // The companion repeats the index that the phone has signed (whatsmeow, `pair.go`).
  if (!content || signed?.attrs["key-index"] !== String(linked.keyIndex)) return undefined
  const identity = proto.ADVSignedDeviceIdentity.decode(content)
  const { details, deviceSignature } = identity
  if (!deviceSignature || !details || !Buffer.from(details).equals(linked.details)) return undefined
  const message = Buffer.concat([
    signaturePrefixes.companion,
    linked.details,
    pairing.identity,
    linked.accountKey,
  ])
  if (!Curve.verify(pairing.identity, message, deviceSignature)) return undefined
  identity.accountSignatureKey = linked.accountKey
  return Buffer.from(proto.ADVSignedDeviceIdentity.encode(identity).finish())
}

function registration(payload: proto.IClientPayload) {
  const data = payload.devicePairingData
  const identity = Buffer.from(data?.eIdent ?? [])
  const value = Buffer.from(data?.eSkeyVal ?? [])
  const signature = Buffer.from(data?.eSkeySig ?? [])
  if (identity.length !== 32 || value.length !== 32 || data?.eRegid?.length !== 4) return undefined
  if (data.buildHash?.length !== 16 || !data.deviceProps?.length || data.eSkeyId?.length !== 3)
    return undefined
  if (!Curve.verify(identity, Buffer.concat([Buffer.from([5]), value]), signature)) return undefined
  const props = proto.DeviceProps.decode(data.deviceProps)
  return {
    identity,
    registrationId: Buffer.from(data.eRegid).readUInt32BE(),
    signedPreKey: { id: Buffer.from(data.eSkeyId).readUIntBE(0, 3), value, signature },
    platform: props.os ?? "",
  }
}
