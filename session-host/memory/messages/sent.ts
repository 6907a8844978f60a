import { z } from "zod"
import { mayBeOurs } from "#core/message/message-id.ts"
import { now } from "#core/platform/clock.ts"
import type { Outgoing } from "#session-host/network/connection.ts"
import { joinSecret, splitSecret, type Put, type SessionStore, type Stored } from "../rows.ts"

/**
 * 30 days (Contract, "Remembered messages"): this row remembers what the API sent, for quotes, edits and
 * answers, and what became of it. No phone asks for a message again after so long, and no idempotency record
 * that names the message lives that long.
 */
const keptFor = 30 * 86_400

const Time = z.number().int()

const Outcome = z.discriminatedUnion("state", [
  /** The message may have reached the network. */
  z.object({ state: z.literal("sent") }),
  /** The network has the message, since this time (Unix seconds). */
  z.object({ state: z.literal("acked"), timestamp: Time }),
  /** The network refused the first transmission with this number. */
  z.object({ state: z.literal("failed"), network_code: z.number().int(), timestamp: Time }),
])
type Outcome = z.infer<typeof Outcome>

/**
 * When the last receipt of each kind came, in Unix seconds. Receipts are kept only if the customer wants to
 * know of them.
 */
const Receipts = z.object({
  delivered: Time.optional(),
  read: Time.optional(),
  played: Time.optional(),
})

/**
 * Of a group or a status: how far each recipient has come, as a place in `receiptKinds` from 1; 0: no receipt
 * has come.
 */
const Members = z.record(z.string(), z.number().int())

/** A message that we sent, the login (generation) that sent it, and what became of it: the `SEND` row. */
export type Sent = Omit<Outgoing, "members" | "beside"> &
  Outcome &
  z.infer<typeof Receipts> & { generation: number; members?: z.infer<typeof Members> }

/** These recipients, as members from whom no receipt has come. */
export function withoutReceipts(recipients: string[]): z.infer<typeof Members> {
  return Object.fromEntries(recipients.map((recipient) => [recipient, 0]))
}

export function sentRow(store: SessionStore, sent: Sent): Put {
  const { messageId, chat, message, generation, members, own, askedMs, requestId, eventsBefore, ...outcome } =
    sent
  const asked = { asked_ms: askedMs, request_id: requestId, events_before: eventsBefore }
  const row = { ...outcome, ...asked, g: generation, expires_at: now() + keptFor }
  // The people are private, too. A JID contains no space and no line break.
  const people = [chat, members ? JSON.stringify(members) : "", own].join(" ").trimEnd()
  return store.put(skOf(messageId), joinSecret(people, message), row)
}

/**
 * The row of a message, if there is one. DynamoDB may keep expired rows for days; they count like fresh ones.
 */
export async function sentMessage(store: SessionStore, messageId: string): Promise<Sent | undefined> {
  const [found] = await sentMessages(store, [messageId])
  return found
}

/** The rows of those messages that we sent. */
export async function sentMessages(store: SessionStore, messageIds: Iterable<string>): Promise<Sent[]> {
  const ours = [...new Set(messageIds)].filter(mayBeOurs)
  return ours.length === 0 ? [] : (await store.getAll(ours.map(skOf))).map(fromRow)
}

function fromRow({ sk, row, secret }: Stored): Sent {
  const generation = z.number().int().parse(row.g)
  const { line, bytes: message } = splitSecret(secret)
  // `split` returns at least one part.
  const [chat, members, own] = line.split(" ") as [string, string?, string?]
  return {
    messageId: sk.slice(prefix.length),
    generation,
    chat,
    message,
    ...Outcome.parse(row),
    ...Receipts.parse(row),
    ...askedOf(row),
    ...(own && { own }),
    ...(members && { members: Members.parse(JSON.parse(members)) }),
  }
}

const Asked = z.object({
  asked_ms: Time.optional(),
  request_id: z.string().optional(),
  events_before: z.number().int().optional(),
})

function askedOf(row: Stored["row"]): Pick<Sent, "askedMs" | "requestId" | "eventsBefore"> {
  const { asked_ms: askedMs, request_id: requestId, events_before: eventsBefore } = Asked.parse(row)
  return {
    ...(askedMs !== undefined && { askedMs }),
    ...(requestId !== undefined && { requestId }),
    ...(eventsBefore !== undefined && { eventsBefore }),
  }
}

/** When each message that we sent was asked for (Unix milliseconds), in no order. @throws SessionEnded */
export async function* sentTimes(
  store: SessionStore,
): AsyncGenerator<{ messageId: string; askedMs: number }> {
  for await (const { sk, row } of store.eachHead(prefix, ["asked_ms"]))
    yield { messageId: sk.slice(prefix.length), askedMs: Asked.parse(row).asked_ms ?? 0 }
}

const prefix = "SEND#"

function skOf(messageId: string): string {
  return `${prefix}${messageId}`
}
