import type { Kept as Message } from "../ours.ts"
import { keyOf } from "./names.ts"

interface Content {
  messageType: string
  message: Record<string, unknown>
}

/** A message as Evolution posts it, and lists it: its content is named as in the network's protocol. */
export function recordOf(message: Message, instance: string, base64?: string) {
  const { messageType, message: content } = contentOf(message)
  return {
    key: keyOf(message),
    pushName: message.name,
    status: message.from_me ? "SERVER_ACK" : "DELIVERY_ACK",
    message: { ...content, ...(base64 !== undefined && { base64 }) },
    contextInfo: contextOf(message),
    messageType,
    messageTimestamp: message.timestamp,
    instanceId: instance,
    source: "unknown",
  }
}

function contextOf({ quoted, mentions, forwarded, disappears_after, ad }: Message) {
  const context = {
    ...(quoted && {
      stanzaId: quoted.message_id,
      participant: quoted.contact_id,
      quotedMessage: { conversation: quoted.body },
    }),
    ...(mentions && { mentionedJid: mentions }),
    ...(forwarded && { isForwarded: true }),
    ...(disappears_after && { expiration: disappears_after }),
    ...(ad && {
      externalAdReply: {
        title: ad.title,
        body: ad.body,
        sourceType: ad.source_type,
        sourceId: ad.source_id,
        sourceUrl: ad.source_url,
        ctwaClid: ad.click_id,
      },
    }),
  }
  return Object.keys(context).length > 0 ? context : null
}

function named(messageType: string, content: unknown): Content {
  return { messageType, message: { [messageType]: content } }
}

function contentOf(message: Message): Content {
  const { body, reaction, tapped, location, edit, target_id } = message
  if (edit === "pin") return named("pinInChatMessage", { key: { id: target_id }, type: 1 })
  if (tapped) return tapOf(tapped)
  switch (message.type) {
    case "media":
      return mediaOf(message)
    case "reaction":
      return named("reactionMessage", {
        key: { id: reaction?.message_id, remoteJid: reaction?.chat_id, participant: reaction?.contact_id },
        text: reaction?.emoji ?? "",
      })
    case "poll":
      return named("pollCreationMessageV3", {
        name: body,
        options: message.options?.map((optionName) => ({ optionName })),
        selectableOptionsCount: message.max_answers ?? 0,
      })
    case "location":
      return named(location?.live ? "liveLocationMessage" : "locationMessage", {
        degreesLatitude: location?.lat,
        degreesLongitude: location?.lng,
        name: location?.name,
        address: location?.address,
      })
    case "event":
      return named("eventMessage", {
        name: message.event_details?.name,
        description: message.event_details?.description,
        startTime: message.event_details?.start_time,
        joinLink: message.event_details?.join_link,
      })
    case "contact":
      return cardsOf(message)
    case "unknown":
      return { ...named(message.unknown_kind ?? "unknown", body === "" ? {} : { text: body }) }
    case "text":
      return named("conversation", body)
  }
}

function tapOf({ id, text, description }: NonNullable<Message["tapped"]>): Content {
  return description === undefined
    ? named("buttonsResponseMessage", { selectedButtonId: id, selectedDisplayText: text })
    : named("listResponseMessage", { title: text, description, singleSelectReply: { selectedRowId: id } })
}

function cardsOf({ contacts = [] }: Message): Content {
  const cards = contacts.map(({ name, vcard }) => ({ displayName: name, vcard }))
  return cards.length === 1
    ? named("contactMessage", cards[0])
    : named("contactsArrayMessage", { displayName: `${cards.length} contacts`, contacts: cards })
}

const mediaTypes = {
  image: "imageMessage",
  video: "videoMessage",
  audio: "audioMessage",
  voice: "audioMessage",
  document: "documentMessage",
  sticker: "stickerMessage",
  "": "viewOnceMessage",
} as const

/** The name of a message with this file in the network's protocol. */
export function mediaTypeOf(kind: Message["media_type"]): string {
  return mediaTypes[kind]
}

function mediaOf({ media_type, file, caption, body, view_once }: Message): Content {
  const words = caption ?? body
  return named(mediaTypes[media_type], {
    ...(words !== "" && { caption: words }),
    mimetype: file?.content_type,
    fileLength: String(file?.size ?? 0),
    ...(file?.name && { fileName: file.name, title: file.name }),
    ...(file?.seconds !== undefined && { seconds: file.seconds }),
    ...(file?.width !== undefined && { width: file.width, height: file.height }),
    ...(file?.pages !== undefined && { pageCount: file.pages }),
    ...(media_type === "voice" && { ptt: true }),
    ...(file?.gif && { gifPlayback: true }),
    ...(file?.stored_as?.url && { mediaUrl: file.stored_as.url }),
    ...(view_once && { viewOnce: true }),
  })
}
