import { randomBytes } from "node:crypto"
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve as Agreement,
  derivePairingCodeKey,
  hkdf,
} from "@whiskeysockets/baileys"
import * as LinkCode from "../devices/link-code.ts"
import { PairingError } from "../devices/pairing.ts"
import type { Network } from "../network/network.ts"
import * as Curve from "../wire/curve.ts"
import { type AskForPasskey, vouch } from "./link.ts"
import type { Identity } from "./signal/key-store.ts"

/** A code as it is typed. */
export interface TypedCode {
  code: string
  /** How often the phone says hello, each time after the companion has answered. */
  hellos?: number | undefined
  /**
   * Whether the network tells the companion to make another secret when it has answered already: it must not.
   */
  refreshes?: boolean | undefined
}

/**
 * How long a companion may take to answer a repeated hello, ms. After that the phone goes on with the answer
 * that it has.
 */
const againMs = 1000

const nothing = Buffer.alloc(0)

/**
 * A phone links the companion whose eight-letter code was typed on it; the id of the new device.
 * @throws PairingError: a wrong code shows when the companion's answer does not open.
 */
export async function linkByCode(
  network: Network,
  { pn, identity: phone }: { pn: string; identity: Identity },
  {
    code: typed,
    hellos = 1,
    refreshes = false,
    ceremony,
  }: TypedCode & { ceremony: AskForPasskey | undefined },
): Promise<number> {
  const code = typed.replace(/[^0-9a-z]/gi, "").toUpperCase()
  const waiting = LinkCode.find(network, pn)
  const companionKey = await unwrap(waiting.code.wrappedKey, code)
  let opened = await greet()
  // A phone that has not seen the answer says hello once more, under another key. The last answer counts.
  for (let n = 1; n < hellos; n++) opened = await greet(againMs).catch(unlessUnanswered(opened))
  const { identity, random, shared } = opened
  if (refreshes) LinkCode.refreshSecret(waiting.pairing)
  if (!identity.equals(waiting.pairing.identity))
    throw new PairingError("wrong_key", "the companion answered with another identity than its own")
  const together = Agreement.sharedKey(phone.identity.private, identity)
  const advSecret = Buffer.from(hkdf(Buffer.concat([shared, together, random]), 32, { info: "adv_secret" }))
  ceremony?.(waiting.pairing, advSecret)
  return vouch(network, pn, phone, waiting.pairing, advSecret)

  async function greet(withinMs?: number) {
    const ephemeral = Curve.generate()
    const hello = { wrappedKey: await wrap(ephemeral.public, code), identity: phone.identity.public }
    const answer = await LinkCode.exchangeKeys(waiting.pairing, waiting.code, hello, withinMs)
    const shared = Agreement.sharedKey(ephemeral.private, companionKey)
    return { ...open(answer, shared, phone), shared }
  }
}

/** Gives the companion's earlier answer if it does not answer again. */
function unlessUnanswered<T>(before: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof PairingError && error.code === "no_answer") return before
    throw error
  }
}

/** 32 bytes of salt, 16 of IV, then the key under AES-CTR. */
async function wrap(publicKey: Buffer, code: string): Promise<Buffer> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  return Buffer.concat([salt, iv, aesEncryptCTR(publicKey, await derivePairingCodeKey(code, salt), iv)])
}

async function unwrap(wrapped: Buffer, code: string): Promise<Buffer> {
  const key = await derivePairingCodeKey(code, wrapped.subarray(0, 32))
  return aesDecryptCTR(wrapped.subarray(48), key, wrapped.subarray(32, 48))
}

/** The companion's bundle: its identity, the phone's as it knows it, and a random part of the secret. */
function open(bundle: Buffer, shared: Buffer, phone: Identity) {
  const key = hkdf(shared, 32, {
    salt: bundle.subarray(0, 32),
    info: "link_code_pairing_key_bundle_encryption_key",
  })
  const opened = decrypt(bundle.subarray(44), Buffer.from(key), bundle.subarray(32, 44))
  if (opened?.length !== 96 || !opened.subarray(32, 64).equals(phone.identity.public))
    throw new PairingError("wrong_code", "this is not the code the companion shows")
  return { identity: opened.subarray(0, 32), random: opened.subarray(64) }
}

function decrypt(sealed: Buffer, key: Buffer, iv: Buffer): Buffer | undefined {
  try {
    return aesDecryptGCM(sealed, key, iv, nothing)
  } catch {
    // Another code made another key: the caller says so.
    return undefined
  }
}
