import { ApiError } from "#core/error.ts"
import { isGroup, isLid, toJid } from "#core/message/jid.ts"
import type { MessageKey } from "../content/compose.ts"
import { chatOf, type Remembered } from "../content/remembered.ts"
import { askForGroupCard } from "../groups/group-card.ts"
import { isAdmin, ownRole } from "../groups/group.ts"
import { notInGroup } from "../groups/refusals.ts"
import type { Recalled } from "../memory/messages/messages.ts"
import type { ConnectedSession } from "../session/connected-session.ts"
import type { Session } from "../session/session.ts"

/**
 * The message that a call is about. Senders choose ids, so one id may belong to several messages; the chat
 * then says which one is meant.
 */
interface Asked {
  id: string
  chat?: string | undefined
}

/** The messages that may be meant, ours first. @throws ApiError `not_found` */
export async function findMessages(
  connected: ConnectedSession,
  asked: Asked,
): Promise<[Recalled, ...Recalled[]]> {
  const all = (await connected.messages(asked.id)).filter(isReachable)
  const wanted = asked.chat === undefined ? undefined : await connected.named(toJid(asked.chat))
  const names = wanted === undefined ? undefined : await connected.namesOf(wanted)
  const [first, ...more] = all.filter((message) => names === undefined || names.has(chatOf(message)))
  if (first) return [first, ...more]
  const where = wanted === undefined ? "" : " in this chat"
  throw new ApiError("not_found", `there is no such message${where}: messages are remembered for 30 days`)
}

/**
 * Whether the message is in a chat of the account that is linked now. What a formerly linked account wrote to
 * people is not.
 */
function isReachable({ isFormer, chat }: Recalled): boolean {
  return !isFormer || isGroup(chat)
}

/** The message that is meant, if it was not revoked. @throws ApiError `not_found`, `message_revoked` */
export async function findStanding(connected: ConnectedSession, asked: Asked): Promise<Recalled> {
  const [message] = await findMessages(connected, asked)
  return unlessRevoked(message)
}

/**
 * A message that the session's own account wrote.
 * @throws ApiError `not_found`, `not_own_message`, `message_revoked`
 */
export async function findOwnMessage(connected: ConnectedSession, asked: Asked): Promise<Recalled> {
  const message = await findPresent(connected, asked)
  if (message.fromMe) return unlessRevoked(message)
  throw new ApiError("not_own_message")
}

function unlessRevoked(message: Recalled): Recalled {
  if (message.edit === "revoke") throw new ApiError("message_revoked")
  return message
}

/**
 * A message that the session's account may revoke: its own, or a member's in a group of which it is an admin.
 * It may be revoked already: phones ignore a second revocation, and may have missed the first.
 * @throws ApiError `not_found`, `not_own_message`. NetworkRejected, NoAnswer
 */
export async function findRevocable(connected: ConnectedSession, asked: Asked): Promise<Recalled> {
  const message = await findPresent(connected, asked)
  if (message.fromMe) return message
  if (!isGroup(message.chat)) throw new ApiError("not_own_message")
  const card = await askForGroupCard(connected.connection, message.chat)
  if (!card) throw notInGroup()
  if (isAdmin(ownRole(card, connected.own))) return message
  throw new ApiError("not_own_message")
}

/** @throws ApiError `not_found`; `not_own_message` for what another account wrote that was linked before */
async function findPresent(connected: ConnectedSession, asked: Asked): Promise<Recalled> {
  const all = await connected.messages(asked.id)
  if (all.length > 0 && all.every(({ isFormer }) => isFormer)) throw new ApiError("not_own_message")
  const [message] = await findMessages(connected, asked)
  return message
}

/**
 * Tells the author of a received message that it was read, and counts its chat as read.
 * @throws ApiError `not_found`
 */
export async function markRead(
  session: Pick<Session, "memory">,
  connected: ConnectedSession,
  asked: Asked,
): Promise<void> {
  const found = await findMessages(connected, asked)
  // Messages of our own need no receipt.
  const received = found.find(({ fromMe }) => !fromMe)
  if (!received) return
  await connected.connection.markRead(keyOf(received))
  await (await session.memory()).chats.read(chatOf(received))
}

/** The key by which a message is named to others. */
export function keyOf({ id, chat, sender, fromMe }: Remembered): MessageKey {
  const isMany = isGroup(chat) || chat.endsWith("@broadcast")
  return { id, remoteJid: chat, fromMe, ...(isMany && !fromMe && { participant: sender }) }
}

/** The author, as a quote in this chat names them. */
export function authorOf({ sender, fromMe, chat }: Remembered, { own }: ConnectedSession): string {
  if (!fromMe) return sender
  return isLid(chat) && own.lid ? own.lid : own.jid
}
