import { z } from "zod"
import type { FoundKey } from "#session-host/whatsapp/found-login.ts"

/*
 * Records of whatsmeow's Signal library (go.mau.fi/libsignal), which are JSON with their bytes in base64, in
 * the forms of libsignal for Node and of Baileys.
 */

const Key = z.base64().length(44)
const Chain = z.object({
  SenderRatchetKeyPublic: Key,
  ChainKey: z.object({ Key, Index: z.number().int() }),
})
const State = z.object({
  PreviousCounter: z.number().int(),
  ReceiverChains: z.array(Chain).nullish(),
  RemoteIdentityPublic: Key,
  RemoteRegistrationID: z.number().int(),
  RootKey: Key,
  SenderBaseKey: Key,
  SenderChain: Chain.extend({ SenderRatchetKeyPrivate: Key }),
})
type State = z.infer<typeof State>
const Record = z.object({ SessionState: State, PreviousStates: z.array(State).nullish() })

/** libsignal's numbers for a chain of the other side, and for a base key of the other side. */
const receiving = 2
const theirs = 2

/**
 * The record of a device. It has no chain of ours and is closed, so that it only reads: the next message to
 * the device begins a new session. Keys of messages that were skipped are left out, since whatsmeow keeps
 * only what was derived from them: such a message is asked for again.
 * @throws SyntaxError, ZodError
 */
export function sessionOf(text: string, nowMs: number): Extract<FoundKey, { type: "session" }>["value"] {
  const { SessionState: current, PreviousStates: previous } = Record.parse(JSON.parse(text))
  // The newest is first there, and last here.
  const states = [current, ...(previous ?? [])].map(
    (state, age) => [state.SenderBaseKey, readingOnly(state, nowMs - age)] as const,
  )
  return { version: "v1", _sessions: Object.fromEntries(states.toReversed()) }
}

function readingOnly(state: State, usedMs: number) {
  const { SenderChain: ours, SenderBaseKey: baseKey } = state
  const chains = state.ReceiverChains ?? []
  return {
    registrationId: state.RemoteRegistrationID,
    currentRatchet: {
      ephemeralKeyPair: { pubKey: ours.SenderRatchetKeyPublic, privKey: ours.SenderRatchetKeyPrivate },
      lastRemoteEphemeralKey: chains.at(-1)?.SenderRatchetKeyPublic ?? baseKey,
      previousCounter: state.PreviousCounter,
      rootKey: state.RootKey,
    },
    indexInfo: {
      baseKey,
      // Whose it is matters only when a message with it arrives: then it is theirs.
      baseKeyType: theirs,
      closed: usedMs,
      used: usedMs,
      created: usedMs,
      remoteIdentityKey: state.RemoteIdentityPublic,
    },
    _chains: Object.fromEntries(
      chains.map(({ SenderRatchetKeyPublic: id, ChainKey: { Key: key, Index: next } }) => [
        id,
        // Here the number of the last key that was derived counts, there that of the next one.
        { chainKey: { counter: next - 1, key }, chainType: receiving, messageKeys: {} },
      ]),
    ),
  }
}

const Seed = Key.transform((text) => Buffer.from(text, "base64"))
const SenderKeys = z.object({
  SenderKeyStates: z.array(
    z.object({
      KeyID: z.number().int(),
      SenderChainKey: z.object({ Iteration: z.number().int(), ChainKey: Seed }),
      SigningKeyPublic: Seed,
      Keys: z.array(z.object({ Iteration: z.number().int(), Seed })).nullish(),
    }),
  ),
})

/**
 * The sender keys of somebody else in a group: they only read. whatsmeow writes a private half of zeros into
 * them, which they do not have.
 * @throws SyntaxError, ZodError
 */
export function senderKeysOf(text: string): Uint8Array {
  const { SenderKeyStates: states } = SenderKeys.parse(JSON.parse(text))
  const made = states.map((state) => ({
    senderKeyId: state.KeyID,
    senderChainKey: { iteration: state.SenderChainKey.Iteration, seed: state.SenderChainKey.ChainKey },
    senderSigningKey: { public: state.SigningKeyPublic, private: Buffer.alloc(0) },
    senderMessageKeys: (state.Keys ?? []).map(({ Iteration: iteration, Seed: seed }) => ({
      iteration,
      seed,
    })),
  }))
  // The newest is first there, and last here.
  return Buffer.from(JSON.stringify(made.toReversed()))
}
