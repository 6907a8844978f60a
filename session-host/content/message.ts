import type { Event } from "#contract/event.ts"
import { isGroup } from "#core/message/jid.ts"
import type { MessageContent, OpenedAnswer } from "../network/connection.ts"
import { type About, type AboutInput, aboutOf } from "./chat-and-sender.ts"
import { changeTypes, contextInfoOf, kindOf, mediaOf, pollOf, unwrap, wordsOf } from "./content.ts"
import { keptContent } from "./kept-content.ts"
import { type Mapped, Unreadable, wholeNumber } from "./mapped.ts"
import { fromResponse, fromVote } from "./votes-and-responses.ts"

export interface Incoming extends AboutInput {
  /** The stanza names a business whose name the network has verified. */
  verified?: boolean
  /** A vote or an answer to an event message, opened with the secret of what it answers. */
  answer?: OpenedAnswer
}

type Fields = Extract<Event, { event: "message" }>
/** The fields that depend on the kind of message. */
type Said = Pick<Fields, "body" | "type" | "media_type"> & Partial<Fields>

/** How much of a quoted text is repeated, in characters: the sender of an answer may put anything there. */
const longestQuote = 4096

/** `PinInChatMessage.Type`. The contract has no word for unpinning, so that gives no event. */
const pinForAll: number = 1

/**
 * A message that arrived, or that was written on the phone or on another of its devices.
 * @throws Unreadable when somebody said something of a kind that nobody knows yet
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
  if (!said) {
    if (isUnknown(input.content, content)) throw new Unreadable(`content of ${namesOf(content).join(", ")}`)
    return []
  }
  const { chat, sender, fromMe, id } = about
  return [
    {
      identity: ["message"],
      message: about.identity,
      event: {
        event: "message",
        ...about.common,
        is_group: isGroup(chat),
        ...said,
        ...referring(content, about),
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
    },
  ]
}

/** The part of the event that depends on its kind; undefined for content that is not meant for people. */
function saidBy(content: MessageContent, about: About): Said | undefined {
  const { protocolMessage, reactionMessage, pinInChatMessage, placeholderMessage } = content
  const target = protocolMessage?.key?.id
  const type: number | null | undefined = protocolMessage?.type
  if (target && type === changeTypes.revoke) return note("revoke", target)
  if (target && type === changeTypes.edit && protocolMessage.editedMessage) {
    const said = plain(unwrap(protocolMessage.editedMessage))
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
  return plain(content)
}

function note(edit: "revoke" | "pin", target: string): Said {
  return { body: "", type: "text", media_type: "", edit, target_id: target }
}

/** A message that refers to none. */
function plain(content: MessageContent): Said | undefined {
  const type = kindOf(content)
  if (!type) return undefined
  const base = { body: wordsOf(content), type, media_type: "" as const }
  switch (type) {
    case "text":
    case "reaction":
      return base
    case "media": {
      const { kind, caption } = mediaOf(content)! // of this kind
      return { ...base, media_type: kind, ...(caption !== "" && { caption }) }
    }
    case "poll": {
      const { options, selectableOptionsCount } = pollOf(content)! // of this kind
      return {
        ...base,
        options: (options ?? []).map(({ optionName }) => optionName ?? ""),
        max_answers: selectableOptionsCount ?? 0,
      }
    }
    case "location":
      return { ...base, location: locationOf(content) }
    case "event":
      return { ...base, event_details: detailsOf(content) }
  }
}

function locationOf(content: MessageContent): NonNullable<Fields["location"]> {
  const at = content.locationMessage ?? content.liveLocationMessage
  return {
    lat: finite(at?.degreesLatitude),
    lng: finite(at?.degreesLongitude),
    name: content.locationMessage?.name ?? content.liveLocationMessage?.caption ?? "",
    address: content.locationMessage?.address ?? "",
  }
}

/** JSON has no word for the others. */
function finite(given: number | null | undefined): number {
  return Number.isFinite(given) ? Number(given) : 0
}

function detailsOf(content: MessageContent): NonNullable<Fields["event_details"]> {
  const { name, description, startTime, endTime, joinLink } = content.eventMessage ?? {}
  return {
    name: name ?? "",
    description: description ?? "",
    start_time: wholeNumber(startTime),
    end_time: wholeNumber(endTime),
    join_link: joinLink ?? "",
  }
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
        contact_id: context.participant ? about.person(context.participant) : "",
        body: wordsOf(quoted).slice(0, longestQuote),
        type: kindOf(quoted),
      },
    }),
    ...(mentions.length > 0 && { mentions }),
    ...(context.isForwarded && { forwarded: true as const }),
  }
}

/** Fields that clients send each other and people never see. */
const silent = new Set<string>([
  "messageContextInfo",
  "senderKeyDistributionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
  "protocolMessage",
  "pinInChatMessage",
  "keepInChatMessage",
  "reactionMessage",
  "albumMessage",
  "call",
  "chat",
  "bcallMessage",
  "callLogMesssage",
  "stickerSyncRmrMessage",
  "requestPhoneNumberMessage",
  "cancelPaymentRequestMessage",
  "declinePaymentRequestMessage",
  "scheduledCallEditMessage",
  "pollResultSnapshotMessage",
  "pollResultSnapshotMessageV3",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "statusNotificationMessage",
  "limitSharingMessage",
  "encReactionMessage",
  "encCommentMessage",
  "secretEncryptedMessage",
])

/**
 * Whether a content has a part that this release does not understand. Fields that this version of the
 * protocol does not know are not even decoded. In that case only wrappers are left, or the context that comes
 * beside a message.
 */
function isUnknown(outer: MessageContent, content: MessageContent): boolean {
  const names = namesOf(content)
  const isEmpty = names.every((name) => name === "messageContextInfo")
  return isEmpty ? namesOf(outer).length > 0 : names.some((name) => !silent.has(name))
}

function namesOf(content: MessageContent): string[] {
  return Object.entries(content)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name]) => name)
}
