import type { Event } from "#contract/event.ts"
import { isGroup, isPhoneJid, userOf } from "#core/message/jid.ts"
import type { MessageContent, OpenedAnswer } from "../network/connection.ts"
import { encodeBare } from "../network/decode.ts"
import { type About, type AboutInput, aboutOf } from "./chat-and-sender.ts"
import { contextInfoOf, contextsOf, editedIn, isGroupStatus, isSeenOnce } from "./content.ts"
import { contextOf } from "./context.ts"
import { changedIn } from "./forged.ts"
import { keptContent } from "./kept-content.ts"
import type { Mapped } from "./mapped.ts"
import { inEveryText, withMentions } from "./mentions.ts"
import { fieldOf, read } from "./reading.ts"
import { inUnknownWrapper, type Unknown, unknownIn } from "./unknown.ts"
import { unwrap } from "./unwrap.ts"
import { fromResponse, fromVote } from "./votes-and-responses.ts"

export interface Incoming extends AboutInput {
  /** Whether the stanza names a business whose name the network has verified. */
  verified?: boolean
  /** A vote or an answer to an event message, opened with the secret of the message that it answers. */
  answer?: OpenedAnswer
  /** The id of a known message, if the content is sealed under its secret and could not be opened. */
  unopened?: string
  /** The content as it came, including the fields that this version of the protocol does not know. */
  bytes?: Uint8Array | undefined
  /** When a scheduled message is to be sent, in Unix seconds. */
  scheduledFor?: number | undefined
}

type Fields = Extract<Event, { event: "message" }>
/** The fields that depend on the kind of message. */
type FieldsByKind = Pick<Fields, "body" | "type" | "media_type"> & Partial<Fields>

/** `PinInChatMessage.Type`. The contract has no word for unpinning, so unpinning makes no event. */
const pinForAll: number = 1

/**
 * The events of a message that arrived, or that was written on the phone or on another of its devices. A
 * message of a kind that this release cannot read is an event as well.
 */
export function fromMessage(input: Incoming): Mapped[] {
  const { attrs } = input
  const about = aboutOf(input)
  // Peer messages are between the devices of one account: keys, history.
  if (!about || attrs.category === "peer") return []

  const content = unwrap(input.content)
  if (input.unopened !== undefined && !content.encEventResponseMessage)
    return [messageOf(input, { about, ...unopened(content, input.unopened) })]
  if (content.pollUpdateMessage) return fromVote(about, input.answer)
  if (content.encEventResponseMessage)
    return fromResponse(about, content.encEventResponseMessage, input.answer)

  const change = changeIn(content)
  const only = change?.said ?? onPhoneAlone(input.content)
  const bytes = () => input.bytes ?? encodeBare(input.content)
  const beside = () => (change?.said ? unknownIn(bytes(), "protocolMessage")?.kind : undefined)
  const shown = only
    ? { content, said: only, unread: beside() }
    : shownIn(editedIn(content) ?? content, bytes, about)
  return shown ? [messageOf(input, { about, shown, change })] : []
}

/** A vote, a reaction or an edit that the app shows, and that this session cannot open. */
function unopened(content: MessageContent, target: string): Omit<Told, "about"> {
  const fields = ["pollUpdateMessage", "encReactionMessage", "secretEncryptedMessage"] as const
  const kind = fields.find((name) => content[name]) ?? ""
  return { shown: unread(content, { kind, body: "" }), change: { fields: { target_id: target } } }
}

/** What people see of a message. */
interface Shown {
  /** The content without its wrappers; of an edit, what the message says from now on. */
  content: MessageContent
  said: FieldsByKind
  /** Set for a content that this release cannot read. */
  unknown?: Unknown
  /** The kind of a part that this release does not read, or not beside what it reads. */
  unread?: string | undefined
}

/**
 * What an unwrapped content shows; undefined if it is not meant for people. A content that says nothing as it
 * is read here is unknown, since clients send none that shows nothing.
 * @param bytes of that content, maybe in its wrappers
 */
function shownIn(content: MessageContent, bytes: () => Uint8Array, about: About): Shown | undefined {
  const said = saidBy(content, about)
  const isRead = said?.type === "reaction" ? "reactionMessage" : fieldOf(content)
  if (said) return { content, said, unread: unknownIn(bytes(), isRead)?.kind }
  const wrapped = inUnknownWrapper(bytes())
  if (wrapped) return shownIn(unwrap(wrapped), () => encodeBare(wrapped), about)
  const unknown = unknownIn(bytes())
  return unknown && unread(content, unknown)
}

function unread(content: MessageContent, unknown: Unknown): Shown {
  const { kind, body } = unknown
  return { content, unknown, unread: kind, said: { body, type: "unknown", media_type: "" } }
}

interface Told {
  about: About
  shown: Shown
  change: Change | undefined
}

function messageOf(input: Incoming, { about, shown, change }: Told): Mapped {
  const { chat, sender, fromMe, id } = about
  const { content, said, unknown, unread } = shown
  return {
    identity: ["message"],
    message: about.identity,
    event: {
      event: "message",
      ...about.common,
      is_group: isGroup(chat),
      ...withNumbers({ ...said, ...referring(content, about) }, content, about),
      ...change?.fields,
      ...(unread && { unknown_kind: unread }),
      ...((isSeenOnce(input.content) || isSeenOnce(content)) && { view_once: true as const }),
      ...contextOf(content),
      ...(input.scheduledFor && { scheduled_for: input.scheduledFor }),
      ...(chat.endsWith("@broadcast") && { is_broadcast: true as const }),
      ...(isGroupStatus(input.content) && { is_group_status: true as const }),
      ...(input.verified && { verified_business: true as const }),
    },
    remember: {
      id,
      chat,
      fromMe,
      sender: fromMe ? "" : sender,
      time: about.common.timestamp,
      content: change ? {} : keptContent(content),
      ...(unknown && !change && { unknown }),
    },
    ...(unread && { unread, awaitsKey: content.conditionalRevealMessage?.revealKeyId || undefined }),
  }
}

/** How a message changes another one. */
interface Change {
  fields: Pick<Fields, "edit" | "target_id">
  /** All that it says, unless it brings a new content. */
  said?: FieldsByKind
}

function changeIn(content: MessageContent): Change | undefined {
  const changed = changedIn(content)
  if (!changed) return undefined
  const fields = { edit: changed.what, target_id: changed.id }
  if (changed.what === "edit") return { fields }
  const pin: number | null | undefined = content.pinInChatMessage?.type
  if (changed.what === "pin" && pin !== pinForAll) return undefined
  return { fields, said: { body: "", type: "text", media_type: "" } }
}

/** The part of the event that depends on its kind; undefined for a content that says nothing. */
function saidBy(content: MessageContent, about: About): FieldsByKind | undefined {
  const { reactionMessage } = content
  if (reactionMessage?.key?.id) {
    const emoji = reactionMessage.text ?? ""
    const { id, participant, fromMe, remoteJid } = reactionMessage.key
    const author = authorOf({ participant, fromMe }, about)
    return {
      body: emoji,
      type: "reaction",
      media_type: "",
      target_id: id,
      reaction: {
        emoji,
        message_id: id,
        chat_id: elsewhere(remoteJid) ?? about.common.chat_id,
        contact_id: author,
      },
    }
  }
  const said = read(content)?.said
  return !said || saysNothing(said) ? undefined : said
}

/** The event of a message that can be seen only once: only the phone knows its kind and its words. */
function onPhoneAlone(content: MessageContent): FieldsByKind | undefined {
  const isPlaceholder = unwrap(content).placeholderMessage && isSeenOnce(content)
  return isPlaceholder ? { body: "", type: "media", media_type: "" } : undefined
}

/** A group or a broadcast that a key names: in a chat of two it names the chat as its sender sees it. */
function elsewhere(chat: string | null | undefined): string | undefined {
  return chat && (isGroup(chat) || chat.endsWith("@broadcast")) ? chat : undefined
}

/** Whether this is a text without words or a reaction to nothing, and has nothing else. */
function saysNothing({ type, body, ...rest }: FieldsByKind): boolean {
  return (type === "reaction" || (type === "text" && body === "")) && Object.keys(rest).length === 1
}

/** The author of the message that a key names. `fromMe` in a key refers to the person who sent the key. */
function authorOf(
  key: { participant?: string | null | undefined; fromMe?: boolean | null | undefined },
  about: About,
): string {
  if (key.fromMe) return about.contact
  if (key.participant) return about.person(key.participant)
  if (isGroup(about.chat)) return ""
  // In a chat of two people it is the other person.
  return about.fromMe ? about.common.chat_id : about.ownJid
}

/**
 * The same parts, with the numbers of the people whom the texts mention, as `mentions` names them: groups
 * that name their members by private id have private ids in their texts (`@123`).
 */
function withNumbers<Parts>(parts: Parts, content: MessageContent, about: About): Parts {
  const mentioned = contextsOf(content).flatMap(({ mentionedJid }) => mentionedJid ?? [])
  const numbers = mentioned.map((jid) => [userOf(jid), about.person(jid)] as const)
  const digits = new Map(
    numbers.flatMap(([written, jid]) =>
      isPhoneJid(jid) && userOf(jid) !== written ? [[written, userOf(jid)] as const] : [],
    ),
  )
  return digits.size > 0 ? inEveryText(parts, (text) => withMentions(text, digits)) : parts
}

/** How much of a quoted text is repeated, in characters: the sender of an answer may put anything there. */
const longestQuote = 4096

/** The message that a content quotes, whom and which groups it mentions, and whether it was forwarded. */
function referring(content: MessageContent, about: About): Partial<Fields> {
  const context = contextInfoOf(content)
  if (!context) return {}
  const mentions = (context.mentionedJid ?? []).filter((jid) => jid.includes("@")).map(about.person)
  const groups = (context.groupMentions ?? []).flatMap(({ groupJid, groupSubject }) =>
    groupJid && isGroup(groupJid) ? [{ jid: groupJid, name: groupSubject ?? "" }] : [],
  )
  const quoted = context.quotedMessage ?? {}
  const said = saidBy(unwrap(quoted), about) ?? shownIn(unwrap(quoted), () => encodeBare(quoted), about)?.said
  return {
    ...(context.stanzaId && {
      quoted: {
        message_id: context.stanzaId,
        chat_id: context.remoteJid ? about.person(context.remoteJid) : about.common.chat_id,
        contact_id: context.participant ? about.person(context.participant) : "",
        body: (said?.body ?? "").slice(0, longestQuote),
        type: said?.type ?? "",
      },
    }),
    ...(mentions.length > 0 && { mentions }),
    ...(groups.length > 0 && { mentioned_groups: groups }),
    ...((context.nonJidMentions ?? 0) > 0 && { mentions_all: true as const }),
    ...(context.isForwarded && { forwarded: true as const }),
  }
}
