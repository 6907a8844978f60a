import {
  areJidsSameUser,
  type AuthenticationCreds,
  type BinaryNode,
  buildAckStanza,
  type WASocket,
} from "@whiskeysockets/baileys"
import { Metrics } from "#core/platform/metrics.ts"
import type { Intake, Vault } from "../../network/connection.ts"
import type { Guarded } from "../lifetime.ts"
import type { Interceptor } from "../listeners.ts"
import { type Allowance, giveKeyAgain, type ResendInput, sendAgain, wentToAsker } from "../send/send-again.ts"
import type { Keys } from "../signal/keys.ts"
import { toStanza } from "../stanza.ts"
import type { UnsettledStanzas } from "./read-in-order.ts"
import { chatReadIn, receiptsIn } from "./receipts.ts"

interface Input extends ResendInput {
  intake: Pick<Intake, "followsReceipts" | "recordReceipts" | "keepsChats" | "recordRead">
  guarded: Guarded
  unsettled: Pick<UnsettledStanzas, "afterThose">
  sock: ResendInput["sock"] & Pick<WASocket, "sendNode">
  creds: Pick<AuthenticationCreds, "me">
  keys: Pick<Keys, "get" | "set">
  sent: Vault["sent"]
  /** This counts over all connections, since a storm of receipts may end a connection. */
  mayResend: Allowance
}

/**
 * Acknowledges receipts that Baileys 7.0.0-rc14 should not see. At a receipt that names no sender, Baileys
 * throws before it has acknowledged the receipt, so the receipt would come again with each connection. At a
 * receipt that asks for a message again, Baileys first asks the network for the sender's keys, even if there
 * never was such a message: strangers could make it ask for ever. Then it would send any message again to a
 * device that knows its id, and to all devices of the chat if a phone asks. Here only the device that asks
 * gets the message again, as from whatsmeow (`retry.go`).
 *
 * Baileys acknowledges a receipt as soon as it gets it, and the ack waits at the gate for all changes that
 * were made before. So the changes that a receipt makes to a sent message are made first.
 */
export function filterReceipts(input: Input): Interceptor {
  const { sock, creds, keys, sent, mayResend, onError } = input
  /** Messages that Baileys itself sends to our phone are in no vault. */
  const isOurs = ({ from, participant }: BinaryNode["attrs"]) =>
    [creds.me?.id, creds.me?.lid].some((own) => areJidsSameUser(participant ?? from, own))
  /** Sends the message that is asked for again, if it may. @returns whether Baileys has to answer */
  const answer = async (node: BinaryNode) => {
    const { from, id } = node.attrs
    const message = from && id ? await sent(id) : undefined
    const ofOurs = isOurs(node.attrs)
    if (from && !message && ofOurs) return true
    if (message && (ofOurs || (await wentToAsker(input, node, message)))) {
      if (mayResend(node.attrs)) await sendAgain(input, node, message, ofOurs)
      else Metrics.add("ResendsHeldBack")
    }
    await giveKeyAgain(keys, node.attrs)
    return false
  }
  return async (node, pass) => {
    await recordReceipt(input, node, (jid) => isOurs({ from: jid }))
    const isPassed = node.attrs.type === "retry" ? await answer(node).catch(onError) : node.attrs.from
    if (isPassed) return await pass(node)
    return await sock.sendNode(buildAckStanza(node)).catch(onError)
  }
}

/**
 * Takes in what the receipt says of sent messages, or of a chat that we have read, after the messages that
 * arrived before it.
 */
async function recordReceipt(
  { intake, guarded, unsettled }: Input,
  node: BinaryNode,
  isOurs: (jid: string) => boolean,
): Promise<void> {
  const receipts = intake.followsReceipts ? receiptsIn(toStanza(node)) : []
  const chat = intake.keepsChats ? chatReadIn(toStanza(node), isOurs) : undefined
  if (receipts.length === 0 && chat === undefined) return
  await new Promise<void>((onTurn) => unsettled.afterThose(node, onTurn))
  if (receipts.length > 0) await guarded(() => intake.recordReceipts(receipts))
  if (chat !== undefined) await guarded(() => intake.recordRead(chat))
}
