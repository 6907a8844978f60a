import {
  type BinaryNode,
  extractE2ESessionFromRetryReceipt,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WASocket,
} from "@whiskeysockets/baileys"
import { isGroup, isLid, statusChat, userOf, withoutDevice } from "#core/message/jid.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Outgoing } from "../../network/connection.ts"
import type { Keys } from "../signal/keys.ts"
import { withoutSenderKey } from "../signal/undo-deletions.ts"
import type { GroupCache } from "./group-cache.ts"
import { findGroup } from "./recipient-devices.ts"
import type { SendAgain, SendStatusAgain } from "./transmit.ts"

/** What is needed to send a message again. */
export interface ResendInput {
  sock: Pick<WASocket, "query" | "signalRepository" | "assertSessions">
  groups: GroupCache
  sendStatusAgain: SendStatusAgain
  sendAgain: SendAgain
  onError: (error: unknown) => void
}

/** A sent message that a recipient's device asks for again. */
type Asked = Pick<Outgoing, "chat" | "message" | "members">

/**
 * How many messages are sent again in a chat at once, and then each minute: more of them lock the account
 * (whatsapp-rust 871).
 */
const most = { atOnce: 20, aMinute: 10 }

/** How often one message is sent again to one device, and for how many devices that is counted. */
const mostTimes = { toOne: 5, counted: 2000 }

/**
 * Whether the one message that a receipt asks for again went to the asker (WhatsApp Web, `isRetryEligible`).
 * A person who has left the group since then does not get it: it would bring them our present sender key.
 */
export async function wentToAsker(
  { sock, groups, onError }: ResendInput,
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
  const group = await findGroup({ groups, sock: () => sock }, from).catch(onError)
  return group ? asking.some((user) => group.members.has(user)) : false
}

/**
 * Sends a message again to the device that asks for it, under another session; a status to all devices of its
 * viewer. Baileys would send a status to our own devices alone, or as if it were no status.
 */
export async function sendAgain(
  { sock, ...input }: ResendInput,
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
  if (from === statusChat) return await input.sendStatusAgain({ ...message, messageId }, withoutDevice(jid))
  const count = /^[1-9]$/.test(retry.attrs.count ?? "") ? Number(retry.attrs.count) : 1
  await input.sendAgain({ ...message, messageId }, { jid, count, ...chat })
}

/** The user parts of a person's addresses. */
async function addressesOf(jid: string, { lidMapping }: WASocket["signalRepository"]): Promise<string[]> {
  const plain = withoutDevice(jid)
  const other = await (isLid(plain) ? lidMapping.getPNForLID(plain) : lidMapping.getLIDForPN(plain))
  return [plain, ...(other ? [other] : [])].map(userOf)
}

/**
 * Makes the next message bring our sender key again to the group's member who asks, whether or not they get
 * this message again.
 */
export async function giveKeyAgain(
  keys: Pick<Keys, "get" | "set">,
  { from = "", participant }: BinaryNode["attrs"],
): Promise<void> {
  if (!isGroup(from) || !participant) return
  const { [from]: holders } = await keys.get("sender-key-memory", [from])
  if (!holders?.[participant]) return
  await keys.set({ "sender-key-memory": { [from]: withoutSenderKey(holders, [participant]) } })
}

/** Whether the message that a receipt asks for may be sent again now. */
export type Allowance = (receipt: BinaryNode["attrs"]) => boolean

/**
 * Counts messages that are sent again: those in a chat by the minute, and those of one message to one device.
 */
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
