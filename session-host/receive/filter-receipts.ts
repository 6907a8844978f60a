import {
  areJidsSameUser,
  type AuthenticationCreds,
  type BinaryNode,
  buildAckStanza,
  extractE2ESessionFromRetryReceipt,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WASocket,
} from "@whiskeysockets/baileys"
import { isGroup, isLid, statusChat, userOf, withoutDevice } from "#core/jid.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Keys } from "../baileys/signal/keys.ts"
import { anew } from "../baileys/signal/remembered.ts"
import type { Instead } from "../baileys/tap.ts"
import type { Guarded } from "../baileys/lifetime.ts"
import { toStanza } from "../baileys/stanza.ts"
import type { Intake, Outgoing, Vault } from "../network/connection.ts"
import { groupOf } from "../send/devices.ts"
import type { Groups } from "../send/groups.ts"
import type { SendAgain, ShowAgain } from "../send/transmit.ts"
import { chatReadIn, receiptsIn } from "./map/receipt.ts"
import type { UnsettledStanzas } from "./order.ts"

interface Input {
  intake: Pick<Intake, "followsReceipts" | "takeReceipts" | "keepsChats" | "takeRead">
  guarded: Guarded
  unsettled: Pick<UnsettledStanzas, "afterThose">
  sock: Pick<WASocket, "sendNode" | "query" | "signalRepository" | "assertSessions">
  creds: Pick<AuthenticationCreds, "me">
  keys: Pick<Keys, "get" | "set">
  groups: Groups
  sent: Vault["sent"]
  showAgain: ShowAgain
  sendAgain: SendAgain
  /** Over all connections: a storm may end one. */
  mayResend: Allowance
  onError: (error: unknown) => void
}

/** A sent message that somebody asks for once more. */
type Asked = Pick<Outgoing, "chat" | "message" | "members">

/** How many messages are sent again in a chat at once, and then each minute: more of them lock the account (whatsapp-rust 871). */
const most = { atOnce: 20, aMinute: 10 }

/** How often one message is sent again to one device, and for how many devices that is counted. */
const mostTimes = { toOne: 5, counted: 2000 }

/**
 * Acknowledges receipts that Baileys 7.0.0-rc14 should not see. At one that names no sender it throws before it has
 * acknowledged it, so that it would come again with each connection. For one that asks for a message again it asks the
 * network for its sender's keys first, even if there never was such a message: strangers could make it ask for ever. It
 * would send again whatever is asked for, to whoever knows its id, and to all devices of the chat if a phone asks. Here only the
 * device that asks gets the message again, as from whatsmeow (`retry.go`).
 *
 * Baileys acknowledges a receipt when it is given it, and the ack waits at the gate for everything that was made before. So what a
 * receipt says of a sent message is made first.
 */
export function filterReceipts(input: Input): Instead {
  const { sock, creds, keys, sent, mayResend, onError } = input
  /** Messages of Baileys' own, to our phone, are in no vault. */
  const isOurs = ({ from, participant }: BinaryNode["attrs"]) =>
    [creds.me?.id, creds.me?.lid].some((own) => areJidsSameUser(participant ?? from, own))
  /** Sends the message again that is asked for, if it is. @returns whether Baileys has to answer */
  const answer = async (node: BinaryNode) => {
    const { from, id } = node.attrs
    const message = from && id ? await sent(id) : undefined
    const ofOurs = isOurs(node.attrs)
    if (from && !message && ofOurs) return true
    if (message && (ofOurs || (await wentTo(input, node, message)))) {
      if (mayResend(node.attrs)) await sendAgain(input, node, message, ofOurs)
      else Metrics.add("ResendsHeldBack")
    }
    await giveKeyAgain(keys, node.attrs)
    return false
  }
  return async (node, pass) => {
    await takeIn(input, node, (jid) => isOurs({ from: jid }))
    const isPassed = node.attrs.type === "retry" ? await answer(node).catch(onError) : node.attrs.from
    if (isPassed) return await pass(node)
    return await sock.sendNode(buildAckStanza(node)).catch(onError)
  }
}

/** Takes in what the receipt says of sent messages, or of a chat that we have read, after the messages that arrived before it. */
async function takeIn(
  { intake, guarded, unsettled }: Input,
  node: BinaryNode,
  isOurs: (jid: string) => boolean,
): Promise<void> {
  const receipts = intake.followsReceipts ? receiptsIn(toStanza(node)) : []
  const chat = intake.keepsChats ? chatReadIn(toStanza(node), isOurs) : undefined
  if (receipts.length === 0 && chat === undefined) return
  await new Promise<void>((onTurn) => unsettled.afterThose(node, onTurn))
  if (receipts.length > 0) await guarded(() => intake.takeReceipts(receipts))
  if (chat !== undefined) await guarded(() => intake.takeRead(chat))
}

/**
 * Whether the one message that a receipt asks for again went to who asks (WhatsApp Web, `isRetryEligible`). Who has left a group
 * since is not sent it: with it they would be given our present sender key.
 */
async function wentTo(
  { sock, groups, onError }: Input,
  { attrs, content }: BinaryNode,
  message: Asked,
): Promise<boolean> {
  const { from = "", participant = "" } = attrs
  const [first] = getAllBinaryNodeChildren({ tag: "receipt", attrs, content })
  // Baileys takes further ids from the first child. No client is known to ask for several messages at once.
  if (getBinaryNodeChildren(first, "item").length > 0) return false
  const usersOf = async (jid: string) => await addressesOf(jid, sock.signalRepository)
  const asking = await usersOf(isGroup(from) || from === statusChat ? participant : from)
  if (from === statusChat)
    return message.chat === from && !!message.members?.some((one) => asking.includes(userOf(one)))
  if (!isGroup(from)) return (await usersOf(message.chat)).some((user) => asking.includes(user))
  if (message.chat !== from) return false
  const group = await groupOf({ groups, sock: () => sock }, from).catch(onError)
  return group ? asking.some((user) => group.members.has(user)) : false
}

/**
 * Sends a message again to the device that asks for it, under another session; a status to all devices of its viewer. Baileys
 * would send a status to our own devices alone, or as if it were none.
 */
async function sendAgain(
  { sock, ...input }: Input,
  node: BinaryNode,
  message: Asked,
  isOurs: boolean,
): Promise<void> {
  const { id: messageId = "", from = "", participant: jid = from, recipient } = node.attrs
  // Only a device of our own names the chat.
  const chat = isOurs && { recipient }
  const retry = getBinaryNodeChild(node, "retry")
  if (!retry) return
  const session = extractE2ESessionFromRetryReceipt(node)
  if (session) await sock.signalRepository.injectE2ESession({ jid, session })
  else await sock.assertSessions([jid], true)
  if (from === statusChat) return await input.showAgain({ ...message, messageId }, withoutDevice(jid))
  const count = /^[1-9]$/.test(retry.attrs.count ?? "") ? Number(retry.attrs.count) : 1
  await input.sendAgain({ ...message, messageId }, { jid, count, ...chat })
}

/** The user parts of somebody's addresses. */
async function addressesOf(jid: string, { lidMapping }: WASocket["signalRepository"]): Promise<string[]> {
  const plain = withoutDevice(jid)
  const other = await (isLid(plain) ? lidMapping.getPNForLID(plain) : lidMapping.getLIDForPN(plain))
  return [plain, ...(other ? [other] : [])].map(userOf)
}

/** Whether a group's member gets the message again or not, the next one brings them our sender key anew. */
async function giveKeyAgain(keys: Input["keys"], { from = "", participant }: BinaryNode["attrs"]) {
  if (!isGroup(from) || !participant) return
  const { [from]: holders } = await keys.get("sender-key-memory", [from])
  if (!holders?.[participant]) return
  await keys.set({ "sender-key-memory": { [from]: anew(holders, [participant]) } })
}

/** Whether the message that a receipt asks for may be sent again now. */
export type Allowance = (receipt: BinaryNode["attrs"]) => boolean

/** Counts what is sent again: in a chat by the minute, and of one message to one device. */
export function newAllowance(): Allowance {
  const left = boundedCache<{ count: number; atMs: number }>(1000)
  const times = boundedCache<number>(mostTimes.counted)
  return ({ id, from: chat = "", participant }) => {
    const asked = `${id} ${participant ?? chat}`
    const before = times.get(asked) ?? 0
    if (before >= mostTimes.toOne) return false
    times.set(asked, before + 1)
    return isInTime(chat)
  }
  function isInTime(chat: string): boolean {
    const atMs = performance.now()
    const before = left.get(chat) ?? { count: most.atOnce, atMs }
    const gained = ((atMs - before.atMs) / 60_000) * most.aMinute
    const count = Math.min(most.atOnce, before.count + gained)
    left.set(chat, { count: count >= 1 ? count - 1 : count, atMs })
    return count >= 1
  }
}
