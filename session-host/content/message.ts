import type { Event } from "#contract/event.ts"
import { isGroup, isLid, isPhoneJid, userOf } from "#core/message/jid.ts"
import type { MessageContent, OpenedAnswer } from "../network/connection.ts"
import { encodeBare } from "../network/decode.ts"
import { type About, type AboutInput, aboutOf } from "./chat-and-sender.ts"
import { changeTypes, contextInfoOf, isSeenOnce, kindOf, wordsOf } from "./content.ts"
import { contextOf } from "./context.ts"
import { keptContent } from "./kept-content.ts"
import type { Mapped } from "./mapped.ts"
import { withMentions } from "./mentions.ts"
import { read } from "./reading.ts"
import { inUnknownWrapper, unknownIn } from "./unknown.ts"
import { unwrap } from "./unwrap.ts"
import { fromResponse, fromVote } from "./votes-and-responses.ts"

export interface Incoming extends AboutInput {
  /** The stanza names a business whose name the network has verified. */
  verified?: boolean
  /** A vote or an answer to an event message, opened with the secret of what it answers. */
  answer?: OpenedAnswer
  /** The content as it came, with the fields that this version of the protocol does not know. */
  bytes?: Uint8Array | undefined
  /** When a scheduled message is to be sent, in Unix seconds. */
  scheduledFor?: number | undefined
}

type Fields = Extract<Event, { event: "message" }>
/** The fields that depend on the kind of message. */
type Said = Pick<Fields, "body" | "type" | "media_type"> & Partial<Fields>

/** `PinInChatMessage.Type`. The contract has no word for unpinning, so that gives no event. */
const pinForAll: number = 1

/**
 * A message that arrived, or that was written on the phone or on another of its devices. One of a kind that
 * this release cannot read is an event as well.
 */
export function fromMessage(input: Incoming): Mapped[] {
  const { attrs } = input
  const about = aboutOf(input)
  // Peer messages are between the devices of one account: keys, history.
  if (!about || attrs.category === "peer") return []

  const content = unwrap(input.content)
  if (content.pollUpdateMessage) return fromVote(about, input.answer)
  if (content.encEventResponseMessage)
    return fromResponse(about, content.encEventResponseMessage, input.answer)

  const said = saidBy(content, about)
  if (said) return [messageOf(input, { about, content, said })]
  const bytes = input.bytes ?? encodeBare(input.content)
  const wrapped = inUnknownWrapper(bytes)
  if (wrapped) return fromMessage({ ...input, content: wrapped, bytes: encodeBare(wrapped) })
  const unknown = unknownIn(bytes)
  if (!unknown) return []
  const { kind, body } = unknown
  const asUnknown = { body, type: "unknown", media_type: "", unknown_kind: kind } as const
  const mapped = messageOf(input, { about, content, said: asUnknown })
  return [{ ...mapped, unread: kind, remember: { ...mapped.remember!, unknown } }]
}

interface Read {
  about: About
  /** Without its wrappers. */
  content: MessageContent
  said: Said
}

function messageOf(input: Incoming, { about, content, said }: Read): Mapped {
  const { chat, sender, fromMe, id } = about
  const named = (text: string) => withNumbers(text, content, about)
  return {
    identity: ["message"],
    message: about.identity,
    event: {
      event: "message",
      ...about.common,
      is_group: isGroup(chat),
      ...said,
      body: named(said.body),
      ...(said.caption !== undefined && { caption: named(said.caption) }),
      ...(isSeenOnce(input.content) && { view_once: true as const }),
      ...referring(content, about),
      ...contextOf(content),
      ...(input.scheduledFor && { scheduled_for: input.scheduledFor }),
      ...(chat.endsWith("@broadcast") && { is_broadcast: true as const }),
      ...(input.verified && { verified_business: true as const }),
    },
    remember: {
      id,
      chat,
      fromMe,
      sender: fromMe ? "" : sender,
      content: said.edit ? {} : keptContent(content),
    },
  }
}

/** The part of the event that depends on its kind; undefined for content that is not meant for people. */
function saidBy(content: MessageContent, about: About): Said | undefined {
  const { protocolMessage, reactionMessage, pinInChatMessage, placeholderMessage } = content
  const target = protocolMessage?.key?.id
  const type: number | null | undefined = protocolMessage?.type
  if (target && type === changeTypes.revoke) return note("revoke", target)
  if (target && type === changeTypes.edit && protocolMessage.editedMessage) {
    const said = read(unwrap(protocolMessage.editedMessage))?.said
    return said && { ...said, edit: "edit", target_id: target }
  }
  const pin: number | null | undefined = pinInChatMessage?.type
  if (pinInChatMessage?.key?.id && pin === pinForAll) return note("pin", pinInChatMessage.key.id)
  if (reactionMessage?.key?.id) {
    const emoji = reactionMessage.text ?? ""
    const { id, participant, fromMe } = reactionMessage.key
    const author = authorOf({ participant, fromMe }, about)
    return {
      body: emoji,
      type: "reaction",
      media_type: "",
      target_id: id,
      reaction: { emoji, message_id: id, contact_id: author },
    }
  }
  // Only the phone knows its kind and its words.
  if (placeholderMessage) return { body: "", type: "media", media_type: "" }
  return read(content)?.said
}

function note(edit: "revoke" | "pin", target: string): Said {
  return { body: "", type: "text", media_type: "", edit, target_id: target }
}

/** The author of the message that a key names. `fromMe` in a key refers to the person who sent the key. */
function authorOf(
  key: { participant?: string | null | undefined; fromMe?: boolean | null | undefined },
  about: About,
): string {
  if (key.fromMe) return about.contact
  if (key.participant) return about.person(key.participant)
  if (isGroup(about.chat)) return ""
  // In a chat of two it is the other person's.
  return about.fromMe ? about.common.chat_id : about.ownJid
}

/**
 * A text with the numbers of the people whom it mentions, as `mentions` names them: groups that go by private
 * ids have those in their texts (`@123`).
 */
function withNumbers(text: string, content: MessageContent, about: About): string {
  const mentioned = (contextInfoOf(content)?.mentionedJid ?? []).filter(isLid)
  const numbers = mentioned.map((jid) => [userOf(jid), about.person(jid)] as const)
  return withMentions(
    text,
    new Map(numbers.flatMap(([lid, jid]) => (isPhoneJid(jid) ? [[lid, userOf(jid)] as const] : []))),
  )
}

/** How much of a quoted text is repeated, in characters: the sender of an answer may put anything there. */
const longestQuote = 4096

/** The message it quotes, the people it mentions, and whether it was forwarded. */
function referring(content: MessageContent, about: About): Partial<Fields> {
  const context = contextInfoOf(content)
  if (!context) return {}
  const mentions = (context.mentionedJid ?? []).map(about.person)
  const quoted = unwrap(context.quotedMessage ?? {})
  return {
    ...(context.stanzaId && {
      quoted: {
        message_id: context.stanzaId,
        chat_id: context.remoteJid ? about.person(context.remoteJid) : about.common.chat_id,
        contact_id: context.participant ? about.person(context.participant) : "",
        body: wordsOf(quoted).slice(0, longestQuote),
        type: kindOf(quoted),
      },
    }),
    ...(mentions.length > 0 && { mentions }),
    ...((context.nonJidMentions ?? 0) > 0 && { mentions_all: true as const }),
    ...(context.isForwarded && { forwarded: true as const }),
  }
}
