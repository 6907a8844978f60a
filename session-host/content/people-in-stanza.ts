import { isLid, isPhoneJid, withoutDevice } from "#core/message/jid.ts"
import type { Own } from "../network/happening.ts"
import type { Stanza } from "../network/stanza.ts"

/** Facts that a mapper of stanzas may use beside the stanza. */
export interface KnownPeople {
  own: Own
  /** The phone JIDs of LIDs, as far as they are known. */
  phones: Map<string, string>
}

/** The pairs of attributes in which a stanza names one person: by LID, and by phone number. */
const pairs = [
  ["from", "sender_pn"],
  ["participant", "participant_pn"],
  ["call-creator", "caller_pn"],
  ["jid", "phone_number"],
  ["lid", "jid"],
] as const

/** The phone JIDs of LIDs that the stanza itself gives. */
export function phonesInStanza(stanza: Stanza): Map<string, string> {
  return new Map(
    nodesOf(stanza).flatMap(({ attrs }) =>
      pairs.flatMap(([name, other]): [string, string][] => {
        const [lid, phone] = [withoutDevice(attrs[name] ?? ""), withoutDevice(attrs[other] ?? "")]
        return isLid(lid) && isPhoneJid(phone) ? [[lid, phone]] : []
      }),
    ),
  )
}

/** The LIDs that a stanza names without their phone numbers. */
export function lidsInStanza(stanza: Stanza): string[] {
  const named = phonesInStanza(stanza)
  const jids = nodesOf(stanza).flatMap(({ attrs }) => pairs.map(([name]) => withoutDevice(attrs[name] ?? "")))
  return [...new Set(jids)].filter((jid) => isLid(jid) && !named.has(jid))
}

/** Finds the address of a person: by phone number if it is known, without a device. */
export function personLookup(stanza: Stanza, { own, phones }: KnownPeople): (jid: string) => string {
  const named = phonesInStanza(stanza)
  return (given) => {
    const jid = withoutDevice(given)
    return jid === own.lid ? own.jid : (named.get(jid) ?? phones.get(jid) ?? jid)
  }
}

/** The nodes of a stanza that may name people: a group in a notification names them two levels below. */
function nodesOf(stanza: Stanza): Stanza[] {
  return [stanza, ...stanza.children.flatMap(nodesOf)]
}
