import type { Stanza } from "../network/stanza.ts"
import { type OccurrenceNumbers, identity } from "./connection.ts"
import { type Mapped, wholeNumber } from "./mapped.ts"
import { type KnownPeople, personLookup } from "./people-in-stanza.ts"

/** `<presence from last type="unavailable"/>`. People who hide it have `last="deny"`. */
export function fromPresence(stanza: Stanza, known: KnownPeople, at: OccurrenceNumbers): Mapped[] {
  const { from, type, last } = stanza.attrs
  // For a group, the network reports only a number of people.
  if (!from || !/@(?:s\.whatsapp\.net|lid)$/.test(from)) return []
  if (type !== undefined && type !== "available" && type !== "unavailable") return []
  const lastSeen = wholeNumber(last)
  return [
    {
      identity: identity("presence", at),
      event: {
        event: "presence",
        contact_id: personLookup(stanza, known)(from),
        unavailable: type === "unavailable",
        ...(lastSeen > 0 && { last_seen: lastSeen }),
      },
    },
  ]
}
