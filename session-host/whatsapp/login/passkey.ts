import { createHash, randomBytes } from "node:crypto"
import {
  aesEncryptGCM,
  Curve,
  hkdf,
  hmacSign,
  proto,
  type AuthenticationCreds,
  type BinaryNode,
  type WASocket,
} from "@whiskeysockets/baileys"
import { PasskeyOptions, type PasskeyAssertion, passkeyOrigin } from "#contract/passkey.ts"
import { now } from "#core/platform/clock.ts"
import { within } from "#session-host/concurrency/call-deadline.ts"
import { NetworkRejected, NoAnswer, PasskeyRefused } from "#session-host/network/errors.ts"
import type { Stanza } from "#session-host/network/stanza.ts"
import type { Lifetime } from "../lifetime.ts"
import { askNetwork } from "../questions/ask.ts"
import { toStanza } from "../stanza.ts"
import { newAdvSecret } from "./qr.ts"

/** How long the phone's half of the agreement may take, ms. */
const answerMs = 15_000
/**
 * The longest life of a request, in s: other clients prove for five minutes that they had the secret that was
 * scanned.
 */
const longestS = 300

interface Input {
  sock: Pick<WASocket, "query">
  creds: AuthenticationCreds
  lifetime: Pick<Lifetime, "emit">
  /** Keeps the credentials, and calls back when they are kept. */
  commitCreds: (then: () => void) => void
  onError: (error: unknown) => void
}

/** How many spare codes hold a connection open beyond the network's own, at 20 s each. */
const spares = 18
const spareRef = "spare"

/** Whether a code of Baileys' was made of a spare. */
export const isSpareCode = (qr: string): boolean => qr.split("#").at(-1)!.startsWith(`${spareRef},`)

/**
 * Baileys hangs up once it has shown all codes, some 160 s after the first, even while a person looks for
 * their passkey. So it gets more codes, which are never shown.
 */
export function addSpareCodes({ content }: BinaryNode): void {
  if (!Array.isArray(content)) return
  const codes = content.find((child) => child.tag === "pair-device")?.content
  if (!Array.isArray(codes)) return
  codes.push(
    ...Array.from({ length: spares }, () => ({ tag: "ref", attrs: {}, content: Buffer.from(spareRef) })),
  )
}

export type PasskeyLink = ReturnType<typeof newPasskeyLink>

type Step = (type: "get" | "set", child: Stanza) => Promise<Stanza>

/**
 * Links an account that wants a passkey first, of which Baileys knows nothing. The order and the contents are
 * those of whatsmeow (`pair-passkey.go`), whatsapp-rust (928) and zapo (`WaShortcakeFlow.ts`): an assertion
 * goes out with our half of a key agreement and a commitment to a nonce, the phone's half comes, the nonce is
 * shown, and our keys go out under the agreed key with a new secret. Then the phone vouches for us as usual.
 */
export function newPasskeyLink({ sock, creds, lifetime, commitCreds, onError }: Input) {
  let request: { options: PasskeyOptions; expiresAt: number } | undefined
  /** The secret that the phone has seen. */
  let shownSecret: string | undefined
  let isBusy = false
  let onContinued: ((half: Uint8Array) => void) | undefined

  const step: Step = (type, child) => askNetwork(sock, { xmlns: "md", type, children: [child] })
  const show = (options: PasskeyOptions) => {
    request = { options, expiresAt: expiryOf(options) }
    lifetime.emit({ kind: "passkey_required", request })
  }
  const again = async () => show(optionsIn(await step("get", part("passkey_request_options"))))
  const nextHalf = () => new Promise<Uint8Array>((resolve) => (onContinued = resolve))

  const begin = async (asked: Stanza) => {
    if (shownSecret === undefined) {
      shownSecret = creds.advSecretKey
      creds.advSecretKey = newAdvSecret()
      await new Promise<void>((resolve) => commitCreds(resolve))
    }
    try {
      show(optionsIn(asked))
    } catch {
      // The request cannot be read. The network can be asked for another one.
      await again().catch((error: unknown) => {
        lifetime.emit({ kind: "passkey_required" })
        onError(error)
      })
    }
  }

  /** @throws PasskeyRefused, NetworkRejected, NoAnswer */
  const answer = async (assertion: PasskeyAssertion) => {
    if (!request || shownSecret === undefined) throw new PasskeyRefused("not_awaited")
    if (isBusy) throw new PasskeyRefused("busy")
    isBusy = true
    try {
      const { options, expiresAt } = request
      if (now() >= expiresAt) throw new PasskeyRefused("late")
      check(assertion, options)
      await agree({ step, creds, assertion, secret: shownSecret, nextHalf })
      request = undefined
    } catch (error) {
      const refusal = error instanceof NetworkRejected ? refusalOf(error) : error
      // An assertion is good for one challenge, and the network may have used this one up.
      if (refusal instanceof PasskeyRefused && refusal.isSpent) await again().catch(onError)
      throw refusal
    } finally {
      isBusy = false
    }
  }

  return {
    answer,
    /** Whether the network waits for a passkey. Meanwhile it sends no code. */
    get isAsked() {
      return shownSecret !== undefined
    },
    /** Takes the network's notifications about passkeys, and ignores all others. */
    onNotification(notification: BinaryNode) {
      const { type, from } = notification.attrs
      if (from !== "s.whatsapp.net" && from !== "@s.whatsapp.net") return
      if (type === "passkey_prologue_request") begin(toStanza(notification)).catch(onError)
      if (type !== "crsc_continuation") return
      const half = toStanza(notification).children.find(({ tag }) => tag === "primary_ephemeral_identity")
      if (half?.bytes) onContinued?.(half.bytes)
    },
  }
}

function expiryOf({ timeout = longestS * 1000 }: PasskeyOptions): number {
  return now() + Math.min(longestS, Math.floor(timeout / 1000))
}

/** Agrees on a key with the phone, and sends it our keys under it. */
async function agree(input: {
  step: Step
  creds: AuthenticationCreds
  assertion: PasskeyAssertion
  /** The secret that the phone has seen. */
  secret: string
  /** The phone's half, when it comes. */
  nextHalf: () => Promise<Uint8Array>
}): Promise<void> {
  const { step, creds, assertion, secret } = input
  const ref = childOf(await step("get", part("ref")), "ref").toString()
  const [own, nonce, deviceType] = [
    Curve.generateKeyPair(),
    randomBytes(32),
    proto.DeviceProps.PlatformType.CHROME,
  ]
  const identity = proto.CompanionEphemeralIdentity.encode({
    publicKey: own.public,
    deviceType,
    ref,
  }).finish()
  const commitment = { hash: createHash("sha256").update(identity).update(nonce).digest() }
  const prologue = proto.ProloguePayload.encode({
    companionEphemeralIdentity: identity,
    commitment,
  }).finish()
  const handoff = hkdf(Buffer.from(secret, "base64"), 32, { info: "shortcake-passkey-handoff-v1" })
  const continued = input.nextHalf()
  await step("set", {
    ...part("passkey_prologue"),
    children: [
      part("credential_id", Buffer.from(assertion.rawId, "base64url")),
      part("webauthn_assertion", Buffer.from(JSON.stringify(assertion))),
      part("prologue_payload", prologue),
      part("pairing_handoff_proof", hmacSign(Buffer.from(prologue), Buffer.from(handoff))),
    ],
  })
  const half = await within(answerMs, continued, () => {
    throw new NoAnswer("the phone did not answer")
  })
  const shared = agreed(own.private, half)
  await step("set", part("companion_nonce", nonce))
  const key = hkdf(shared, 32, {
    salt: Buffer.from(`Companion Pairing ${deviceType} with ref ${ref}`),
    info: "Pairing Information Encryption Key",
  })
  const keys = proto.PairingRequest.encode({
    companionPublicKey: creds.noiseKey.public,
    companionIdentityKey: creds.signedIdentityKey.public,
    advSecret: Buffer.from(creds.advSecretKey, "base64"),
  }).finish()
  const iv = randomBytes(12)
  const encryptedPayload = aesEncryptGCM(keys, key, iv, Buffer.alloc(0))
  const sealed = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish()
  await step("set", part("encrypted_pairing_request", sealed))
}

const part = (tag: string, bytes?: Uint8Array): Stanza => ({
  tag,
  attrs: {},
  children: [],
  ...(bytes && { bytes }),
})

/** @throws PasskeyRefused `unreadable` */
function childOf({ children }: Stanza, tag: string): Buffer {
  const bytes = children.find((child) => child.tag === tag)?.bytes
  if (!bytes) throw new PasskeyRefused("unreadable")
  return Buffer.from(bytes)
}

/** The secret that we share with the phone. @throws PasskeyRefused `unreadable` */
function agreed(own: Uint8Array, half: Uint8Array): Buffer {
  try {
    return Curve.sharedKey(own, proto.PrimaryEphemeralIdentity.decode(half).publicKey!)
  } catch {
    throw new PasskeyRefused("unreadable")
  }
}

function optionsIn(stanza: Stanza): PasskeyOptions {
  return PasskeyOptions.parse(JSON.parse(childOf(stanza, "passkey_request_options").toString()))
}

/**
 * Refuses an assertion that can be seen here to be wrong. The network checks the signature, and whose passkey
 * made it.
 * @throws PasskeyRefused
 */
function check({ response }: PasskeyAssertion, { challenge }: PasskeyOptions): void {
  const said = clientDataOf(response.clientDataJSON)
  if (said.type !== "webauthn.get") throw new PasskeyRefused("malformed")
  if (said.origin !== passkeyOrigin) throw new PasskeyRefused("origin")
  if (said.challenge !== challenge) throw new PasskeyRefused("challenge")
}

function clientDataOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(text, "base64url").toString())) as Record<string, unknown>
  } catch {
    throw new PasskeyRefused("malformed")
  }
}

/** How the live network words its refusals is not known; these are the codes of the simulated network. */
function refusalOf(error: NetworkRejected): PasskeyRefused | NetworkRejected {
  switch (error.networkCode) {
    case 400:
      return new PasskeyRefused("malformed")
    case 401:
      return new PasskeyRefused("wrong")
    case 403:
      return new PasskeyRefused("foreign")
    case 408:
      return new PasskeyRefused("late")
    default:
      return error
  }
}
