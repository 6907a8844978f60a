import { randomBytes } from "node:crypto"
import type { AuthenticationResponseJSON } from "@simplewebauthn/server"
import { z } from "zod"
import { now } from "../clock.ts"
import type { Network } from "../network/network.ts"
import { Refusal } from "../stanzas/refusal.ts"
import * as Jid from "../wire/jid.ts"
import { bytes, child, el, newStanzaId, type Node } from "../wire/node.ts"
import { type Pairing, letStay } from "./pairing.ts"

/**
 * The network's part of linking with a passkey ("shortcake"), as whatsmeow (`pair-passkey.go`), whatsapp-rust
 * (928) and zapo (`WaShortcakeFlow.ts`) meet it: the companion brings an assertion of the account's passkey,
 * then agrees with the phone on a key, under which it tells the phone its secret. The codes of the refusals
 * are not known; these are ours.
 */

/** Where the passkeys of the network belong, and the only page that may use them. */
export const rpId = "whatsapp.com"
export const origin = "https://web.whatsapp.com"

/** The passkey of an account, as the network knows it. */
export interface Passkey {
  id: Buffer
  /** As COSE writes it. */
  publicKey: Buffer
  counter: number
}

/**
 * What the phone does in the ceremony. Each step throws a `Refusal` where the companion does not play its
 * part.
 */
export interface PhonesPart {
  /** Takes the companion's prologue, and says its half of the agreement: a PrimaryEphemeralIdentity. */
  greet(prologue: Buffer, ref: string, proof: Buffer | undefined): Buffer
  /** Takes the nonce that the companion had committed itself to. Both show a code from here on. */
  compare(nonce: Buffer): void
  /** Takes the sealed keys and secret of the companion, and links it. Called back before the link begins. */
  link(sealed: Buffer, answer: () => void): Promise<void>
}

/** A companion on its way to an account that is linked with a passkey. */
export interface Ceremony {
  /** Whose phone began it. */
  pn: string
  challenge: string
  /** Unix milliseconds. */
  until: number
  stage: "asked" | "greeted" | "compared"
  ref?: string
  phone: PhonesPart
  /** Whether a step is being taken. */
  isBusy: boolean
}

/** How long a companion that was too late may stay, to begin again, in milliseconds. */
const afterwards = 60_000

/** Asks a companion for an assertion, once a phone whose owner has a passkey has begun to link it. */
export function askForPasskey(network: Network, pairing: Pairing, begun: Pick<Ceremony, "pn" | "phone">) {
  const { passkeyMs } = network.patience
  const until = Date.now() + passkeyMs
  pairing.ceremony = { ...begun, challenge: newChallenge(), until, stage: "asked", isBusy: false }
  // The companion's codes would expire before a person has found their passkey.
  letStay(pairing, passkeyMs + afterwards)
  notify(pairing, "passkey_prologue_request", optionsOf(pairing.ceremony))
}

const steps = new Map<string, (step: Step) => Node[] | Promise<Node[]>>([
  ["get ref", giveRef],
  ["get passkey_request_options", giveOptions],
  ["set passkey_prologue", takeAssertion],
  ["set companion_nonce", takeNonce],
  ["set encrypted_pairing_request", takeSecret],
])

/**
 * Takes one step of a companion. A step that must be answered before it ends calls `answer`.
 * @returns the content of the answer; undefined if the stanza is no step
 * @throws Refusal
 */
export async function receive(
  network: Network,
  pairing: Pairing,
  { iq, answer }: { iq: Node; answer: () => void },
): Promise<Node[]> {
  const step = stepOf(iq)
  const { ceremony } = pairing
  if (!step || !ceremony) throw new Refusal(404, "item-not-found")
  if (ceremony.isBusy) throw new Refusal(409, "conflict")
  if (step !== giveOptions && Date.now() > ceremony.until) throw new Refusal(408, "request-timeout")
  ceremony.isBusy = true
  try {
    return await step({ network, pairing, ceremony, part: child(iq), answer })
  } finally {
    ceremony.isBusy = false
  }
}

/** Whether it is a step of the ceremony. */
export const isStep = (iq: Node): boolean => stepOf(iq) !== undefined

const stepOf = (iq: Node) =>
  iq.attrs.xmlns === "md" ? steps.get(`${iq.attrs.type} ${child(iq)?.tag}`) : undefined

interface Step {
  network: Network
  pairing: Pairing
  ceremony: Ceremony
  part: Node | undefined
  answer: () => void
}

function giveRef({ ceremony }: Step): Node[] {
  ceremony.ref = `2@${randomBytes(48).toString("base64")}`
  return [el("ref", {}, Buffer.from(ceremony.ref))]
}

/** Gives the options once more. A ceremony that is too late begins anew, under another challenge. */
function giveOptions({ network, ceremony }: Step): Node[] {
  if (Date.now() > ceremony.until)
    Object.assign(ceremony, {
      challenge: newChallenge(),
      until: Date.now() + network.patience.passkeyMs,
      stage: "asked",
    })
  return [optionsOf(ceremony)]
}

async function takeAssertion({ network, pairing, ceremony, part }: Step): Promise<Node[]> {
  const [credential, assertion, prologue] = ["credential_id", "webauthn_assertion", "prologue_payload"].map(
    (tag) => bytes(child(part, tag)),
  )
  const proof = bytes(child(part, "pairing_handoff_proof"))
  if (!credential || !assertion || !prologue || !ceremony.ref) throw badRequest()
  const passkey = passkeyOf(network, ceremony.pn)
  if (!passkey.id.equals(credential)) throw new Refusal(403, "forbidden")
  const counter = await verified(passkey, ceremony.challenge, assertion)
  if (counter === undefined) throw new Refusal(401, "not-authorized")
  network.profiles.change(ceremony.pn, { passkey: { ...passkey, counter } })
  const identity = ceremony.phone.greet(prologue, ceremony.ref, proof)
  // An assertion is good once.
  ceremony.challenge = newChallenge()
  ceremony.stage = "greeted"
  // After the answer, as the companion waits for that first.
  setImmediate(() => notify(pairing, "crsc_continuation", el("primary_ephemeral_identity", {}, identity)))
  return []
}

function takeNonce({ ceremony, part }: Step): Node[] {
  const nonce = bytes(part)
  if (ceremony.stage !== "greeted" || nonce?.length !== 32) throw badRequest()
  ceremony.phone.compare(nonce)
  ceremony.stage = "compared"
  return []
}

async function takeSecret({ pairing, ceremony, part, answer }: Step): Promise<Node[]> {
  const sealed = bytes(part)
  if (ceremony.stage !== "compared" || !sealed) throw badRequest()
  await ceremony.phone.link(sealed, () => {
    delete pairing.ceremony
    answer()
  })
  return []
}

const Assertion = z.object({
  id: z.string(),
  rawId: z.string(),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: z.string(),
    authenticatorData: z.string(),
    signature: z.string(),
    userHandle: z.string().nullish(),
  }),
})

/**
 * The counter of an assertion; undefined if the assertion is not by this passkey, on the one page and for
 * this challenge.
 */
async function verified(passkey: Passkey, challenge: string, content: Buffer): Promise<number | undefined> {
  const said = Assertion.safeParse(json(content))
  if (!said.success) throw badRequest()
  const { id, publicKey, counter } = passkey
  // Loaded here: it has hundreds of modules, and few networks have a passkey.
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server")
  try {
    const { verified: isGood, authenticationInfo } = await verifyAuthenticationResponse({
      // Its user handle may be null.
      response: { ...said.data, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: { id: id.toString("base64url"), publicKey: new Uint8Array(publicKey), counter },
    })
    return isGood ? authenticationInfo.newCounter : undefined
  } catch {
    // The check throws if anything is not as expected.
    return undefined
  }
}

function json(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString())
  } catch {
    return undefined
  }
}

/**
 * As the live network was seen to ask (Baileys 2689): any passkey of the browser's, and an extension that may
 * be left out.
 */
function optionsOf({ challenge, until }: Ceremony): Node {
  const options = {
    challenge,
    timeout: Math.max(0, until - Date.now()),
    rpId,
    allowCredentials: [],
    userVerification: "required",
    extensions: { uvm: true },
  }
  return el("passkey_request_options", {}, Buffer.from(JSON.stringify(options)))
}

function passkeyOf(network: Network, pn: string): Passkey {
  const { passkey } = network.profiles.get(pn)
  // Its owner has removed it meanwhile.
  if (!passkey) throw new Refusal(404, "item-not-found")
  return passkey
}

const newChallenge = () => randomBytes(32).toString("base64url")

const badRequest = () => new Refusal(400, "bad-request")

function notify(pairing: Pairing, type: string, content: Node) {
  pairing.send(el("notification", { from: Jid.network, type, id: newStanzaId(), t: now() }, [content]))
}
