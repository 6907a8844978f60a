import { ApiError } from "#core/error.ts"
import { iso } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { unless } from "../../http/own-api.ts"
import { at, chatsIn, keptOf, messagesIn } from "../bridge.ts"
import type { Chat, Kept, Remembered } from "../ours.ts"
import { mediaTypeOf, recordOf } from "./content.ts"
import type { Given } from "./given.ts"
import { chatQuery, type Its, messageBy, needed, type Rows } from "./its.ts"
import { chatOf, jidOf, statuses } from "./names.ts"

// Chats, and what was said in them.

/** How many of a list are read at most, and in how many chats messages of any are looked for. */
const most = { chats: 2000, messages: 1000, lookedThrough: 20 }

/** The part of a list that a search asks for: all of it, unless it says how much. */
export function part<Item>(items: Item[], { page, offset, take, skip }: Given): Item[] {
  const length = take || offset || items.length
  const from = skip ?? ((page || 1) - 1) * length
  return items.slice(from, from + length)
}

function toChat(
  { chat_id: id, name, unread, last_message_at, is_group, archived, pinned }: Chat,
  instanceId: string,
) {
  const updatedAt = iso(last_message_at * 1000)
  const unreadOnes = { unreadCount: unread, unreadMessages: unread }
  const about = { archived, pinned, isGroup: is_group, isSaved: true, labels: [] }
  const named = { id, remoteJid: id, name, pushName: name, profilePicUrl: null }
  return { ...named, updatedAt, ...unreadOnes, ...about, instanceId }
}

/** A message that is known by its id. */
async function lookUp({ proxy }: Its, key: Given["key"]) {
  const { path, query } = messageBy(key)
  return await unless("not_found", proxy.ask<Remembered>("GET", path, query))
}

const secondsOf = (time = "") => Math.floor(Date.parse(time) / 1000) || undefined

/** The messages that a search asks for, newest first: by an id, of a chat, or of the latest chats. */
async function found(its: Its, howMany: number): Promise<Kept[]> {
  const { key, messageTimestamp: time } = its.given.where ?? {}
  if (key?.id) {
    const known = await lookUp(its, key)
    return known ? [keptOf(known)] : []
  }
  const span = { since: secondsOf(time?.gte), until: secondsOf(time?.lte) }
  const inChat = async (chat: string) => await messagesIn(its.proxy, chat, howMany, span)
  if (key?.remoteJid) return await inChat(jidOf(key.remoteJid))
  const all: Kept[] = []
  for (const { chat_id } of (await chatsIn(its.proxy, most.chats)).slice(0, most.lookedThrough))
    all.push(...(await inChat(chat_id)))
  return all.toSorted((one, other) => other.timestamp - one.timestamp)
}

async function findMessages(its: Its) {
  const { where, page, offset } = its.given
  const [currentPage, size] = [page || 1, offset || 50]
  // One more than is shown says whether there is another page.
  const messages = await found(its, Math.min(currentPage * size, most.messages) + 1)
  const records = messages
    .map((message) => ({
      id: message.message_id,
      ...recordOf(message, its.instance),
      MessageUpdate: message.status ? [{ status: statuses[message.status] }] : [],
    }))
    .filter(({ key, messageType }) => {
      const { fromMe = key.fromMe } = where?.key ?? {}
      return fromMe === key.fromMe && (where?.messageType ?? messageType) === messageType
    })
  const total = records.length
  const shown = records.slice((currentPage - 1) * size, currentPage * size)
  return { messages: { total, pages: Math.ceil(total / size), currentPage, records: shown } }
}

const steps = ["sent", "delivered", "read", "played", "failed"] as const

/** What has become of messages that were sent through the API: a line for each step that is known. */
async function findStatusMessage(its: Its) {
  const { where = {}, offset } = its.given
  const id = where.keyId ?? where.id
  const query = { ...chatQuery(where.remoteJid), limit: 100 }
  const messages = id
    ? [await lookUp(its, { id, remoteJid: where.remoteJid })].flatMap((one) => one ?? [])
    : await its.proxy.all<Remembered>("sent", { query, most: most.messages })
  const lines = messages.flatMap((message) => {
    const { message_id: keyId, chat_id: remoteJid, from_me: fromMe } = message
    const about = { messageId: keyId, keyId, remoteJid, fromMe, instanceId: its.instance }
    const made = steps.filter((step) => message[`${step}_at`] !== undefined).map((step) => statuses[step])
    return made.map((status) => ({ id: `${keyId}-${status}`, ...about, status }))
  })
  return part(lines, { ...its.given, offset: offset || 50 })
}

/** Files larger than this are not put into an answer: on AWS a function takes 6 MB. */
const largestFile = () => (config.STORAGE_DIR ? 16_000_000 : 4_000_000)

async function getBase64(its: Its) {
  const key = its.given.message?.key
  const { path, query } = messageBy(key)
  const known = await lookUp(its, key)
  if (!known) throw new ApiError("not_found", "Message not found")
  const file = await its.proxy.file(`${path}/media`, { query, maxBytes: largestFile() })
  if (!file.bytes) throw new ApiError("payload_too_large", "the file is too large for an answer of this call")
  return {
    mediaType: mediaTypeOf(known.media_type),
    fileName: /filename="?([^";]+)/.exec(file.headers["content-disposition"] ?? "")?.[1] ?? known.message_id,
    caption: known.body || undefined,
    size: { fileLength: String(file.size), height: null, width: null },
    mimetype: file.type,
    base64: file.bytes.toString("base64"),
    buffer: null,
  }
}

/** Changes something about a chat, which is named, or by its last message. */
async function change({ proxy, given }: Its, wanted: { archived?: boolean; unread?: boolean }) {
  const chatId = jidOf(given.chat || given.lastMessage?.key?.remoteJid || "")
  await proxy.ask("PATCH", at`chats/${chatId}`, wanted)
  return { chatId, archived: wanted.archived, markedChatUnread: wanted.unread }
}

/** What is found of chats and messages. */
export const kept: Rows = {
  "POST /chat/findMessages/:instance": findMessages,
  "POST /chat/findStatusMessage/:instance": findStatusMessage,
  "POST /chat/findChats/:instance": async (its) => {
    const jid = its.given.where?.remoteJid
    const chats = (await chatsIn(its.proxy, most.chats)).filter(
      ({ chat_id }) => !jid || chat_id === jidOf(jid),
    )
    return part(chats, its.given).map((chat) => toChat(chat, its.instance))
  },
  "GET /chat/findChatByRemoteJid/:instance": async (its) => {
    const jid = jidOf(needed(its.query.remoteJid, "remoteJid"))
    const chat = (await chatsIn(its.proxy, most.chats)).find(({ chat_id }) => chat_id === jid)
    return chat ? toChat(chat, its.instance) : null
  },
}

/** What changes chats, and gives a file. */
export const inChats: Rows = {
  "POST /chat/getBase64FromMediaMessage/:instance": getBase64,
  "POST /chat/markMessageAsRead/:instance": async ({ proxy, given: { readMessages } }) => {
    for (const key of needed(readMessages, "readMessages")) {
      const { path, query } = messageBy(key)
      if (!key.fromMe) await proxy.ask("POST", `${path}/read`, query)
    }
    return { message: "Read messages", read: "success" }
  },
  "POST /chat/archiveChat/:instance": async (its) =>
    await change(its, { archived: its.given.archive ?? true }),
  "POST /chat/markChatUnread/:instance": async (its) => await change(its, { unread: true }),
  "POST /chat/sendPresence/:instance": async ({ proxy, given: { number, presence } }) => {
    const isOfAll = presence === "available" || presence === "unavailable"
    if (isOfAll) await proxy.ask("POST", "presence", { state: presence })
    else await proxy.ask("POST", "send/typing", { chat: chatOf(number ?? ""), state: presence })
    return { presence }
  },
}
