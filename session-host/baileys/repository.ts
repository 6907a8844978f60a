import {
  DEFAULT_CONNECTION_CONFIG,
  type BinaryNode,
  type LIDMapping,
  type SignalCreds,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import type { Vault } from "../network.ts"
import { addressesMoved } from "./addresses.ts"
import { newDecrypting } from "./decrypting.ts"
import { newEncrypting } from "./encrypting.ts"
import type { Keys } from "./keys.ts"
import type { Hold } from "./locks.ts"
import type { ILogger } from "./quiet-log.ts"

export interface RepositoryInput {
  creds: SignalCreds & { me?: { id: string; lid?: string } }
  keys: Keys
  vault: Pick<Vault, "lookUp">
  /** By Signal address. */
  hold: Hold
  /** The stanza that a ciphertext came in. */
  stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined
  /** The message is durable; its receipt has not left yet. */
  onJournalled: () => void
  /** Nothing more will become of this ciphertext now. */
  onSettled: (ciphertext: Uint8Array) => void
}

/**
 * Baileys' Signal repository with two promises that it does not make: a message is journalled in the commit that moves
 * its ratchet, before its receipt; and no ciphertext leaves before the ratchet that made it is kept.
 */
export function durableRepository(
  input: RepositoryInput,
  log: ILogger,
  lidsOf?: (jids: string[]) => Promise<LIDMapping[] | undefined>,
): SignalRepositoryWithLIDStore {
  const { keys, hold } = input
  const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: input.creds, keys }, log, lidsOf)

  return {
    ...inner,
    ...newDecrypting(input, inner, log),
    ...newEncrypting(input, inner),
    deleteSession: (jids) =>
      hold(
        jids.map((jid) => inner.jidToSignalProtocolAddress(jid)),
        () => inner.deleteSession(jids),
      ),
    migrateSession: async (from, to) =>
      hold(await addressesMoved({ from, to }, inner, keys), () =>
        keys.atomically(() => inner.migrateSession(from, to)),
      ),
  }
}
