import { deflateSync } from "node:zlib"
import { proto } from "@whiskeysockets/baileys"
import { now } from "../clock.ts"
import { inMode } from "../network/addressing.ts"
import { type DeviceAddress, deviceName } from "../network/directory.ts"
import { contactsOf } from "../network/notify.ts"
import { sealAndUpload } from "./content/media.ts"
import type { Handset } from "./handset.ts"
import type { Message } from "./messages.ts"
import { namesOf } from "./settings/address-book.ts"

const { Type } = proto.Message.ProtocolMessage

/**
 * How many messages of each chat a new companion gets at once, how many soon after, and how many of one chat
 * when it asks.
 */
const limits = { first: 20, later: 100, onDemand: 50 }

/** How many chats a file holds. */
const chatsOfFile = 1000

type Kind = keyof typeof proto.Message.HistorySyncType & keyof typeof proto.HistorySync.HistorySyncType

/** The history before a companion came: chats with their last messages, names, then all the rest. */
export async function history(handset: Handset, companion: DeviceAddress): Promise<proto.IMessage[]> {
  const all = handset.inbox.after(0)
  const saved = await namesOf(handset)
  const conversations = conversationsOf(handset, all, { limit: limits.first, saved })
  const rest = all.length > conversations.reduce((sum, { messages }) => sum + (messages?.length ?? 0), 0)
  const known = contactsOf(handset.network, handset.own.user).flatMap(
    (pn) => handset.network.directory.user(pn) ?? [],
  )
  const numbered = known.filter(({ pn }) => handset.network.profiles.usernameOf(pn) === undefined)
  const files = hasFiles(handset, companion)
  const first = notices(handset, files, "INITIAL_BOOTSTRAP", conversations, {
    // Chats are by private id from now on. A client that gets no such time addresses them by number.
    globalSettings: { chatDbLidMigrationTimestamp: now() },
    phoneNumberToLidMappings: numbered.map((user) => ({
      pnJid: inMode("pn", user),
      lidJid: inMode("lid", user),
    })),
  })
  const names = inline("PUSH_NAME", {
    conversations: [],
    pushnames: known.map((user) => ({
      id: inMode(numbered.includes(user) ? "pn" : "lid", user),
      pushname: user.name,
    })),
  })
  if (!rest) return [...first, names]
  return [
    ...first,
    names,
    ...notices(handset, files, "RECENT", conversationsOf(handset, all, { limit: limits.later, saved })),
  ]
}

/** The answer to a companion's question: messages of a chat before one that it has. */
export async function olderMessages(
  handset: Handset,
  companion: DeviceAddress,
  asked: proto.Message.PeerDataOperationRequestMessage.IHistorySyncOnDemandRequest,
): Promise<proto.IMessage[]> {
  const all = handset.inbox.after(0)
  const oldest = all.find(({ id }) => id === asked.oldestMsgId)
  if (!oldest) return []
  const before = all.filter(({ n, chat }) => chat === oldest.chat && n < oldest.n)
  const limit = Math.min(asked.onDemandMsgCount ?? limits.onDemand, limits.onDemand)
  const saved = await namesOf(handset)
  // Without a message the chat is told all the same.
  const [chat = { id: asked.chatJid ?? "", messages: [] }] = conversationsOf(handset, before, {
    limit,
    saved,
  })
  const { EndOfHistoryTransferType: end } = proto.Conversation
  const endOfHistoryTransferType =
    before.length > limit
      ? end.COMPLETE_BUT_MORE_MESSAGES_REMAIN_ON_PRIMARY
      : end.COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY
  const conversations = [{ ...chat, endOfHistoryTransferType }]
  return notices(handset, hasFiles(handset, companion), "ON_DEMAND", conversations)
}

/**
 * Chats with their messages, newest first, as histories have them. People go by the name that the address
 * book has for them, if any.
 */
function conversationsOf(
  handset: Handset,
  messages: Message[],
  { limit, saved }: { limit: number; saved: Map<string, string> },
): proto.IConversation[] {
  const chats = Map.groupBy(messages, ({ chat }) => chat)
  return [...chats].map(([chat, list]) => {
    const user = handset.network.directory.user(chat)
    const id = user ? inMode("lid", user) : chat
    const username = user && handset.network.profiles.usernameOf(user.pn)
    const newest = list.toSorted((a, b) => b.n - a.n).slice(0, limit)
    return {
      id,
      ...(user && {
        name: saved.get(user.pn) ?? null,
        lidJid: inMode("lid", user),
        ...(username === undefined ? { pnJid: inMode("pn", user) } : { username }),
      }),
      conversationTimestamp: newest[0]?.timestamp,
      messages: newest.map((message) => ({
        message: asWebMessage(handset, id, message),
        msgOrderId: message.n,
      })),
    }
  })
}

/** A message in the form in which phones keep it. */
export function asWebMessage(handset: Handset, remoteJid: string, message: Message): proto.IWebMessageInfo {
  const author = handset.network.directory.user(message.from)
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

/** Whether this companion gets long histories as files, as it would on the live network. */
function hasFiles(handset: Handset, companion: DeviceAddress): boolean {
  return handset.network.faults.strike("files", deviceName(companion)) !== undefined
}

/** A history within one message, or as files of `chatsOfFile` chats each. `more` goes with the first. */
function notices(
  handset: Handset,
  files: boolean,
  kind: Kind,
  conversations: proto.IConversation[],
  more: Omit<proto.IHistorySync, "syncType" | "conversations"> = {},
): proto.IMessage[] {
  if (!files) return [inline(kind, { ...more, conversations })]
  const parts = Array.from({ length: Math.max(1, Math.ceil(conversations.length / chatsOfFile)) }, (_, i) =>
    conversations.slice(i * chatsOfFile, (i + 1) * chatsOfFile),
  )
  return parts.map((part, i) => {
    const chunkOrder = i + 1
    const progress = Math.floor((100 * chunkOrder) / parts.length)
    const content = { ...(i === 0 && more), conversations: part, chunkOrder, progress }
    const file = sealAndUpload(handset.network, "md-msg-hist", "History", packed(kind, content))
    return notice(kind, { ...file, chunkOrder, progress })
  })
}

function inline(kind: Kind, content: Omit<proto.IHistorySync, "syncType">): proto.IMessage {
  return notice(kind, { initialHistBootstrapInlinePayload: packed(kind, content) })
}

function packed(kind: Kind, content: Omit<proto.IHistorySync, "syncType">): Buffer {
  const syncType = proto.HistorySync.HistorySyncType[kind]
  return deflateSync(proto.HistorySync.encode({ progress: 100, ...content, syncType }).finish())
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
