import { now, nowMs } from "#core/platform/clock.ts"
import { randomBytes } from "node:crypto"
import { proto } from "@whiskeysockets/baileys"
import type { Encrypted } from "../media/encrypt.ts"
import type { Kind } from "../media/kind-and-content-type.ts"
import type { Picture } from "../media/picture.ts"
import type { MessageContent } from "../network/connection.ts"

/** The message that a reaction, an edit or a revocation refers to, in the network's form. */
export interface Key {
  id: string
  remoteJid?: string
  fromMe?: boolean
  /** The author, in a group. */
  participant?: string
}

/** The parts that a message may carry besides its own content. */
export interface Context {
  quoted?: { id: string; author: string; content: MessageContent; chat?: string }
  mentions?: string[]
  /** The message disappears after this many seconds, like the chat's other messages. */
  expiration?: number
}

/**
 * The bytes of a message, ready to send, as WhatsApp Web builds it. They contain a random secret, under which answers
 * to the message are sealed: build once and keep the bytes.
 */
export function built(content: MessageContent): Uint8Array {
  const isAnswer = content.reactionMessage ?? content.protocolMessage
  const secret = { messageContextInfo: { messageSecret: randomBytes(32) } }
  return proto.Message.encode({ ...content, ...(!isAnswer && secret) }).finish()
}

/** Without a link preview, which would mean fetching whatever address the text names. */
export function textOf(body: string, context: Context = {}): MessageContent {
  return { extendedTextMessage: { text: body, contextInfo: contextInfo(context) } }
}

/** An empty emoji removes the reaction. */
export function reactionOf(key: Key, emoji: string): MessageContent {
  return { reactionMessage: { key, text: emoji, senderTimestampMs: nowMs() } }
}

export function pollOf(
  input: { question: string; options: string[]; maxAnswers: number },
  context: Context,
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
export function invitationOf(input: {
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

export function locationOf(
  input: { lat: number; lng: number; name?: string | undefined; address?: string | undefined },
  context: Context,
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

/** Times are in Unix seconds. */
export function eventOf(
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
  context: Context,
): MessageContent {
  return { eventMessage: { isCanceled: false, ...input, contextInfo: contextInfo(context) } }
}

/** A file that the network already has. */
export interface File extends Omit<Encrypted, "path"> {
  kind: Kind
  url: string
  directPath: string
  mimetype: string
  fileName: string
  caption?: string | undefined
  /** For an image or a sticker. */
  picture?: Picture | undefined
}

export function mediaOf(file: File, context: Context): MessageContent {
  const { kind, picture, caption, fileName } = file
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
  }
  const size = { width: picture?.width, height: picture?.height }
  switch (kind) {
    case "image":
      return { imageMessage: { ...common, ...size, caption, jpegThumbnail: picture?.thumbnail } }
    case "sticker":
      return { stickerMessage: { ...common, ...size, isAnimated: picture?.isAnimated ?? false } }
    case "video":
      return { videoMessage: { ...common, caption } }
    case "audio":
      return { audioMessage: { ...common, ptt: false } }
    case "voice":
      // Clients play a voice note only with this type.
      return { audioMessage: { ...common, mimetype: "audio/ogg; codecs=opus", ptt: true } }
    case "document": {
      const document = { ...common, fileName, title: fileName, caption }
      // Clients show a document's caption only in this form.
      return caption
        ? { documentWithCaptionMessage: { message: { documentMessage: document } } }
        : { documentMessage: document }
    }
  }
}

export function revocationOf(key: Key): MessageContent {
  return { protocolMessage: { key, type: proto.Message.ProtocolMessage.Type.REVOKE } }
}

/** Changes the message of this key to this content. */
export function editOf(key: Key, content: MessageContent): MessageContent {
  const type = proto.Message.ProtocolMessage.Type.MESSAGE_EDIT
  return { protocolMessage: { key, type, editedMessage: content, timestampMs: nowMs() } }
}

function contextInfo({ quoted, mentions, expiration }: Context): proto.IContextInfo | undefined {
  if (!quoted && !mentions?.length && !expiration) return undefined
  return {
    ...(expiration && { expiration }),
    ...(mentions?.length && { mentionedJid: mentions }),
    ...(quoted && {
      stanzaId: quoted.id,
      participant: quoted.author,
      quotedMessage: quoted.content,
      ...(quoted.chat && { remoteJid: quoted.chat }),
    }),
  }
}
