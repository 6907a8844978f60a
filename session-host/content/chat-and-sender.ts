import { isGroup, isLid, isPhoneJid, userOf, withoutDevice } from "#core/message/jid.ts"
import { hasTwoSpellings } from "#core/message/spellings.ts"
import type { MessageContent } from "../network/connection.ts"
import type { Own } from "../network/happening.ts"
import { contextsOf, editedIn } from "./content.ts"
import { type MessageIdentity, wholeNumber } from "./mapped.ts"
import { messageIdentityOf, usernameOf } from "./message-identity.ts"
import { unwrap } from "./unwrap.ts"

type Attrs = Record<string, string>

/** Who wrote a message, where and when. */
export interface About {
  id: string
  identity: MessageIdentity
  /** The chat as its stanzas name it. For a broadcast list this is the list. */
  chat: string
  /** The author as the stanza names them, without a device. */
  sender: string
  /** The author, by phone number if it is known. */
  contact: string
  fromMe: boolean
  ownJid: string
  /** The fields that the events of every message have. */
  common: {
    contact_id: string
    phone: string
    chat_id: string
    message_id: string
    name: string
    username?: string
    from_me: boolean
    timestamp: number
    offline?: true
  }
  /** The address of a person: by phone number if it is known, without a device. */
  person: (jid: string) => string
}

export interface AboutInput {
  /** The attributes of the stanza, as received. */
  attrs: Attrs
  content: MessageContent
  own: Own
  /** The phone JIDs of LIDs, and of numbers that are spelt otherwise, as far as they are known. */
  phones: Map<string, string>
}

/** Who wrote a message, where and when. Undefined for a stanza that lacks the attributes of a message. */
export function aboutOf(input: AboutInput): About | undefined {
  const { attrs, own } = input
  const { id, from } = attrs
  const identity = messageIdentityOf(attrs, own)
  if (!id || !from || !identity) return undefined

  const sender = withoutDevice(attrs.participant ?? from)
  const { fromMe } = identity
  const person = (given: string) => {
    const jid = withoutDevice(given)
    return input.phones.get(jid) ?? jid
  }
  const contact = fromMe ? own.jid : person(sender)
  const chat = chatOf(attrs, input.content, fromMe)
  // A message to a list of people is a message to each of them.
  const username = usernameOf(attrs)
  const isList = chat.endsWith("@broadcast") && chat !== "status@broadcast"
  return {
    id,
    identity,
    chat,
    sender,
    contact,
    fromMe,
    ownJid: own.jid,
    person,
    common: {
      contact_id: contact,
      phone: isPhoneJid(contact) ? userOf(contact) : "",
      chat_id: isList && !fromMe ? contact : person(chat),
      message_id: id,
      name: attrs.notify ?? "",
      ...(username && !fromMe && { username }),
      from_me: fromMe,
      timestamp: wholeNumber(attrs.t),
      ...(attrs.offline !== undefined && { offline: true }),
    },
  }
}

/**
 * The chat of a message. A message from our other devices comes from ourselves, so it names its chat
 * separately.
 */
function chatOf(attrs: Attrs, content: MessageContent, fromMe: boolean): string {
  const from = attrs.from ?? ""
  if (isGroup(from) || from.endsWith("@broadcast")) return from
  const other = fromMe ? (attrs.recipient ?? content.deviceSentMessage?.destinationJid) : undefined
  return withoutDevice(other ?? from)
}

/**
 * The addresses for which an event about this message needs others, which its stanza does not give: LIDs, and
 * numbers in the content that have two spellings. The network spells a number in one way, and the clients of
 * people in either.
 */
export function lidsIn({ attrs, content, own }: Omit<AboutInput, "phones">): Set<string> {
  const inner = unwrap(content)
  const contexts = contextsOf(editedIn(inner) ?? inner)
  const inStanza = [
    attrs.participant ?? attrs.from,
    attrs.recipient,
    content.deviceSentMessage?.destinationJid,
  ]
  const inContent = [
    contexts[0]?.participant,
    ...contexts.flatMap(({ mentionedJid }) => mentionedJid ?? []),
    inner.reactionMessage?.key?.participant,
    inner.protocolMessage?.key?.participant,
  ].map((jid) => withoutDevice(jid ?? ""))
  const known = phonesIn(attrs, own)
  const jids = [...inStanza.map((jid) => withoutDevice(jid ?? "")), ...inContent]
  const lids = jids.filter((jid) => isLid(jid) && !known.has(jid))
  return new Set([...lids, ...inContent.filter(hasTwoSpellings)])
}

/** The phone JIDs of LIDs that the stanza itself gives, and our own. */
export function phonesIn(attrs: Attrs, own: Own): Map<string, string> {
  const pairs = [
    [own.lid, own.jid],
    [attrs.participant ?? attrs.from, attrs.participant_pn ?? attrs.sender_pn],
    [attrs.participant_lid ?? attrs.sender_lid, attrs.participant ?? attrs.from],
    [attrs.recipient, attrs.peer_recipient_pn],
  ] as const
  const found = new Map<string, string>()
  for (const [one = "", other = ""] of pairs) {
    const [lid, phone] = [withoutDevice(one), withoutDevice(other)]
    if (isLid(lid) && isPhoneJid(phone)) found.set(lid, phone)
  }
  return found
}
