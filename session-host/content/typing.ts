import type { Stanza } from "../network/stanza.ts"
import { type OccurrenceNumbers, identity } from "./connection.ts"
import type { Mapped } from "./mapped.ts"
import { type KnownPeople, personLookup } from "./people-in-stanza.ts"

/** `<chatstate><composing media="audio"/></chatstate>`: a person types or records, or has stopped. */
export function fromChatState(stanza: Stanza, known: KnownPeople, at: OccurrenceNumbers): Mapped[] {
  const { from, participant } = stanza.attrs
  const [state] = stanza.children
  if (!from || (state?.tag !== "composing" && state?.tag !== "paused")) return []
  const person = personLookup(stanza, known)
  return [
    {
      identity: identity("typing", at),
      event: {
        event: "typing",
        contact_id: person(participant ?? from),
        chat_id: person(from),
        state: state.tag,
        mode: state.attrs.media === "audio" ? "voice" : "text",
      },
    },
  ]
}
