import { setImmediate as nextTurn } from "node:timers/promises"
import {
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  type LIDMapping,
  type SignalCreds,
  type SignalRepositoryWithLIDStore,
} from "@whiskeysockets/baileys"
import type { Hold } from "#core/platform/locks.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Intake, Vault } from "#session-host/network/connection.ts"
import { newDecrypting } from "#session-host/whatsapp/receive/decrypt.ts"
import type { Guarded } from "../lifetime.ts"
import type { ILogger } from "../quiet-log.ts"
import { transmissionNow } from "../send/transmission.ts"
import { addressesMoved, addressesOf } from "./addresses.ts"
import { newAskForLids } from "./ask-for-lids.ts"
import type { Keys } from "./keys.ts"
import { SessionRecord } from "./libsignal.ts"
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

type InjectedSession = Parameters<SignalRepositoryWithLIDStore["injectE2ESession"]>[0]

type Encrypting = Pick<
  SignalRepositoryWithLIDStore,
  | "encryptMessage"
  | "encryptGroupMessage"
  | "validateSession"
  | "injectE2ESession"
  | "getSenderKeyDistributionMessage"
>

/**
 * Makes the unit with the ratchet that made a ciphertext before it gives the ciphertext away.
 * `hold-frames.ts` waits until that unit is durable.
 */
function newEncrypting(
  { keys, changeVault, lockKeys }: Pick<RepositoryInput, "keys" | "changeVault" | "lockKeys">,
  inner: SignalRepositoryWithLIDStore,
): Encrypting {
  const pace = newPace()

  /**
   * The first unit of a transmission has the message itself. Baileys encrypts for phones of our own account,
   * too.
   */
  async function inOneUnit<T>(encrypt: () => Promise<T>): Promise<T> {
    const transmission = transmissionNow()
    if (!transmission) return await keys.atomically(encrypt)
    transmission.mustGoOn()
    return await keys.atomically(encrypt, (changes) =>
      transmission.addMessageOnce((message) =>
        changeVault({ keys: changes, ...(message && { outgoing: message }) }),
      ),
    )
  }

  /**
   * Whether Baileys wants a new session only because it has asked for a contact's devices, as it does after
   * each start: the open session is as good. Each new session drops the oldest one, under which messages may
   * still come. A device that cannot read us says so, and then the new session is asked for outside a
   * transmission.
   */
  async function isForcedAnew({ jid, session }: InjectedSession): Promise<boolean> {
    if (!transmissionNow()) return false
    const address = inner.jidToSignalProtocolAddress(jid)
    const { [address]: record } = await keys.get("session", [address])
    const open = record && SessionRecord.deserialize(record).getOpenSession()
    return open ? Buffer.from(session.identityKey).equals(open.indexInfo.remoteIdentityKey) : false
  }

  return {
    encryptMessage: async (message) => {
      // Baileys encrypts all copies of a message to many devices at once.
      await pace()
      const encrypt = async () =>
        lockKeys(await addressesOf(message.jid, inner), () => inOneUnit(() => inner.encryptMessage(message)))
      return await encrypt().catch(async (error: unknown) => {
        const openAgain = transmissionNow()?.openAgain
        if (!openAgain || !isWithoutSession(error)) throw error
        await openAgain(message.jid)
        return await encrypt()
      })
    },
    encryptGroupMessage: (message) =>
      lockKeys([message.group], () => inOneUnit(() => inner.encryptGroupMessage(message))),
    injectE2ESession: async (session) =>
      lockKeys(await addressesOf(session.jid, inner), () =>
        keys.atomically(async () => {
          if (!(await isForcedAnew(session))) await inner.injectE2ESession(session)
        }),
      ),
    /**
     * Baileys looks up one session after another. For a message, all sessions have already been looked up at
     * once.
     */
    validateSession: async (jid) =>
      transmissionNow()?.reached?.get(jid) ? { exists: true } : inner.validateSession(jid),
    getSenderKeyDistributionMessage: (group) =>
      lockKeys([group.group], () => keys.atomically(() => inner.getSenderKeyDistributionMessage(group))),
  }
}

/**
 * Whether the session that was open when the message was prepared was closed since (`undo-deletions.ts`).
 * Baileys would leave the device out, and note that it has our sender key.
 */
function isWithoutSession(error: unknown): boolean {
  return error instanceof Error && error.message === "No open session"
}

/** How many copies of a message, a millisecond each, may be encrypted right after each other. */
const atOnce = 20

/** Lets the rest of this process have a turn from time to time, while thousands of copies are made. */
function newPace(): () => Promise<void> {
  let turn: Promise<void> = Promise.resolve()
  let count = 0
  return () => {
    if (++count % atOnce === 0) turn = turn.then(() => nextTurn())
    return turn
  }
}
