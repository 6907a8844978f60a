export * as Idempotency from "./idempotency.ts"

import { createHash, randomUUID } from "node:crypto"
import { z } from "zod"
import { open, seal } from "../keys/seal.ts"
import { isClockDoubted, latestEnd, now, timeLeft } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { Metrics } from "../platform/metrics.ts"
import { getRow, putRow, removeRow, type Row, updateRow } from "../store/store.ts"
import { tables } from "../store/tables.ts"
import { newMessageId } from "./message-id.ts"

/** How long after a claim the work under it may begin, in seconds: 50 of the 55 s that a claim lasts. */
export function beginsWithin(): number {
  return Math.floor((config.KEY_CLAIM_S * 10) / 11)
}
/** Contract, "Idempotency" */
const keptFor = 24 * 3600

/** In Unix seconds. */
let aloneSince = -Infinity

/**
 * From now on this process alone claims keys: all earlier claims are dead. @returns a function that undoes it
 */
export function voidEarlierClaims(): () => void {
  aloneSince = now()
  return () => {
    aloneSince = -Infinity
  }
}

/** Claims that end before this time are over, in Unix seconds. */
function overBefore(): number {
  // The clock was set back since.
  if (aloneSince > now()) return now()
  // A claim of the same second is another process's: this one was still starting.
  return Math.max(now(), aloneSince + 1 + config.KEY_CLAIM_S)
}

/** The ownership of a key, with what the host needs to complete its record. */
export interface Claim {
  /** The record's partition key. */
  record: string
  holder: string
  /** The message's id. A take-over keeps it, so that a retry never becomes a second message. */
  messageId: string
  /** The id was chosen for this claim, so nothing was sent under it before. */
  isNew: boolean
}

/** The answer to an acknowledged send. */
export interface Answer {
  message_id: string
  chat_id: string
  timestamp: number
}

/** That answer as it is stored: its chat may be a phone number, so it is sealed, in base64. */
const StoredAnswer = z.object({ message_id: z.string(), chat: z.string(), timestamp: z.number().int() })

const Stored = z.object({
  state: z.enum(["inflight", "done"]),
  holder: z.string(),
  message_id: z.string(),
  fingerprint: z.string(),
  lease_until: z.number().int(),
  expires_at: z.number().int(),
  response: StoredAnswer.optional(),
})

export type Outcome =
  /**
   * `mismatch`: the claim was taken over from a different request, whose message may be the one that is sent.
   */
  | { kind: "claimed"; claim: Claim; mismatch: boolean }
  | { kind: "replay"; answerUnder: (deliveryKey: Uint8Array) => Answer; mismatch: boolean }
  | { kind: "conflict" }

/**
 * Claims a key, or says what stands in the way (Contract, "Idempotency"). `fingerprint` tells one request
 * from another. An expired record is replaced, provided it is still as it was seen, with a new message id.
 */
export async function claim(input: {
  accountId: string
  bridgeId: string
  key: string
  fingerprint: string
}): Promise<Outcome> {
  const fresh: Claim = {
    record: recordOf(input),
    holder: randomUUID(),
    messageId: newMessageId(),
    isNew: true,
  }
  const row = await updateRow({
    TableName: tables.requests,
    Key: key(fresh.record),
    UpdateExpression:
      "SET #state = :inflight, holder = :me, lease_until = :lease_until, " +
      "expires_at = if_not_exists(expires_at, :expires_at), " +
      "fingerprint = if_not_exists(fingerprint, :fingerprint), " +
      "message_id = if_not_exists(message_id, :new)",
    ConditionExpression:
      "attribute_not_exists(pk) OR (#state = :inflight AND (lease_until < :over OR lease_until > :latest) AND expires_at > :now)",
    ExpressionAttributeNames: { "#state": "state" },
    ExpressionAttributeValues: {
      ":inflight": "inflight",
      ":me": fresh.holder,
      ":lease_until": now() + config.KEY_CLAIM_S,
      ":expires_at": now() + keptFor,
      ":fingerprint": input.fingerprint,
      ":new": fresh.messageId,
      ":now": now(),
      ":over": overBefore(),
      ":latest": latestEnd(config.KEY_CLAIM_S),
    },
  })
  if ("now" in row) return claimedAs(Stored.parse(row.now), fresh, input.fingerprint)
  return await standing(Stored.parse(row.refused), fresh, input.fingerprint)
}

/** Whether a stored record is under a claim: no send under it has been recorded yet. */
export function isClaimed(record: string, state: string): boolean {
  return record.startsWith("IDEM#") && state === "inflight"
}

/** The id of the message that belongs to a key; undefined if the key is unknown, free or expired. */
export async function messageIdOf(input: {
  accountId: string
  bridgeId: string
  key: string
}): Promise<string | undefined> {
  const row = await getRow(tables.requests, key(recordOf(input)))
  if (!row) return undefined
  const { message_id, expires_at, response } = Stored.parse(row)
  return expires_at > now() || isClockDoubted() ? (response?.message_id ?? message_id) : undefined
}

/** The send was acknowledged: for the next 24 hours the key is answered from its record. */
export async function complete(
  { record, messageId, deliveryKey }: { record: string; messageId: string; deliveryKey: Uint8Array },
  { message_id, chat_id, timestamp }: Answer,
): Promise<void> {
  const chat = Buffer.from(seal(deliveryKey, key(record), chat_id)).toString("base64")
  await updateRow({
    TableName: tables.requests,
    Key: key(record),
    UpdateExpression: "SET #state = :done, #response = :answer, expires_at = :expires_at",
    ConditionExpression: "message_id = :mine",
    ExpressionAttributeNames: { "#state": "state", "#response": "response" },
    ExpressionAttributeValues: {
      ":done": "done",
      ":answer": { message_id, chat, timestamp },
      ":expires_at": now() + keptFor,
      ":mine": messageId,
    },
  })
}

/**
 * The send failed and nothing of it reached the network: the key is as good as unused.
 * @returns false when the key was taken over meanwhile; the message's outcome is then no longer ours to
 * report.
 */
export async function free(claim: Claim): Promise<boolean> {
  const refused = await removeRow({
    TableName: tables.requests,
    Key: key(claim.record),
    ConditionExpression: "attribute_not_exists(pk) OR (#state = :inflight AND holder = :me)",
    ExpressionAttributeNames: { "#state": "state" },
    ExpressionAttributeValues: { ":inflight": "inflight", ":me": claim.holder },
  })
  return !refused
}

/**
 * It is unknown whether the message was sent: the record keeps its message id, and a retry may claim it at
 * once.
 */
export async function release(claim: Claim): Promise<void> {
  await updateRow({
    TableName: tables.requests,
    Key: key(claim.record),
    UpdateExpression: "SET lease_until = :over",
    ConditionExpression: "#state = :inflight AND holder = :me",
    ExpressionAttributeNames: { "#state": "state" },
    ExpressionAttributeValues: { ":over": 0, ":inflight": "inflight", ":me": claim.holder },
  })
}

async function standing(seen: z.infer<typeof Stored>, fresh: Claim, fingerprint: string): Promise<Outcome> {
  const isOver = seen.lease_until < overBefore()
  const underWay = seen.state === "inflight" && !isOver && timeLeft(seen.lease_until, config.KEY_CLAIM_S) > 0
  if (seen.expires_at <= now() && !isClockDoubted() && !underWay)
    return await replace(seen, fresh, fingerprint)
  if (seen.state === "done" && seen.response)
    return {
      kind: "replay",
      answerUnder: answerIn(fresh.record, seen.response),
      mismatch: seen.fingerprint !== fingerprint,
    }
  // This is our own claim, whose answer was lost.
  if (seen.holder === fresh.holder) return claimedAs(seen, fresh, fingerprint)
  return { kind: "conflict" }
}

function answerIn(record: string, { message_id, chat, timestamp }: z.infer<typeof StoredAnswer>) {
  return (deliveryKey: Uint8Array): Answer => ({
    message_id,
    chat_id: open(deliveryKey, key(record), Buffer.from(chat, "base64")).toString(),
    timestamp,
  })
}

async function replace(seen: z.infer<typeof Stored>, fresh: Claim, fingerprint: string): Promise<Outcome> {
  const row: Row = {
    ...key(fresh.record),
    state: "inflight",
    holder: fresh.holder,
    lease_until: now() + config.KEY_CLAIM_S,
    expires_at: now() + keptFor,
    fingerprint,
    message_id: fresh.messageId,
  }
  const refused = await putRow({
    TableName: tables.requests,
    Item: row,
    ConditionExpression: "message_id = :seen AND expires_at = :expired",
    ExpressionAttributeValues: { ":seen": seen.message_id, ":expired": seen.expires_at },
  })
  return refused ? { kind: "conflict" } : { kind: "claimed", claim: fresh, mismatch: false }
}

function claimedAs(stored: z.infer<typeof Stored>, fresh: Claim, fingerprint: string): Outcome {
  const mismatch = stored.fingerprint !== fingerprint
  const isNew = stored.message_id === fresh.messageId
  if (!isNew) Metrics.add("IdemTakeover")
  return { kind: "claimed", claim: { ...fresh, messageId: stored.message_id, isNew }, mismatch }
}

function recordOf(input: { accountId: string; bridgeId: string; key: string }): string {
  const hash = createHash("sha256").update(input.key).digest("hex")
  return `IDEM#${input.accountId}#${input.bridgeId}#${hash}`
}

function key(record: string) {
  return { pk: record, sk: "IDEM" }
}
