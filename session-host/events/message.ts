import { isGroup, isLid, isPhoneJid, userOf, withoutDevice } from "#core/jid.ts"
import type { MessageContent } from "../network.ts"
import { kindOf, textOf, unwrap, wordsOf } from "./content.ts"
import type { Mapped } from "./mapped.ts"

/** Who the session itself is. */
export interface Own {
  jid: string
  lid: string
}

interface Input {
  /** The attributes of the stanza, as received. */
  attrs: Record<string, string>
  content: MessageContent
  own: Own
  /** The phone JIDs of LIDs, so far as they are known. */
  phones: Map<string, string>
}

/** How much of a quoted text is repeated, in characters: the sender of an answer may put anything there. */
const longestQuote = 4096

/** A message that arrived, or that was written on the phone or on another of its devices. */
export function fromMessage(input: Input): Mapped[] {
  const { attrs, own } = input
  const { id, from } = attrs
  // Peer messages are between the devices of one account: keys, history.
  if (!id || !from || attrs.category === "peer") return []

  const content = unwrap(input.content)
  const body = textOf(content)
  if (body === undefined) return []

  const sender = withoutDevice(attrs.participant ?? from)
  const fromMe = sender === own.jid || sender === own.lid
  const person = (jid: string) => (isLid(jid) ? (input.phones.get(jid) ?? jid) : withoutDevice(jid))
  const contact = fromMe ? own.jid : person(sender)
  const context = content.extendedTextMessage?.contextInfo
  const mentions = (context?.mentionedJid ?? []).map(person)
  return [
    {
      identity: ["message", id, from, attrs.participant ?? "", "0"],
      event: {
        event: "message",
        message_id: id,
        contact_id: contact,
        phone: isPhoneJid(contact) ? userOf(contact) : "",
        chat_id: isGroup(from) ? from : person(chatOf(attrs, input.content, fromMe)),
        name: attrs.notify ?? "",
        body,
        type: "text",
        media_type: "",
        is_group: isGroup(from),
        from_me: fromMe,
        timestamp: Number(attrs.t),
        ...(context?.stanzaId && {
          quoted: {
            message_id: context.stanzaId,
            contact_id: context.participant ? person(context.participant) : "",
            body: wordsOf(unwrap(context.quotedMessage ?? {})).slice(0, longestQuote),
            type: kindOf(unwrap(context.quotedMessage ?? {})),
          },
        }),
        ...(mentions.length > 0 && { mentions }),
        ...(context?.isForwarded && { forwarded: true }),
        ...(attrs.offline !== undefined && { offline: true }),
      },
    },
  ]
}

/** The LIDs whose phone numbers an event about this message would name and its stanza does not. */
export function lidsIn(input: Pick<Input, "attrs" | "content" | "own">): Set<string> {
  const { attrs, own } = input
  const context = unwrap(input.content).extendedTextMessage?.contextInfo
  const jids = [
    attrs.participant ?? attrs.from ?? "",
    attrs.recipient ?? "",
    input.content.deviceSentMessage?.destinationJid ?? "",
    context?.participant ?? "",
    ...(context?.mentionedJid ?? []),
  ]
  const told = phonesIn(attrs, own)
  return new Set(jids.map(withoutDevice).filter((jid) => isLid(jid) && !told.has(jid)))
}

/** The phone JIDs of LIDs that the stanza itself tells, and our own. */
export function phonesIn(attrs: Record<string, string>, own: Own): Map<string, string> {
  const pairs = [
    [own.lid, own.jid],
    [attrs.participant ?? attrs.from, attrs.participant_pn ?? attrs.sender_pn],
    [attrs.recipient, attrs.peer_recipient_pn],
  ] as const
  const found = new Map<string, string>()
  for (const [lid, phone] of pairs)
    if (lid && phone && isLid(lid)) found.set(withoutDevice(lid), withoutDevice(phone))
  return found
}

/** From our other devices a message names the chat apart: it comes from ourselves. */
function chatOf(attrs: Record<string, string>, content: MessageContent, fromMe: boolean): string {
  const other = fromMe ? (attrs.recipient ?? content.deviceSentMessage?.destinationJid) : undefined
  return withoutDevice(other ?? attrs.from ?? "")
}
