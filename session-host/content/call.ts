import type { Event } from "#contract/event.ts"
import { usernameIn, withoutDevice } from "#core/message/jid.ts"
import { child, type Stanza } from "../network/stanza.ts"
import { type Mapped, wholeNumber } from "./mapped.ts"
import { type KnownPeople, personLookup } from "./people-in-stanza.ts"

type End = Extract<Event, { event: "call_terminated" }>["reason"]

/** The network's reasons, whose words come from strangers. Any other word counts as a hang-up. */
const reasons = new Map<string, End>([
  ["timeout", "timeout"],
  ["hangup", "hangup"],
  ["busy", "busy"],
  ["decline", "decline"],
  ["reject", "decline"],
  ["rejected_elsewhere", "decline"],
  ["accept_elsewhere", "accept_elsewhere"],
  ["accepted_elsewhere", "accept_elsewhere"],
])

/**
 * `<call><offer/></call>` and the stanzas that end it. `accept` on another device and the `terminate` that
 * may follow share an identity, so the end is reported once. The caller stays the same, whichever side ends
 * the call. The step names the caller (WhatsApp Web, `WAWebHandleVoipCall`): `caller_pn`, or `username` in
 * place of a hidden number, and `notify`.
 */
export function fromCall(call: Stanza, known: KnownPeople): Mapped[] {
  const [step] = call.children
  const id = step?.attrs["call-id"]
  const caller = withoutDevice(step?.attrs["call-creator"] ?? call.attrs.from ?? "")
  if (!step || !id || !caller) return []

  const contact = personLookup(call, known)(caller)
  const about = {
    call_id: id,
    contact_id: contact,
    chat_id: step.attrs["group-jid"] || contact,
    timestamp: wholeNumber(call.attrs.t),
  }
  const ended = (reason: End): Mapped[] => [
    {
      identity: ["call_terminated", caller, id],
      event: { event: "call_terminated", ...about, reason },
      mayRepeat: true,
    },
  ]
  const { reason = "" } = step.attrs
  switch (step.tag) {
    case "offer":
    case "offer_notice": {
      const { platform = "" } = call.attrs
      const username = usernameIn(step.attrs.username)
      const isVideo = child(step, "video") !== undefined || step.attrs.media === "video"
      const event = {
        event: "call_incoming" as const,
        ...about,
        name: step.attrs.notify ?? call.attrs.notify ?? "",
        ...(username && { username }),
        platform: platform || "unknown",
        ...(isVideo && { video: true as const }),
      }
      return [{ identity: ["call_incoming", caller, id], event, mayRepeat: true }]
    }
    case "accept":
      return ended("accept_elsewhere")
    case "reject":
      return ended(reasons.get(reason) ?? "decline")
    case "terminate":
      return ended(reasons.get(reason) ?? "hangup")
    default:
      return []
  }
}
