import type { Event, MessageEvent } from "./generated.ts"

/** Chats to which the service sends: no broadcast, no channel, and not the network's own account. */
const chats = /^(?:\d{7,15}@s\.whatsapp\.net|\d+@lid|[\d-]+@g\.us)$/

/**
 * Whether an event is a new message that somebody else has written in a chat that can be written to. An edit,
 * a revocation, a reaction, a status, a broadcast and one's own words are not, nor is what belongs to another
 * message, such as the same picture in high definition. Whether a person answers in
 * its chat is another question: see `handover` of the event.
 */
export function canBeAnswered(event: Event): event is MessageEvent {
  if (event.event !== "message" || event.from_me || event.is_broadcast || event.is_group_status) return false
  if (event.edit || event.type === "reaction" || event.target_id !== undefined) return false
  return (event.part_of === undefined || event.part_of.as === "album") && chats.test(event.chat_id)
}
