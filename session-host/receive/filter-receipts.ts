import {
  areJidsSameUser,
  type AuthenticationCreds,
  type BinaryNode,
  buildAckStanza,
  extractE2ESessionFromRetryReceipt,
  getAllBinaryNodeChildren,
  getBinaryNodeChildren,
  type WASocket,
} from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"
import { isGroup, isLid, statusChat, userOf, withoutDevice } from "#core/jid.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { Keys } from "../baileys/signal/keys.ts"
import { anew } from "../baileys/signal/remembered.ts"
import type { Instead } from "../baileys/tap.ts"
import type { Guarded } from "../baileys/lifetime.ts"
import { toStanza } from "../baileys/stanza.ts"
import type { Intake, Vault } from "../network/connection.ts"
import { groupOf } from "../send/devices.ts"
import type { Groups } from "../send/groups.ts"
import type { ShowAgain } from "../send/transmit.ts"
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
  onError: (error: unknown) => void
}

/** How many messages are sent again in a chat at once, and then each minute: more of them lock the account (whatsapp-rust 871). */
const most = { atOnce: 20, aMinute: 10 }

/**
 * Acknowledges receipts that Baileys 7.0.0-rc14 should not see. At one that names no sender it throws before it has
 * acknowledged it, so that it would come again with each connection. For one that asks for a message again it asks the
 * network for its sender's keys first, even if there never was such a message: strangers could make it ask for ever. And it
 * would send again whatever is asked for, to whoever knows its id, and to everybody in a group if a phone asks.
 *
 * Baileys acknowledges a receipt when it is given it, and the ack waits at the gate for everything that was made before. So what a
 * receipt says of a sent message is made first.
 */
export function filterReceipts(input: Input): Instead {
  const { sock, creds, keys, onError } = input
  const isAllowed = newAllowance()
  /** Messages of Baileys' own, to our phone, are in no vault. */
  const isOurs = ({ from, participant }: BinaryNode["attrs"]) =>
    [creds.me?.id, creds.me?.lid].some((own) => areJidsSameUser(participant ?? from, own))
  const isAnswered = async (node: BinaryNode) => {
    if (node.attrs.type !== "retry" || isOurs(node.attrs)) return true
    if (!(await wentTo(input, node))) return false
    if (isAllowed(node.attrs.from!)) return true
    Metrics.add("ResendsHeldBack")
    return false
  }
  return async (node, pass) => {
    await takeIn(input, node, (jid) => isOurs({ from: jid }))
    if (node.attrs.from && (await isAnswered(node))) {
      if (node.attrs.type !== "retry" || node.attrs.from !== statusChat) return await pass(node)
      await showAgain(input, node).catch(onError)
    } else if (node.attrs.type === "retry") await giveKeyAgain(keys, node.attrs).catch(onError)
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
async function wentTo({ sock, groups, sent, onError }: Input, { attrs, content }: BinaryNode) {
  const { from = "", participant = "", id } = attrs
  const [first] = getAllBinaryNodeChildren({ tag: "receipt", attrs, content })
  const message = id ? await sent(id) : undefined
  // Baileys takes further ids from the first child. No client is known to ask for several messages at once.
  if (!message || getBinaryNodeChildren(first, "item").length > 0) return false
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
 * Sends a status again to the viewer who asks for it, under another session. Baileys would send it to our own devices alone, or
 * as if it were no status.
 */
async function showAgain({ sock, sent, ...input }: Input, node: BinaryNode): Promise<void> {
  const { id = "", participant = "" } = node.attrs
  const status = await sent(id)
  const session = extractE2ESessionFromRetryReceipt(node)
  if (session) await sock.signalRepository.injectE2ESession({ jid: participant, session })
  else await sock.assertSessions([participant], true)
  if (status) await input.showAgain({ messageId: id, message: status.message }, withoutDevice(participant))
}

/** The user parts of somebody's addresses. */
async function addressesOf(jid: string, { lidMapping }: WASocket["signalRepository"]): Promise<string[]> {
  const plain = withoutDevice(jid)
  const other = await (isLid(plain) ? lidMapping.getPNForLID(plain) : lidMapping.getLIDForPN(plain))
  return [plain, ...(other ? [other] : [])].map(userOf)
}

/** A group's member does not get the message again, so the next one brings them our sender key anew. */
async function giveKeyAgain(keys: Input["keys"], { from = "", participant }: BinaryNode["attrs"]) {
  if (!isGroup(from) || !participant) return
  const { [from]: holders } = await keys.get("sender-key-memory", [from])
  if (!holders?.[participant]) return
  await keys.set({ "sender-key-memory": { [from]: anew(holders, [participant]) } })
}

/** Whether one more message may be sent again in a chat now. */
function newAllowance(): (chat: string) => boolean {
  const left = new LRUCache<string, { count: number; atMs: number }>({ max: 1000 })
  return (chat) => {
    const atMs = performance.now()
    const before = left.get(chat) ?? { count: most.atOnce, atMs }
    const gained = ((atMs - before.atMs) / 60_000) * most.aMinute
    const count = Math.min(most.atOnce, before.count + gained)
    left.set(chat, { count: count >= 1 ? count - 1 : count, atMs })
    return count >= 1
  }
}
