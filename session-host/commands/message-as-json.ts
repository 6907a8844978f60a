import type { z } from "@hono/zod-openapi"
import { networkRejectedSentence } from "#contract/error-codes.ts"
import type * as contract from "#contract/message.ts"
import { ApiError } from "#core/error.ts"
import { toJid } from "#core/message/jid.ts"
import { kindOf, mediaOf, wordsOf } from "../content/content.ts"
import { chatOf } from "../content/remembered.ts"
import { unwrap } from "../content/unwrap.ts"
import type { Recalled } from "../memory/messages/messages.ts"
import type { Sent } from "../memory/messages/sent.ts"
import { receiptKinds } from "../network/connection.ts"
import { countsOf } from "../send/receipt-steps.ts"
import type { Statuses } from "../send/statuses.ts"
import type { Memory } from "../session/memory.ts"

type Message = z.input<(typeof contract.getMessage.responses)[200]["content"]["application/json"]["schema"]>

/** A message with its chat and its author, by phone number where that is known. */
interface Named {
  message: Recalled
  chat: string
  author: string
}

/**
 * The message of this id, ours first. If there are several, the chat says which one is meant.
 * @throws ApiError `not_found`
 */
export async function recall(
  { messages, vault }: Pick<Memory, "messages" | "vault">,
  asked: { id: string; chat?: string | undefined },
): Promise<Named> {
  const names = asked.chat === undefined ? undefined : await vault.namesOf(toJid(asked.chat))
  for (const message of await messages.recall(asked.id)) {
    const chat = await vault.phoneOf(chatOf(message))
    if (names && !names.has(chat)) continue
    const author = message.fromMe ? (vault.login?.jid ?? "") : await vault.phoneOf(message.sender)
    return { message, chat, author }
  }
  const where = names === undefined ? "" : " in this chat"
  throw new ApiError(
    "not_found",
    `this bridge has sent or received no such message${where}: messages are remembered for 30 days`,
  )
}

/** The message as the customer sees it (Contract, "Remembered messages"). */
export function messageWire({ message, chat, author }: Named): Message {
  const content = unwrap(message.content)
  return {
    message_id: message.id,
    chat_id: chat,
    contact_id: author,
    from_me: message.fromMe,
    type: message.unknown ? "unknown" : kindOf(content),
    media_type: mediaOf(content)?.kind ?? "",
    body: message.unknown?.body ?? wordsOf(content),
    ...(message.edit && { edit: message.edit }),
    ...outcomeOf(message),
    ...(message.sent && askedOf(message.sent)),
  }
}

/** When and by which call a message was asked for. */
function askedOf({ askedMs = 0, requestId }: Sent): { asked_at: number; request_id?: string } {
  return {
    asked_at: Math.floor(askedMs / 1000),
    ...(requestId !== undefined && { request_id: requestId }),
  }
}

/** Why nothing more will be known of a message that the network has, if so, and how to change that. */
export function untracked(
  { message }: Pick<Named, "message">,
  statuses: Pick<Statuses, "follows">,
): Pick<Message, "untracked"> {
  const { status } = outcomeOf(message)
  if (!["sent", "delivered"].includes(status)) return {}
  if (!message.sent)
    return {
      untracked: "it was written on the phone, or another of its devices, which hear what becomes of it",
    }
  if (statuses.follows(message.chat)) return {}
  return {
    untracked:
      "whether it was delivered and read is not tracked: name `message_status` among the `events` of the bridge (`updateBridge`, or " +
      "its settings in the dashboard), and it is of the messages that are sent from then on",
  }
}

type Outcome = Omit<
  Message,
  "message_id" | "chat_id" | "contact_id" | "from_me" | "type" | "media_type" | "body" | "edit"
>

/** What became of a message. */
export function outcomeOf({ sent, fromMe, atMs = 0 }: Pick<Recalled, "sent" | "fromMe" | "atMs">): Outcome {
  const at = Math.floor(atMs / 1000)
  if (!sent) return fromMe ? { status: "sent", sent_at: at } : { status: "received", received_at: at }
  if (sent.state === "sent") return { status: "pending" }
  if (sent.state === "failed") {
    const { network_code, timestamp } = sent
    return {
      status: "failed",
      failed_at: timestamp,
      reason: networkRejectedSentence(network_code),
      network_code,
    }
  }
  const { delivered, read, played, members, timestamp } = sent
  const counts = members && countsOf(sent)
  const kind = receiptKinds.findLast((each) =>
    counts ? counts[each] === counts.recipients : sent[each] !== undefined,
  )
  return {
    status: kind ?? "sent",
    sent_at: timestamp,
    ...(delivered !== undefined && { delivered_at: delivered }),
    ...(read !== undefined && { read_at: read }),
    ...(played !== undefined && { played_at: played }),
    ...(counts && { counts }),
  }
}
