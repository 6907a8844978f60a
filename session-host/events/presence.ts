import type { Stanza } from "../network/connection.ts"
import { type At, identity } from "./connection.ts"
import type { Mapped } from "./mapped.ts"
import { type Known, personIn } from "./person.ts"
import { whole } from "./whole-number.ts"

/** `<presence from last type="unavailable"/>`. Who hides it has `last="deny"`. */
export function fromPresence(stanza: Stanza, known: Known, at: At): Mapped[] {
  const { from, type, last } = stanza.attrs
  // Of a group it is a number of people, of nobody in particular.
  if (!from || !/@(?:s\.whatsapp\.net|lid)$/.test(from)) return []
  if (type !== undefined && type !== "available" && type !== "unavailable") return []
  const lastSeen = whole(last)
  return [
    {
      identity: identity("presence", at),
      event: {
        event: "presence",
        contact_id: personIn(stanza, known)(from),
        unavailable: type === "unavailable",
        ...(lastSeen > 0 && { last_seen: lastSeen }),
      },
    },
  ]
}
