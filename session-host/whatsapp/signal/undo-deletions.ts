import type { SignalDataSet } from "@whiskeysockets/baileys"
import type { Keys } from "./keys.ts"
import { SessionRecord } from "./libsignal.ts"

/**
 * The keys without a deletion of Baileys' Signal repository (7.0.0-rc14) that goes too far. When a first
 * message brings another identity, it deletes all sessions with that device; earlier messages of the device
 * may still come, or wait on the network. The sessions are closed instead, as Signal's own library does,
 * which archives them (whatsmeow deletes them, as Baileys does). A session that is moved to another address
 * is still deleted at the former one.
 */
export function closingFormerSessions(keys: Keys): Keys {
  return {
    ...keys,
    set: async (changes) => {
      const isIdentity = changes["identity-key"] !== undefined
      await keys.set(isIdentity ? await closedInsteadOfDeleted(changes, keys) : changes)
    },
  }
}

/**
 * These changes of Baileys' own (7.0.0-rc14), without two deletions that go too far.
 *
 * It deletes all sessions with a device when a message of that device, or one to it, cannot be read for the
 * second time. What the device has written meanwhile, or the network still keeps, would be unreadable as
 * well. The sessions are closed instead: a closed session still reads, and the next message to the device
 * begins another.
 *
 * It forgets who has our sender key of a group when a member's device asks for a message again. Then it would
 * go unnoticed that a holder has left the group, and the holder could read our next messages. So the names of
 * the holders stay.
 */
export async function closedInsteadOfDeleted(
  changes: SignalDataSet,
  keys: Pick<Keys, "get">,
): Promise<SignalDataSet> {
  const { session, "sender-key-memory": holders } = changes
  return {
    ...changes,
    ...(session && { session: { ...session, ...(await closed(forgotten(session), keys)) } }),
    ...(holders && { "sender-key-memory": { ...holders, ...(await without(forgotten(holders), keys)) } }),
  }
}

function forgotten(values: Record<string, unknown>): string[] {
  return Object.keys(values).filter((id) => values[id] === null)
}

async function closed(addresses: string[], keys: Pick<Keys, "get">) {
  const kept = Object.entries(await keys.get("session", addresses))
  return Object.fromEntries(
    kept.map(([address, value]) => {
      const record = SessionRecord.deserialize(value)
      const open = record.getOpenSession()
      if (open) record.closeSession(open)
      record.removeOldSessions()
      // Baileys' types take a record for bytes.
      return [address, record.serialize() as Uint8Array]
    }),
  )
}

async function without(groups: string[], keys: Pick<Keys, "get">) {
  const kept = Object.entries(await keys.get("sender-key-memory", groups))
  return Object.fromEntries(
    kept.map(([group, holders]) => [group, withoutSenderKey(holders, Object.keys(holders))]),
  )
}

/** The holders of a sender key, in which these devices are marked to get the key once more. */
export function withoutSenderKey(
  holders: Record<string, boolean>,
  devices: string[],
): Record<string, boolean> {
  return { ...holders, ...Object.fromEntries(devices.map((device) => [device, false])) }
}
