import { pipeline, Readable } from "node:stream"
import { createInflate } from "node:zlib"
import {
  getHistoryMsg,
  isJidGroup,
  isLidUser,
  jidNormalizedUser,
  processHistoryMessage,
  proto,
  type BaileysEventMap,
} from "@whiskeysockets/baileys"
import { buildMergedTcTokenIndexWrite } from "@whiskeysockets/baileys/lib/Utils/tc-token-utils.js"
import { downloadOwnDevicesFile } from "#session-host/media/own-devices-file.ts"
import type { MediaHost } from "#session-host/network/connection.ts"
import type { FormerChat } from "#session-host/network/happening.ts"
import { historyMessage } from "#session-host/network/message-proto/codec.ts"
import { type Field, fieldsInStream, fieldsOf } from "#session-host/network/protobuf-fields.ts"
import type { Keys } from "../signal/keys.ts"
import { personIn } from "./people.ts"
import { atATime, type RecordPeople } from "./record-people-in-batches.ts"

const { HistorySyncType } = proto.HistorySync

const { ON_DEMAND } = HistorySyncType
const { COMPLETE_AND_NO_MORE_MESSAGE_REMAIN_ON_PRIMARY: noneOlder } =
  proto.Conversation.EndOfHistoryTransferType

/** The parts of a phone's history that bring its contacts' addresses and names, or were asked for. */
const always = new Set<number>([HistorySyncType.INITIAL_BOOTSTRAP, HistorySyncType.PUSH_NAME, ON_DEMAND])
/** Further parts, which are read only if messages are wanted. All other parts are never read. */
const withMessages = new Set<number>([HistorySyncType.RECENT, HistorySyncType.FULL])

/** Numbers of fields of `HistorySync`, and of `Conversation`. */
const fields = { conversations: 2, pushNames: 7, pairs: 15 }
const messagesField = 2
const { conversations } = fields
/** How many messages are taken in at a time: their rows and the chat's own fit into one commit. */
const messagesAtOnce = 80

type Notice = proto.Message.IHistorySyncNotification

interface Following {
  keys: Keys
  isOpen: () => boolean
  /** Where the network keeps files. */
  mediaHost: () => Promise<MediaHost>
  recordPeople: RecordPeople
  /** Whether chats and their messages are wanted. */
  keepsHistory: () => boolean
  /** Resolves when the chat's messages are taken in, before they are durable. */
  recordChat: (chat: FormerChat) => Promise<void>
  onError: (error: unknown) => void
}

/**
 * Reads the history from before the link that the account's phone sends. Baileys itself would inflate and
 * decode it as a whole, with all its messages, and read or write thousands of rows at once.
 */
export function newHistory(following: Following) {
  const { keys, isOpen, mediaHost, recordPeople, keepsHistory, recordChat, onError } = following
  let turn = Promise.resolve()
  const onMessages = ({ messages }: BaileysEventMap["messages.upsert"]) => {
    for (const { key, message } of messages) {
      const notice = message ? getHistoryMsg(message) : undefined
      // A stranger may send such a notice, too.
      const type = notice?.syncType ?? -1
      const isWanted = always.has(type) || (keepsHistory() && withMessages.has(type))
      if (!notice || !key.fromMe || !isWanted) continue
      turn = turn
        .then(() => readHistory(notice))
        .catch((error: unknown) => {
          if (isOpen()) onError(error)
        })
    }
  }

  async function readHistory(notice: Notice): Promise<void> {
    const isAsked = notice.syncType === proto.Message.HistorySyncType.ON_DEMAND
    const tokens: Token[] = []
    let some: Field[] = []
    for await (const field of fieldsInStream(await inflated(notice, mediaHost))) {
      if (!isOpen()) return
      some.push(field)
      if (some.length < atATime) continue
      await record(some)
      some = []
    }
    await record(some)
    await storeTokens(tokens)

    async function record(fields: Field[]): Promise<void> {
      await recordPeople(peopleIn(notice, fields, tokens))
      // The people are recorded first, so that each chat is kept under its number.
      if (keepsHistory() || isAsked)
        for (const { number, bytes } of fields)
          if (number === conversations) await recordChats(bytes, isAsked)
    }
  }

  async function recordChats(bytes: Uint8Array, isAsked: boolean): Promise<void> {
    for (const { isEnd, ...chat } of chatsIn(bytes)) {
      await recordChat({ ...chat, ...(isAsked && { asked: { isEnd } }) })
      // The rows of a chat are notes. This resolves when they are durable, and lets other work have its turn.
      await recordPeople({ people: [], pairs: [] })
    }
  }

  /** Keeps tokens. Without them the network treats messages to these chats as those of a stranger. */
  async function storeTokens(tokens: Token[]): Promise<void> {
    for (let at = 0; at < tokens.length; at += atATime) {
      const some = tokens.slice(at, at + atATime)
      const known = await keys.get(
        "tctoken",
        some.map(({ jid }) => jid),
      )
      const newer = some.filter(({ jid, timestamp }) => !(Number(known[jid]?.timestamp) >= timestamp))
      await keys.set({ tctoken: Object.fromEntries(newer.map((token) => [token.jid, entry(token, known)])) })
    }
    if (tokens.length === 0) return
    const index = await buildMergedTcTokenIndexWrite(
      keys,
      tokens.map(({ jid }) => jid),
    )
    await keys.set({ tctoken: index })
  }

  return onMessages
}

interface Token {
  jid: string
  token: Uint8Array
  /** Unix seconds. */
  timestamp: number
  senderTimestamp: number | undefined
}

function entry({ jid, token, timestamp, senderTimestamp }: Token, known: Record<string, object>) {
  return {
    ...known[jid],
    token: Buffer.from(token),
    timestamp: String(timestamp),
    ...(senderTimestamp !== undefined && { senderTimestamp }),
  }
}

async function inflated(
  notice: Notice,
  mediaHost: () => Promise<MediaHost>,
): Promise<AsyncIterable<Uint8Array>> {
  const { initialHistBootstrapInlinePayload: payload } = notice
  const inflate = createInflate()
  const source = Readable.from(
    payload ? [payload] : downloadOwnDevicesFile(notice, "History", await mediaHost()),
  )
  pipeline(source, inflate, () => {
    // The reader of `inflate` gets the error.
  })
  return inflate
}

/** The people in some fields of a history; their tokens are added to `tokens`. */
function peopleIn(notice: Notice, some: Field[], tokens: Token[]) {
  const isNames = notice.syncType === proto.Message.HistorySyncType.PUSH_NAME
  const of = (wanted: number) => some.filter(({ number }) => number === wanted).map(({ bytes }) => bytes)
  const conversations = of(fields.conversations).map(conversationOf)
  tokens.push(...conversations.flatMap(tokenOf))
  const { contacts, lidPnMappings } = processHistoryMessage({
    syncType: isNames ? HistorySyncType.PUSH_NAME : HistorySyncType.INITIAL_BOOTSTRAP,
    conversations,
    pushnames: of(fields.pushNames).map((bytes) => proto.Pushname.decode(bytes)),
    phoneNumberToLidMappings: of(fields.pairs).map((bytes) => proto.PhoneNumberToLIDMapping.decode(bytes)),
  })
  return { people: contacts.flatMap(personIn), pairs: lidPnMappings }
}

/** A chat with its messages, some at a time: a chat of years must not be decoded in one stretch. */
function* chatsIn(bytes: Uint8Array): Generator<FormerChat & { isEnd: boolean }> {
  const about = conversationOf(bytes)
  const { id, name, unreadCount, archived, pinned, muteEndTime } = about
  if (!id) return
  const endMs = Number(muteEndTime ?? 0)
  const chat = {
    jid: jidNormalizedUser(id),
    name: isJidGroup(id) ? (name ?? "") : "",
    isArchived: archived === true,
    isPinned: (pinned ?? 0) > 0,
    mutedUntil: endMs > 0 ? Math.floor(endMs / 1000) : Math.max(-1, endMs),
    isEnd: about.endOfHistoryTransferType === noneOlder,
  }
  let unread = unreadCount ?? 0
  let messages: FormerChat["messages"] = []
  for (const field of fieldsOf(bytes)) {
    if (field.number !== messagesField) continue
    const { message } = historyMessage.decode(field.bytes)
    if (message) messages.push(message)
    if (messages.length < messagesAtOnce) continue
    yield { ...chat, unread, messages }
    unread = 0
    messages = []
  }
  yield { ...chat, unread, messages }
}

/**
 * Decodes a chat without its messages. They are decoded, too, only if nothing else says which number its LID
 * belongs to.
 */
function conversationOf(bytes: Uint8Array): proto.IConversation {
  const about = [...fieldsOf(bytes)].filter(({ number }) => number !== messagesField)
  const chat = proto.Conversation.decode(Buffer.concat(about.map(({ whole }) => whole)))
  return isLidUser(chat.id) && !chat.pnJid ? proto.Conversation.decode(bytes) : chat
}

function tokenOf({
  id,
  lidJid,
  tcToken,
  tcTokenTimestamp,
  tcTokenSenderTimestamp,
}: proto.IConversation): Token[] {
  const timestamp = Number(tcTokenTimestamp ?? 0)
  if (!id || !tcToken?.length || timestamp === 0) return []
  const jid = jidNormalizedUser(isLidUser(id) ? id : (lidJid ?? id))
  const senderTimestamp = tcTokenSenderTimestamp ? Number(tcTokenSenderTimestamp) : undefined
  return [{ jid, token: tcToken, timestamp, senderTimestamp }]
}
