import type { SignalDataSet } from "@whiskeysockets/baileys"
import type { Keys } from "./keys.ts"
import { SessionRecord } from "./libsignal.ts"

/**
 * These changes, with sessions closed where Baileys 7.0.0-rc14 would delete them. It deletes all sessions with a device when a
 * message of that device, or one to it, cannot be read for the second time. What the device has written meanwhile, or the
 * network still keeps, would be unreadable as well. A closed session still reads, and the next message to the device begins another.
 */
export async function closingSessions(
  changes: SignalDataSet,
  keys: Pick<Keys, "get">,
): Promise<SignalDataSet> {
  const { session: sessions = {} } = changes
  const deleted = Object.keys(sessions).filter((address) => sessions[address] === null)
  if (deleted.length === 0) return changes
  const kept = Object.entries(await keys.get("session", deleted))
  const closed = kept.map(([address, record]) => [address, withoutOpen(SessionRecord.deserialize(record))])
  return { ...changes, session: { ...sessions, ...Object.fromEntries(closed) } }
}

function withoutOpen(record: SessionRecord): unknown {
  const open = record.getOpenSession()
  if (open) record.closeSession(open)
  record.removeOldSessions()
  return record.serialize()
}
