import { deflateSync } from "node:zlib"
import { proto } from "@whiskeysockets/baileys"
import { inMode } from "../network/addressing.ts"
import { type Address, key } from "../network/directory.ts"
import { now } from "../network/network.ts"
import { contactsOf } from "../network/notify.ts"
import type { Desk } from "./desk.ts"
import type { Message } from "./inbox.ts"
import { seal } from "./media.ts"

const { Type } = proto.Message.ProtocolMessage

/** How many messages of each chat a new companion is told at once, and how many soon after. */
const told = { first: 20, later: 100 }

type Kind = keyof typeof proto.Message.HistorySyncType & keyof typeof proto.HistorySync.HistorySyncType

/** What was before a companion came: its chats with their last messages, names, then all the rest. */
export function history(desk: Desk, companion: Address): proto.IMessage[] {
  const all = desk.inbox.after(0)
  const conversations = conversationsOf(desk, all, told.first)
  const rest = all.length > conversations.reduce((sum, { messages }) => sum + (messages?.length ?? 0), 0)
  const known = contactsOf(desk.network, desk.own.user).flatMap((pn) => desk.network.directory.user(pn) ?? [])
  const first = inline("INITIAL_BOOTSTRAP", {
    conversations,
    // Chats are by private id from here on: clients that see no such time address them by number.
    globalSettings: { chatDbLidMigrationTimestamp: now() },
    phoneNumberToLidMappings: known.map((user) => ({
      pnJid: inMode("pn", user),
      lidJid: inMode("lid", user),
    })),
  })
  const names = inline("PUSH_NAME", {
    conversations: [],
    pushnames: known.map((user) => ({ id: inMode("pn", user), pushname: user.name })),
  })
  if (!rest) return [first, names]
  return [first, names, long(desk, companion, "RECENT", conversationsOf(desk, all, told.later))]
}

/** What a companion asked for: messages of a chat before one it has. */
export function older(
  desk: Desk,
  companion: Address,
  asked: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
) {
  const all = desk.inbox.after(0)
  const oldest = all.find(({ id }) => id === asked.oldestMsgId)
  const before = all.filter(({ n, chat }) => oldest && chat === oldest.chat && n < oldest.n)
  return long(desk, companion, "ON_DEMAND", conversationsOf(desk, before, asked.onDemandMsgCount ?? 50))
}

/** Newest first, as histories are told. */
function conversationsOf(desk: Desk, messages: Message[], limit: number): proto.IConversation[] {
  const chats = Map.groupBy(messages, ({ chat }) => chat)
  return [...chats].map(([chat, list]) => {
    const user = desk.network.directory.user(chat)
    const id = user ? inMode("lid", user) : chat
    const newest = list.toSorted((a, b) => b.n - a.n).slice(0, limit)
    return {
      id,
      ...(user && { name: user.name, lidJid: inMode("lid", user), pnJid: inMode("pn", user) }),
      conversationTimestamp: newest[0]?.timestamp,
      messages: newest.map((message) => ({
        message: asWebMessage(desk, id, message),
        msgOrderId: message.n,
      })),
    }
  })
}

/** A message in the form in which phones keep it. */
export function asWebMessage(desk: Desk, remoteJid: string, message: Message): proto.IWebMessageInfo {
  const author = desk.network.directory.user(message.from)
  const group = remoteJid.endsWith("@g.us")
  const participant = group && author && !message.from_me ? inMode("lid", author) : undefined
  return {
    key: { remoteJid, fromMe: message.from_me, id: message.id, participant },
    message: proto.Message.fromObject(message.content as object),
    messageTimestamp: message.timestamp,
    participant,
    pushName: author?.name,
    status: proto.WebMessageInfo.Status.DELIVERY_ACK,
  }
}

function inline(kind: Kind, content: Omit<proto.IHistorySync, "syncType">): proto.IMessage {
  return notice(kind, { initialHistBootstrapInlinePayload: packed(kind, content) })
}

/** As a file for companions that are to get files, else within the message. */
function long(
  desk: Desk,
  companion: Address,
  kind: Kind,
  conversations: proto.IConversation[],
): proto.IMessage {
  if (!desk.network.faults.strike("files", key(companion))) return inline(kind, { conversations })
  return notice(kind, seal(desk.network, "md-msg-hist", "History", packed(kind, { conversations })))
}

function packed(kind: Kind, content: Omit<proto.IHistorySync, "syncType">): Buffer {
  const syncType = proto.HistorySync.HistorySyncType[kind]
  return deflateSync(proto.HistorySync.encode({ ...content, syncType, progress: 100 }).finish())
}

function notice(kind: Kind, where: proto.Message.IHistorySyncNotification): proto.IMessage {
  const syncType = proto.Message.HistorySyncType[kind]
  return {
    protocolMessage: {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: { syncType, chunkOrder: 1, progress: 100, ...where },
    },
  }
}
