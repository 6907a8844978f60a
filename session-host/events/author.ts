import { isLid, isPhoneJid, withoutDevice } from "#core/jid.ts"
import type { Acquaintance, Received } from "../network/connection.ts"
import type { Own } from "./chat-and-sender.ts"

/** Who wrote a message: whoever writes to the session is a contact of it. Nobody for our own. */
export function authorsOf({ attrs }: Pick<Received, "attrs">, own: Own): Acquaintance[] {
  const { from, participant, participant_pn, participant_lid, sender_pn, sender_lid, notify } = attrs
  const other = participant ? (participant_pn ?? participant_lid) : (sender_pn ?? sender_lid)
  const jids = [participant ?? from, other].map((jid) => withoutDevice(jid ?? ""))
  if (jids.some((jid) => jid !== "" && (jid === own.jid || jid === own.lid))) return []
  const author = { jid: jids.find(isPhoneJid), lid: jids.find(isLid), pushName: notify }
  return author.jid || author.lid ? [author] : []
}
