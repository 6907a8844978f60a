import {
  DEFAULT_CONNECTION_CONFIG,
  type BinaryNode,
  type LIDMapping,
  type SignalCreds,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import type { Hold } from "#core/platform/locks.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Intake, Vault } from "#session-host/network/connection.ts"
import { newDecrypting } from "#session-host/whatsapp/receive/decrypt.ts"
import { newEncrypting } from "#session-host/whatsapp/send/encrypt-in-unit.ts"
import type { Guarded } from "../lifetime.ts"
import type { ILogger } from "../quiet-log.ts"
import { addressesMoved } from "./addresses.ts"
import { newAskForLids } from "./ask-for-lids.ts"
import type { Keys } from "./keys.ts"
import { withFormerKeys } from "./signed-pre-keys.ts"
import { closingFormerSessions } from "./undo-deletions.ts"

/**
 * How many people's two addresses a session has in its memory; it looks others up. The largest group has
 * 1,024 members.
 */
const rememberedPeople = 5_000

export interface RepositoryInput {
  creds: SignalCreds & { additionalData?: unknown; me?: { id: string; lid?: string } }
  keys: Keys
  changeVault: Vault["change"]
  intake: Omit<Intake, "foresee">
  /** Runs work of the memory. If the work fails, the connection ends first. */
  guarded: Guarded
  /** Locks by Signal address. */
  lockKeys: Hold
  /** The stanza in which a ciphertext came. */
  stanzaOf: (ciphertext: Uint8Array) => BinaryNode | undefined
  /** Called when this ciphertext is done for now: it was read, or cannot be read. */
  onSettled: (ciphertext: Uint8Array) => void
  /** Runs a question to the network on which decryption may depend. */
  whileAsking: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>
  /** Requests again a message that cannot be read, if that is possible. */
  request: (stanza: BinaryNode) => Promise<void>
}

/**
 * Baileys' Signal repository, with each step of a ratchet in one unit with what became of it: the events of a
 * message that was read, the message that was encrypted. Baileys itself would lose updates between the two.
 */
export function durableRepository(
  input: RepositoryInput,
  log: ILogger,
  lidsOf?: (jids: string[]) => Promise<LIDMapping[] | undefined>,
): SignalRepositoryWithLIDStore {
  const { keys, lockKeys } = input
  const lids = lidsOf && newAskForLids(lidsOf, log)
  const ask = lids && ((jids: string[]) => input.whileAsking(() => lids(jids)))
  const auth = { creds: withFormerKeys(input.creds), keys: closingFormerSessions(keys) }
  const inner = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, log, ask)
  // Baileys' own cache holds everybody whom the session has heard of in three days.
  Object.assign(inner.lidMapping, { mappingCache: boundedCache<string>(2 * rememberedPeople) })

  return {
    ...inner,
    ...newDecrypting(input, inner, log),
    ...newEncrypting(input, inner),
    deleteSession: (jids) =>
      lockKeys(
        jids.map((jid) => inner.jidToSignalProtocolAddress(jid)),
        () => inner.deleteSession(jids),
      ),
    migrateSession: async (from, to) =>
      lockKeys(await addressesMoved({ from, to }, inner, keys), () =>
        keys.atomically(() => inner.migrateSession(from, to)),
      ),
  }
}
