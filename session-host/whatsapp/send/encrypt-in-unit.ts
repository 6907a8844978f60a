import { setImmediate as nextTurn } from "node:timers/promises"
import type { SignalRepositoryWithLIDStore } from "@whiskeysockets/baileys"
import { addressesOf } from "../signal/addresses.ts"
import { SessionRecord } from "../signal/libsignal.ts"
import type { RepositoryInput } from "../signal/repository.ts"
import { transmissionNow } from "./transmission.ts"

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
export function newEncrypting(
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
