import { isChannel } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { bytesIn } from "../body.ts"
import { at, chatsIn, keptOf, messagesIn } from "../bridge.ts"
import { NotHere } from "../dialect.ts"
import type { Chat, Sent } from "../ours.ts"
import type { Given } from "./given.ts"
import { chatIdOf, chatOf, messageIdOf, partsOf, pictureAt } from "./ids.ts"
import { type Its, partOf, reachOf, type Rows } from "./its.ts"
import { toMessage, toSent } from "./messages.ts"

// Messages that are sent, and what was said in chats.

/** The fields of a send that say where its file is. A longer one is uploaded first. */
export async function placeOf({ given, bridge }: Its): Promise<object> {
  const { url, data: encoded, mimetype = "", filename = "" } = given.file ?? {}
  if (!encoded) return { url }
  // WAHA lets a picture be called any picture. Here its bytes decide, if they are called nothing.
  const type = /^$|^(?:image|video|audio)\//.test(mimetype) ? "application/octet-stream" : mimetype
  return await bridge.placeOf({ type, name: filename, bytes: bytesIn(encoded, "file.data") })
}

async function sendText({ send, given, chat, proxy }: Its) {
  if (isChannel(chat)) {
    const sent = await proxy.ask<Sent>("POST", at`channels/${chat}/posts`, {
      body: given.text,
    })
    return toSent(sent, given.text ?? "")
  }
  return await send("text", { body: given.text, link_preview: given.linkPreview })
}

async function sendFile(its: Its, how: object) {
  const caption = its.given.caption || undefined
  return await its.send("media", { ...(await placeOf(its)), caption, ...how })
}

/** `convert` false: Ogg is sent as it is, and then is a voice note; other sounds are none. */
async function sendVoice(its: Its) {
  const isOgg = its.given.file?.mimetype?.includes("ogg") === true
  return await sendFile(its, { caption: undefined, as_voice: its.given.convert ?? !isOgg })
}

async function sendPreview(its: Its) {
  const { url, title, description, image } = its.given.preview ?? {}
  if (image?.url) throw new NotHere("this service fetches no picture for a preview: give its `data`")
  const preview = { url, title, description, image: image?.data || undefined }
  return await its.send("text", { body: its.given.text, preview })
}

function toCard(card: NonNullable<Given["contacts"]>[number]) {
  if (typeof card === "string") return card
  const { vcard, fullName, organization, phoneNumber = "", whatsappId } = card
  const [, name = "Contact"] = /^FN[^:\r\n]*:([^\r\n]+)/im.exec(vcard ?? "") ?? []
  if (vcard) return { name: name.trim(), vcard }
  return { name: fullName, phone: (whatsappId ?? phoneNumber).replaceAll(/\D/g, ""), organization }
}

async function sendEvent(its: Its) {
  const { name, description, startTime, endTime, location } = its.given.event ?? {}
  if (location) throw new NotHere("an event has no `location` here: write it into `description`")
  return await its.send("event", { name, description, start_time: startTime, end_time: endTime })
}

async function typing(its: Its, state: string) {
  return await its.done("POST", "send/typing", { chat: its.chat, state })
}

export const chatting: Rows = {
  "POST /api/sendText": sendText,
  "POST /api/reply": sendText,
  "GET /api/sendText": ({ send, query }) =>
    send("text", { chat: chatOf(query.phone ?? ""), body: query.text }),
  "POST /api/sendImage": (its) => sendFile(its, {}),
  "POST /api/sendFile": (its) => sendFile(its, { as_document: true, filename: its.given.file?.filename }),
  "POST /api/sendVoice": sendVoice,
  "POST /api/sendVideo": (its) =>
    sendFile(its, its.given.asNote ? { caption: undefined, video_note: true } : {}),
  "POST /api/sendSticker": (its) => sendFile(its, { as_sticker: true, caption: undefined }),
  "POST /api/send/link-custom-preview": sendPreview,
  "POST /api/sendLinkPreview": ({ send, given }) =>
    send("text", { body: `${given.title}\n${given.url}`, link_preview: true }),
  "POST /api/forwardMessage": ({ send, message }) =>
    send("forward", { message_id: message.id, from_chat: message.chat }),
  "POST /api/sendPoll": ({ send, given: { poll = {} } }) =>
    send("poll", {
      question: poll.name,
      options: poll.options,
      max_answers: poll.multipleAnswers === true ? 0 : 1,
    }),
  "POST /api/sendLocation": ({ send, given }) =>
    send("location", { lat: given.latitude, lng: given.longitude, name: given.title }),
  "POST /api/sendContactVcard": ({ send, given }) =>
    send("contact", { contacts: given.contacts?.map(toCard) }),
  "POST /api/:session/events": sendEvent,
  "PUT /api/reaction": ({ send, message, given }) =>
    send("reaction", { message_id: message.id, chat: message.chat, emoji: given.reaction }),
  "POST /api/sendSeen": async (its) => {
    const { messageIds = [], messageId } = its.given
    const named = messageId ? [messageId, ...messageIds] : messageIds
    await markRead(its, named.length > 0 ? { named } : {})
    return {}
  },
  "POST /api/startTyping": (its) => typing(its, "composing"),
  "POST /api/stopTyping": (its) => typing(its, "paused"),
}

/** How many messages, chats and summaries WAHA gives unless it is told. */
const usual = { messages: 100, chats: 1000, summaries: 20 }

async function messagesOf(its: Its, chat: string, query: Record<string, string>) {
  const { "filter.timestamp.gte": since, "filter.timestamp.lte": until, "filter.fromMe": fromMe } = query
  const ack = query["filter.ack"]
  // Reactions and pins are messages of their own here, and none there.
  const most = fromMe === undefined && ack === undefined ? 2 * reachOf(query, usual.messages) : 1000
  const messages = (await messagesIn(its.proxy, chat, most, { since, until }))
    .filter(({ type, edit }) => type !== "reaction" && edit !== "pin")
    .map((message) => toMessage(message, { me: "", files: its.files }))
    .filter((message) => fromMe === undefined || String(message.fromMe) === fromMe)
    .filter(({ ackName }) => ack === undefined || ackName === ack)
  const part = partOf(messages, query, usual.messages)
  return query.sortOrder === "asc" ? part.toReversed() : part
}

/**
 * Marks messages of a chat as read: those that are named, or the latest that have come.
 * @returns the ids of those that were marked
 */
async function markRead(its: Its, which: { named?: string[]; messages?: number; days?: number }) {
  const { named, messages = 30, days = 7 } = which
  const latest = async () => {
    const since = now() - days * 86_400
    const kept = await messagesIn(its.proxy, its.chat, messages, { since })
    return kept.filter(({ from_me, edit }) => !from_me && edit === undefined).map(messageIdOf)
  }
  const ids = named ?? (await latest())
  for (const id of ids) await its.proxy.ask("POST", at`messages/${partsOf(id).id}/read`, { chat: its.chat })
  return ids
}

/** A message that was looked up by its id. Its writer's name is not known then. */
async function messageOf(its: Its) {
  const { proxy, chat, message } = its
  const found = await proxy.ask<Parameters<typeof keptOf>[0]>("GET", at`messages/${message.id}`, { chat })
  return toMessage(keptOf(found), { me: "", files: its.files })
}

function toChat(chat: Chat) {
  const id = chatIdOf(chat.chat_id)
  return {
    id,
    name: chat.name || id.replace(/@.*/, ""),
    isGroup: chat.is_group,
    conversationTimestamp: chat.last_message_at,
    unreadCount: chat.unread,
    archived: chat.archived,
    pinned: chat.pinned,
    isMuted: chat.muted,
  }
}

/** The newest chats, or those that are named, each with its last message. */
async function overview(its: Its, part: object, ids: string[] = []) {
  const wanted = new Set(ids.map((id) => chatIdOf(chatOf(id))))
  const most = wanted.size > 0 ? usual.chats : reachOf(part, usual.summaries)
  const found = await chatsIn(its.proxy, most)
  const chats = found.filter((chat) => wanted.size === 0 || wanted.has(chatIdOf(chat.chat_id)))
  const summaries = []
  for (const chat of partOf(chats, part, usual.summaries)) {
    const [lastMessage = {}] = await messagesOf(its, chat.chat_id, { limit: "1" })
    const picture = pictureAt(its.origin, its.session, chat.chat_id)
    const { id, name, ...more } = toChat(chat)
    summaries.push({ id, name, picture, lastMessage, _chat: { id, name, ...more } })
  }
  return summaries
}

async function change(its: Its, wanted: object) {
  return toChat(await its.proxy.ask<Chat>("PATCH", at`chats/${its.chat}`, wanted))
}

const one = "/api/:session/chats/:chatId"
const message = `${one}/messages/:messageId`

export const chats: Rows = {
  "GET /api/:session/chats": async (its) =>
    partOf(await chatsIn(its.proxy, reachOf(its.query, usual.chats)), its.query, usual.chats).map(toChat),
  "GET /api/:session/chats/overview": (its) => overview(its, its.query, its.query.ids?.split(",")),
  "POST /api/:session/chats/overview": (its) =>
    overview(its, its.given.pagination ?? {}, its.given.filter?.ids),
  [`GET ${one}/picture`]: async (its) => ({ url: await its.picture() }),
  "GET /api/messages": (its) => messagesOf(its, its.chat, its.query),
  [`GET ${one}/messages`]: (its) => messagesOf(its, its.chat, its.query),
  [`POST ${one}/messages/read`]: async (its) => {
    const { messages = 30, days = 7 } = its.query
    return { ids: await markRead(its, { messages: Number(messages), days: Number(days) }) }
  },
  [`GET ${message}`]: messageOf,
  [`DELETE ${message}`]: (its) => its.done("DELETE", at`messages/${its.message.id}`, { chat: its.chat }),
  [`PUT ${message}`]: async (its) => {
    const { proxy, chat, given } = its
    await proxy.ask("PATCH", at`messages/${its.message.id}/edit`, { chat, body: given.text })
    return await messageOf(its)
  },
  [`POST ${message}/pin`]: ({ done, message: { id }, chat, given }) =>
    done("POST", at`messages/${id}/pin`, { chat, duration: given.duration }),
  [`POST ${message}/unpin`]: ({ done, message: { id }, chat }) =>
    done("DELETE", at`messages/${id}/pin`, { chat }),
  [`DELETE ${one}`]: ({ done, chat }) => done("DELETE", at`chats/${chat}`),
  [`DELETE ${one}/messages`]: ({ done, chat }) => done("DELETE", at`chats/${chat}/messages`),
  [`POST ${one}/archive`]: (its) => change(its, { archived: true }),
  [`POST ${one}/unarchive`]: (its) => change(its, { archived: false }),
  [`POST ${one}/unread`]: (its) => change(its, { unread: true }),
}
