import { createHmac } from "node:crypto"
import type { Keys } from "#session-host/whatsapp/signal/keys.ts"

/** The parts of a device that its ratchets need. */
interface Party {
  keys: Keys
  repository: { jidToSignalProtocolAddress(jid: string): string }
}

interface ChainKey {
  counter: number
  key: string
}

interface Session {
  indexInfo: { closed: number }
  currentRatchet: { ephemeralKeyPair: { pubKey: string } }
  _chains: Record<string, { chainKey: ChainKey }>
}

/** Advances the ratchet as if this many messages to the device had been encrypted that are never sent. */
export async function advanceRatchet({ keys, repository }: Party, to: string, count: number): Promise<void> {
  const address = repository.jidToSignalProtocolAddress(to)
  const { [address]: kept } = await keys.get("session", [address])
  // As libsignal serialises it.
  const record = structuredClone(kept) as unknown as { _sessions: Record<string, Session> }
  const open = Object.values(record._sessions).find(({ indexInfo }) => indexInfo.closed === -1)!
  const { chainKey } = open._chains[open.currentRatchet.ephemeralKeyPair.pubKey]!
  chainKey.key = stepped(Buffer.from(chainKey.key, "base64"), count).toString("base64")
  chainKey.counter += count
  await keys.set({ session: { [address]: record as unknown as Uint8Array } }) // as Baileys names it
}

interface SenderKey {
  senderChainKey: { iteration: number; seed: { data: string } }
}

/**
 * Advances each of our sender keys as if this many messages had been encrypted with it that are never sent.
 */
export async function advanceSenderKeys(
  { keys }: Pick<Party, "keys">,
  senderKeyName: string,
  count: number,
): Promise<void> {
  const { [senderKeyName]: kept } = await keys.get("sender-key", [senderKeyName])
  const states = JSON.parse(Buffer.from(kept!).toString()) as SenderKey[] // as Baileys keeps them
  for (const { senderChainKey } of states) {
    senderChainKey.seed.data = stepped(Buffer.from(senderChainKey.seed.data, "base64"), count).toString(
      "base64",
    )
    senderChainKey.iteration += count
  }
  await keys.set({ "sender-key": { [senderKeyName]: Buffer.from(JSON.stringify(states)) } })
}

/** Both kinds of ratchet step their chains in the same way. */
function stepped(chainKey: Buffer, count: number): Buffer {
  let key = chainKey
  for (let i = 0; i < count; i++) key = createHmac("sha256", key).update(Buffer.of(2)).digest()
  return key
}
