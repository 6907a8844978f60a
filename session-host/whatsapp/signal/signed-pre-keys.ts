import {
  type AuthenticationCreds,
  encodeBigEndian,
  type SignalCreds,
  type SignedKeyPair,
  signedKeyPair,
  type WASocket,
} from "@whiskeysockets/baileys"
import { now, timeLeft } from "#core/platform/clock.ts"
import { NetworkRejected } from "#session-host/network/errors.ts"
import { el } from "#session-host/network/stanza.ts"
import { changeAdditionalData, additionalDataOf } from "../additional-data.ts"
import type { Lifetime } from "../lifetime.ts"
import { askNetwork } from "../questions/ask.ts"
import { signedPreKeyNow } from "../send/transmission.ts"

const day = 24 * 3600
/**
 * How long a signed prekey is used, in seconds: as long as in WhatsApp Web (whatsapp-rust, `rotate_key.rs`,
 * 2026-08).
 */
const usedFor = 27 * day
/** How many former keys are kept, for messages that were begun with them and are still on their way. */
const formerKept = 2
/** How often a connection checks whether the key is due to be replaced, in ms. */
const lookMs = 3600 * 1000
/** Ids have 24 bits. */
const lastId = 0xff_ff_ff

interface Input {
  sock: Pick<WASocket, "query">
  creds: AuthenticationCreds
  commitCreds: () => void
  lifetime: Pick<Lifetime, "atEnd" | "isOpen">
  onError: (error: unknown) => void
}

/**
 * Replaces the signed prekey every 27 days, as WhatsApp Web does. Baileys 7.0.0-rc14 has one key for as long
 * as the device lives, and knows no other. The next key is durable before the network hears of it, and the
 * former keys stay: whichever key the network hands out, a message that begins with it can be read.
 * @returns a function to call when the connection has logged in
 */
export function newSignedPreKeys({ sock, creds, commitCreds, lifetime, onError }: Input): () => void {
  let isAsking = false
  const kept = () => additionalDataOf(creds).signedPreKeys ?? { dueAt: now() + usedFor, former: [] }
  const changeKept = (change: Partial<ReturnType<typeof kept>>) => {
    changeAdditionalData(creds, { signedPreKeys: { ...kept(), ...change } })
    commitCreds()
  }

  async function rotateIfDue(): Promise<void> {
    if (isAsking || !lifetime.isOpen || !creds.me) return
    if (!additionalDataOf(creds).signedPreKeys) return changeKept({})
    if (timeLeft(kept().dueAt, usedFor) > 0) return
    isAsking = true
    try {
      await rotate()
    } finally {
      isAsking = false
    }
  }

  /** @throws NetworkRejected, NoAnswer: the network may have the next key, which is offered again */
  async function rotate(): Promise<void> {
    const before = creds.signedPreKey
    const id = kept().nextId ?? (before.keyId % lastId) + 1
    const next = kept().next ?? signedKeyPair(creds.signedIdentityKey, id)
    changeKept({ next })
    try {
      await askNetwork(sock, {
        xmlns: "encrypt",
        type: "set",
        children: [el("rotate", {}, [stanzaOf(next)])],
      })
    } catch (error) {
      if (error instanceof NetworkRejected) changeKept(afterRefusal(error.networkCode, next))
      throw error
    }
    Object.assign(creds, { signedPreKey: next })
    const former = [before, ...kept().former].slice(0, formerKept)
    changeKept({ next: undefined, nextId: undefined, former, dueAt: now() + usedFor })
  }

  const looking = setInterval(() => void rotateIfDue().catch(onError), lookMs).unref()
  lifetime.atEnd(() => clearInterval(looking))
  return () => void rotateIfDue().catch(onError)
}

/**
 * What to do after a refusal: if the network does not take this key (406, 409), another one is made next
 * time; otherwise it takes no key for now.
 */
function afterRefusal(networkCode: number, next: SignedKeyPair) {
  const isWrong = networkCode === 406 || networkCode === 409
  return { next: isWrong ? undefined : next, dueAt: now() + (networkCode < 500 ? usedFor : day) }
}

function stanzaOf({ keyId, keyPair, signature }: SignedKeyPair) {
  return el("skey", {}, [
    el("id", {}, encodeBigEndian(keyId, 3)),
    el("value", {}, keyPair.public),
    el("signature", {}, signature),
  ])
}

/**
 * These credentials, but with the signed prekey that is named by the message being read: Baileys uses the
 * present key for every message.
 */
export function withFormerKeys(creds: SignalCreds & { additionalData?: unknown }): SignalCreds {
  return Object.create(creds, {
    signedPreKey: {
      get(): SignedKeyPair {
        const id = signedPreKeyNow()
        const { next, former = [] } = additionalDataOf(creds).signedPreKeys ?? {}
        const wanted = id === undefined || id === creds.signedPreKey.keyId ? undefined : id
        const found = wanted && [...(next ? [next] : []), ...former].find(({ keyId }) => keyId === wanted)
        return found || creds.signedPreKey
      },
    },
  }) as SignalCreds // all that it has not itself, it has from them
}
