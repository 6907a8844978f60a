import type { Event } from "#contract/event.ts"
import { isGroup, withoutDevice } from "#core/message/jid.ts"
import type { MessageContent } from "../network/connection.ts"
import type { About } from "./chat-and-sender.ts"
import { withText } from "./compose.ts"
import { contextInfoOf, editedIn, mediaOf, pollOf, textOf, wordsOf } from "./content.ts"
import { type Changed, isInChat } from "./forged.ts"
import { keptContent } from "./kept-content.ts"
import { type MessageIdentity, wholeNumber } from "./mapped.ts"
import { formsOf } from "./message-identity.ts"
import { fieldOf } from "./reading.ts"
import type { Remembered } from "./remembered.ts"
import { unwrap } from "./unwrap.ts"

/** The message that a change is about, as far as the change names it: the message may come later. */
export type Target = Pick<Remembered, "id" | "chat" | "sender" | "fromMe">

/** What an edit or a revocation makes of a message. */
export interface Change {
  what: "edit" | "revoke"
  of: Target
  /** When it was made, by its author's clock, in ms: the latest edit counts, in whichever order they come. */
  madeMs: number
  /** By the network's clock, Unix seconds. */
  time: number
  /** What an edited message says. */
  content: MessageContent
}

/**
 * How long after a message its edits count, in seconds. WhatsApp Web offers an edit for 15 minutes, and
 * ignores one that was made later than this (`message_edit_window_duration_seconds`, in
 * `WAWebMessageEditUtils` and `WAWebDBProcessEditProtocolMsgs`).
 */
const editableFor = 1200

type MessageEvent = Extract<Event, { event: "message" }>

/** As many people as the largest group has. */
const mostMentioned = 1024

/**
 * Whether an edit was made so late that no client shows it.
 * @param time of the message that is edited, Unix seconds
 */
export function isTooLate(time: number, edit: Pick<Change, "time">): boolean {
  return edit.time >= time + editableFor
}

/** Whether no client shows this edit: its message is known, and was revoked or is too old. */
export function isIgnored(of: Target | Remembered, { what, ...edit }: Change): boolean {
  if (what === "revoke" || !("content" in of)) return false
  return of.edit === "revoke" || isTooLate(of.time, edit)
}

/** Whether a change takes the place of an earlier one: a revoked message is not edited any more. */
export function supersedes(change: Change, earlier: Change | undefined): boolean {
  if (!earlier) return true
  return earlier.what === "edit" && (change.what === "revoke" || change.madeMs >= earlier.madeMs)
}

/** The message as it is after its last change, as phones show it. */
export function asNow<Message extends Remembered>(message: Message, change: Change | undefined): Message {
  if (!change) return message
  if (change.what === "revoke") return { ...message, content: {}, unknown: undefined, edit: "revoke" }
  const content = isTooLate(message.time, change) ? undefined : afterEdit(message.content, change.content)
  if (!content) return message
  const { messageContextInfo } = message.content
  return { ...message, content: { ...content, messageContextInfo }, unknown: undefined, edit: "edit" }
}

/** The event of a revoked message, in place of its own. */
export function asRevoked(event: MessageEvent): MessageEvent {
  const { contact_id, phone, chat_id, chat_lid, message_id, name, username, from_me, timestamp } = event
  const { is_group, is_broadcast, is_group_status, verified_business, offline } = event
  return {
    event: "message",
    contact_id,
    phone,
    chat_id,
    ...(chat_lid && { chat_lid }),
    message_id,
    name,
    ...(username && { username }),
    from_me,
    timestamp,
    ...(offline && { offline }),
    is_group,
    ...(is_broadcast && { is_broadcast }),
    ...(is_group_status && { is_group_status }),
    ...(verified_business && { verified_business }),
    body: "",
    type: "text",
    media_type: "",
    edit: "revoke",
    target_id: message_id,
  }
}

/** The event of an edited message, in place of its own. @param said the event of what it says now */
export function asEdited(event: MessageEvent, said: MessageEvent): MessageEvent {
  const edited = { edit: "edit", target_id: event.message_id } as const
  const { preview: _preview, mentions: _mentions, ...unchanged } = event
  const { body, mentions } = said
  const words = { body, ...(mentions && { mentions }) }
  if (event.type === "media") return { ...unchanged, ...words, ...(body && { caption: body }), ...edited }
  const { type, media_type, options, event_details } = said
  return {
    ...unchanged,
    ...words,
    type,
    media_type,
    ...(options && { options }),
    ...(event_details && { event_details }),
    ...edited,
  }
}

/**
 * Whether the event only changes an earlier message. One that is about itself tells how its message is now.
 */
export function isChange({ edit, target_id, message_id }: MessageEvent): boolean {
  return (edit === "edit" || edit === "revoke") && target_id !== message_id
}

/**
 * The content after an edit; undefined if no client shows the edit. An edit of a file changes only its
 * caption (WhatsApp Web, `CaptionEdit`), and one of a poll leaves its options (`poll-changes.ts`).
 */
function afterEdit(before: MessageContent, edit: MessageContent): MessageContent | undefined {
  const inner = unwrap(before)
  if (mediaOf(inner)) return withText(inner, wordsOf(edit))
  const options = pollOf(inner)?.options ?? []
  const isWhole = options.every(
    ({ optionName }, at) => pollOf(edit)?.options?.[at]?.optionName === optionName,
  )
  return isWhole && fieldOf(edit) ? edit : undefined
}

/** The revocation of a message at this time (Unix ms). */
export function revocation(of: Target, madeMs: number): Change {
  const time = Math.floor(madeMs / 1000)
  return { what: "revoke", of: targetOf(of), madeMs, time, content: {} }
}

/** The edit of a message to this content at this time (Unix ms). @param content without its wrappers */
export function edit(of: Target, content: MessageContent, madeMs: number): Change {
  return { ...revocation(of, madeMs), what: "edit", content: keptEdit(content) }
}

/**
 * A poll in its new form. It was made of the poll's last form, so it counts whatever its sender's clock says,
 * and a poll is changed at any time (`poll-changes.ts`).
 */
export function pollChange(of: Remembered, content: MessageContent): Change {
  return { ...edit(of, content, Number.MAX_SAFE_INTEGER), time: of.time }
}

/** The change that a received message makes to its target. @param content without its wrappers */
export function changeIn(content: MessageContent, of: Target, about: About): Change {
  const { timestamp: time } = about.common
  const edited = editedIn(content)
  return {
    what: edited ? "edit" : "revoke",
    of: targetOf(of),
    madeMs: wholeNumber(content.protocolMessage?.timestampMs) || time * 1000,
    time,
    content: edited ? keptEdit(edited) : {},
  }
}

/** What is kept of an edit: also whom it mentions, since private ids in its text become numbers by that. */
function keptEdit(content: MessageContent): MessageContent {
  const kept = keptContent(content)
  const mentionedJid = contextInfoOf(content)?.mentionedJid?.slice(0, mostMentioned)
  const field = fieldOf(kept)
  if (!mentionedJid?.length || !field) return kept
  const contextInfo = { mentionedJid }
  const text = textOf(kept)
  if (text !== undefined) return { extendedTextMessage: { text, contextInfo } }
  return { ...kept, [field]: { ...(kept[field] as object), contextInfo } }
}

/**
 * Which message a change is about. A revocation names the author if that is not its sender; an edit is of its
 * sender. Of several messages of one id, the one of that author is meant.
 */
export function changedMessage(
  { id, what, key }: Changed,
  { about, originals }: { about: About; originals: Remembered[] },
): Target | Remembered {
  const named = what === "revoke" && !key.fromMe && isGroup(about.chat) && key.participant
  const sender = named ? withoutDevice(named) : about.sender
  const fromMe = about.person(sender) === about.ownJid
  const here = originals.filter((each) => isInChat(about, each))
  const original =
    here.find((each) => (fromMe ? each.fromMe : about.person(each.sender) === about.person(sender))) ??
    (named ? undefined : here[0])
  return original ?? { id, chat: about.chat, sender: fromMe ? "" : sender, fromMe }
}

function targetOf({ id, chat, sender, fromMe }: Target): Target {
  return { id, chat, sender, fromMe }
}

/** The identity of a change's target, under the addresses that the change gives. */
export function identityOf({ id, chat, sender, fromMe }: Target): MessageIdentity {
  const isMany = isGroup(chat) || chat.endsWith("@broadcast")
  return { id, fromMe, forms: fromMe ? [] : formsOf(isMany ? chat : undefined, [sender]) }
}
