import { randomBytes } from "node:crypto"
import { now, nowMs } from "#core/platform/clock.ts"
import type { Encrypted } from "../media/encrypt.ts"
import type { Kind } from "../media/kind-and-content-type.ts"
import type { Preview } from "../media/link-preview.ts"
import type { Picture } from "../media/picture.ts"
import type { DisappearingTimer, MessageContent } from "../network/connection.ts"
import { encodeBare } from "../network/decode.ts"
import type { ContextInfo } from "../network/message-proto/types.ts"
import { proto } from "../network/proto.ts"
import { textOf } from "./content.ts"

/** The message that a reaction, an edit or a revocation refers to, in the network's form. */
export interface MessageKey {
  id: string
  remoteJid?: string
  fromMe?: boolean
  /** The author, if the chat is a group. */
  participant?: string
}

/** The parts that a message may carry besides its own content. */
export interface MessageContext {
  quoted?: { id: string; author: string; content: MessageContent; chat?: string }
  mentions?: string[]
  /** The timer with which the message disappears, like the chat's other messages. */
  timer?: DisappearingTimer | undefined
  /** How often the content was forwarded, this time included; 0: recipients are not told that it was. */
  forwardings?: number
}

/**
 * The bytes of a message, ready to send, as WhatsApp Web builds it. They contain a random secret, under which
 * answers to the message are sealed: build the bytes once, and keep them.
 */
export function buildMessage(content: MessageContent): Uint8Array {
  const isAnswer = content.reactionMessage ?? content.protocolMessage
  const secret = { messageContextInfo: { ...content.messageContextInfo, messageSecret: randomBytes(32) } }
  return encodeBare({ ...content, ...(!isAnswer && secret) })
}

export function toText(body: string, context: MessageContext = {}, preview?: Preview): MessageContent {
  const link = preview && {
    matchedText: preview.url,
    title: preview.title,
    description: preview.description,
    jpegThumbnail: preview.thumbnail,
    previewType: proto.Message.ExtendedTextMessage.PreviewType.NONE,
  }
  return { extendedTextMessage: { text: body, ...link, contextInfo: contextInfo(context) } }
}

/** A text for all people who may see the account's statuses. @param background `#RRGGBB` */
export function toStatusText(text: string, background = "#205e7a"): MessageContent {
  return { extendedTextMessage: { text, backgroundArgb: argbOf(background), textArgb: 0xff_ff_ff_ff } }
}

function argbOf(colour: string): number {
  return Number.parseInt(`ff${colour.slice(1)}`, 16)
}

interface Card {
  name: string
  phone?: string | undefined
  /** Whether the phone is on the network. */
  isReachable?: boolean
  organization?: string | undefined
  email?: string | undefined
  /** The whole card, in place of the other fields. */
  vcard?: string | undefined
}

export function toContacts(cards: Card[], context: MessageContext): MessageContent {
  const contacts = cards.map((card) => ({ displayName: card.name, vcard: card.vcard ?? vcardOf(card) }))
  if (contacts.length === 1) return { contactMessage: { ...contacts[0], contextInfo: contextInfo(context) } }
  const displayName = `${contacts.length} contacts`
  return { contactsArrayMessage: { displayName, contacts, contextInfo: contextInfo(context) } }
}

/** A vCard (RFC 2426). With `waid`, phones offer a chat; without it, they offer to invite the number. */
function vcardOf({ name, phone = "", isReachable, organization, email }: Card): string {
  const digits = phone.replace("+", "")
  return [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:;${escaped(name)};;;`,
    `FN:${escaped(name)}`,
    ...(organization ? [`ORG:${escaped(organization)}`] : []),
    `TEL;type=CELL;type=VOICE${isReachable ? `;waid=${digits}` : ""}:+${digits}`,
    ...(email ? [`EMAIL:${escaped(email)}`] : []),
    "END:VCARD",
  ].join("\n")
}

function escaped(value: string): string {
  return value.replaceAll(/[\\;,]/g, "\\$&").replaceAll(/\r\n|[\r\n]/g, "\\n")
}

/** The kinds of content that can be forwarded as they are. */
const forwardable = [
  "extendedTextMessage",
  "imageMessage",
  "videoMessage",
  "ptvMessage",
  "audioMessage",
  "documentMessage",
  "stickerMessage",
  "locationMessage",
  "contactMessage",
  "contactsArrayMessage",
] as const

/**
 * The same content for another recipient, without what it referred to. Undefined if it is of a kind that is
 * not forwarded.
 * @param content without its wrappers
 */
export function toForward(content: MessageContent, context: MessageContext): MessageContent | undefined {
  const { conversation } = content
  if (conversation) return toText(conversation, context)
  const kind = forwardable.find((one) => content[one])
  if (!kind) return undefined
  const part = { ...content[kind], contextInfo: contextInfo(context) }
  return kind === "documentMessage" ? documentOf(part) : { [kind]: part }
}

/** A document, in the only form in which clients show its caption. */
function documentOf(documentMessage: NonNullable<MessageContent["documentMessage"]>): MessageContent {
  return documentMessage.caption
    ? { documentWithCaptionMessage: { message: { documentMessage } } }
    : { documentMessage }
}

/** Pins a message for this many seconds, or unpins it. */
export function toPin(key: MessageKey, seconds: number | undefined): MessageContent {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
  const type = seconds === undefined ? UNPIN_FOR_ALL : PIN_FOR_ALL
  return {
    pinInChatMessage: { key, type, senderTimestampMs: nowMs() },
    messageContextInfo: { messageAddOnDurationInSecs: seconds ?? 0 },
  }
}

/** A reaction. An empty emoji removes the reaction. */
export function toReaction(key: MessageKey, emoji: string): MessageContent {
  return { reactionMessage: { key, text: emoji, senderTimestampMs: nowMs() } }
}

export function toPoll(
  input: { question: string; options: string[]; maxAnswers: number },
  context: MessageContext,
): MessageContent {
  const poll = {
    name: input.question,
    options: input.options.map((optionName) => ({ optionName })),
    selectableOptionsCount: input.maxAnswers,
    contextInfo: contextInfo(context),
  }
  // Clients show the form for a single answer only for this type.
  return input.maxAnswers === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll }
}

/** A personal invitation to a group. `expiration` is in Unix seconds. */
export function toInvitation(input: {
  group: string
  name: string
  code: string
  expiration: number
}): MessageContent {
  return {
    groupInviteMessage: {
      groupJid: input.group,
      groupName: input.name,
      inviteCode: input.code,
      inviteExpiration: input.expiration,
    },
  }
}

export function toLocation(
  input: { lat: number; lng: number; name?: string | undefined; address?: string | undefined },
  context: MessageContext,
): MessageContent {
  const { lat, lng, name, address } = input
  return {
    locationMessage: {
      degreesLatitude: lat,
      degreesLongitude: lng,
      name,
      address,
      contextInfo: contextInfo(context),
    },
  }
}

/** An event message. Times are in Unix seconds. */
export function toEvent(
  input: {
    name: string
    description?: string | undefined
    startTime: number
    endTime?: number | undefined
    joinLink?: string | undefined
    hasReminder?: boolean | undefined
    isScheduleCall?: boolean | undefined
    reminderOffsetSec?: number | undefined
  },
  context: MessageContext,
): MessageContent {
  return { eventMessage: { isCanceled: false, ...input, contextInfo: contextInfo(context) } }
}

/** A file that the network already has. */
export interface UploadedFile extends Omit<Encrypted, "path"> {
  kind: Kind
  url: string
  directPath: string
  mimetype: string
  fileName: string
  caption?: string | undefined
  /** The picture of an image, a sticker or a video, as far as it is known. */
  picture?: Partial<Picture> | undefined
  /** The length of a sound or a video. */
  seconds?: number | undefined
  /** The waveform of a voice note. */
  waveform?: Uint8Array | undefined
  /** Of a video: whether it plays by itself, again and again, without sound. */
  isGif?: boolean | undefined
  /** Of a video: whether phones show it as a circle. */
  isNote?: boolean | undefined
  /** Of a voice note: the colour behind it, if it is a status, as `#RRGGBB`. */
  background?: string | undefined
  /** Of an image, a video or a voice note: whether it can be opened only once. */
  viewOnce?: boolean | undefined
}

/** Whether clients can show a file of this kind only once. */
export function maySeeOnce(kind: Kind): boolean {
  return kind === "image" || kind === "video" || kind === "voice"
}

/** Whether clients show a text beside a file of this kind. */
export function mayHaveCaption(kind: Kind): boolean {
  return kind === "image" || kind === "video" || kind === "document"
}

export function toMedia(file: UploadedFile, context: MessageContext): MessageContent {
  const content = contentOf(file, context)
  return file.viewOnce ? { viewOnceMessage: { message: content } } : content
}

function contentOf(file: UploadedFile, context: MessageContext): MessageContent {
  const { kind, picture, caption, fileName, seconds, isGif, viewOnce } = file
  const common = {
    url: file.url,
    directPath: file.directPath,
    mediaKey: file.mediaKey,
    mediaKeyTimestamp: now(),
    fileEncSha256: file.fileEncSha256,
    fileSha256: file.fileSha256,
    fileLength: file.fileLength,
    mimetype: file.mimetype,
    contextInfo: contextInfo(context),
    ...(viewOnce && { viewOnce }),
  }
  const size = { width: picture?.width, height: picture?.height }
  const jpegThumbnail = picture?.thumbnail
  switch (kind) {
    case "image":
      return { imageMessage: { ...common, ...size, caption, jpegThumbnail } }
    case "sticker":
      return { stickerMessage: { ...common, ...size, isAnimated: picture?.isAnimated ?? false } }
    case "video": {
      const video = { ...common, ...size, seconds, jpegThumbnail }
      if (file.isNote) return { ptvMessage: video }
      return { videoMessage: { ...video, caption, ...(isGif && { gifPlayback: true }) } }
    }
    case "audio":
      return { audioMessage: { ...common, seconds, ptt: false } }
    case "voice":
      // Clients play a voice note only if it has this type.
      return {
        audioMessage: {
          ...common,
          mimetype: "audio/ogg; codecs=opus",
          ptt: true,
          seconds,
          waveform: file.waveform,
          ...(file.background && { backgroundArgb: argbOf(file.background) }),
        },
      }
    case "document":
      return documentOf({ ...common, fileName, title: fileName, caption })
  }
}

export function toRevocation(key: MessageKey): MessageContent {
  return { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } }
}

/** Says in a chat between two people after how many seconds its messages disappear from now on; 0: never. */
export function toTimer(seconds: number): MessageContent {
  const { CHANGED_IN_CHAT: initiator } = proto.DisappearingMode.Initiator
  const { CHAT_SETTING: trigger } = proto.DisappearingMode.Trigger
  return {
    protocolMessage: {
      type: proto.Message.ProtocolMessage.Type.EPHEMERAL_SETTING,
      ephemeralExpiration: seconds,
      ephemeralSettingTimestamp: now(),
      disappearingMode: { initiator, trigger, initiatedByMe: true },
    },
  }
}

/** Changes the message of this key to this content. @param timestampMs when its author did so */
export function toEdit(key: MessageKey, content: MessageContent, timestampMs = nowMs()): MessageContent {
  const type = proto.Message.ProtocolMessage.Type.MESSAGE_EDIT
  return { protocolMessage: { key, type, editedMessage: content, timestampMs } }
}

/** The same message with another text or caption; undefined for one that has neither. */
export function withText(content: MessageContent, text: string): MessageContent | undefined {
  const { imageMessage, videoMessage, documentMessage } = content
  if (imageMessage) return { imageMessage: { ...imageMessage, caption: text } }
  if (videoMessage) return { videoMessage: { ...videoMessage, caption: text } }
  if (documentMessage) return documentOf({ ...documentMessage, caption: text })
  return textOf(content) === undefined ? undefined : toText(text)
}

/**
 * The timer of a message, in the form of WhatsApp Web (`WAWebE2EProtoGenerator`). A phone that is not told
 * when the timer of a chat between two people was set warns that the message may stay (zapo).
 */
function disappearing({ seconds, setAt, initiator, isOurs }: DisappearingTimer): ContextInfo {
  return {
    expiration: seconds,
    ...(setAt !== undefined && { ephemeralSettingTimestamp: setAt }),
    ...(initiator !== undefined && { disappearingMode: { initiator, initiatedByMe: isOurs } }),
  }
}

function contextInfo(context: MessageContext): ContextInfo | undefined {
  const { quoted, mentions, timer, forwardings } = context
  if (!quoted && !mentions?.length && !timer && !forwardings) return undefined
  return {
    ...(forwardings && { isForwarded: true, forwardingScore: forwardings }),
    ...(timer && disappearing(timer)),
    ...(mentions?.length && { mentionedJid: mentions }),
    ...(quoted && {
      stanzaId: quoted.id,
      participant: quoted.author,
      quotedMessage: quoted.content,
      ...(quoted.chat && { remoteJid: quoted.chat }),
    }),
  }
}
