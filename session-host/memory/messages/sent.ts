import { z } from "zod"
import { now } from "#core/platform/clock.ts"
import { mayBeOurs } from "#core/message-id.ts"
import type { Outgoing } from "#session-host/network/connection.ts"
import { SessionEnded } from "#session-host/session/session-ended.ts"
import type { Commits } from "../commits.ts"
import { joined, parted, type Put, type SessionStore } from "../rows.ts"
import type { Tally } from "../tally.ts"

/**
 * 30 days (Contract, "Remembered messages"): this row remembers what the API sent, for quotes, edits and answers. That
 * is longer than any phone asks for a message again, and than any idempotency record that names it.
 */
const keptFor = 30 * 86_400

const Outcome = z.discriminatedUnion("state", [
  /** It may have reached the network. */
  z.object({ state: z.literal("sent") }),
  /** The network has it, since this time (Unix seconds). */
  z.object({ state: z.literal("acked"), timestamp: z.number().int() }),
  /** The network refused its first transmission with this number. */
  z.object({ state: z.literal("failed"), network_code: z.number().int() }),
])
type Outcome = z.infer<typeof Outcome>

/** A message that we sent, the login (generation) that sent it, and its outcome: the `SEND` row. */
export type Sent = Outgoing & Outcome & { generation: number }

type Unacked = Outgoing & { generation: number }

interface Rows {
  store: SessionStore
  commits: Pick<Commits, "note">
  tally: Pick<Tally, "sent">
}

export function sentRow(store: SessionStore, sent: Sent): Put {
  const { messageId, chat, message, generation, ...outcome } = sent
  const row = { ...outcome, g: generation, expires_at: now() + keptFor }
  // The chat is private, too. A JID contains no line break.
  return store.put(skOf(messageId), joined(chat, message), row)
}

/** The row of a message, if there is one. DynamoDB may keep expired rows for days; they count like fresh ones. */
export async function sentMessage(store: SessionStore, messageId: string): Promise<Sent | undefined> {
  if (!mayBeOurs(messageId)) return undefined
  const stored = await store.get(skOf(messageId))
  if (!stored) return undefined
  const generation = z.number().int().parse(stored.row.g)
  const { line: chat, bytes: message } = parted(stored.secret)
  return { messageId, generation, chat, message, ...Outcome.parse(stored.row) }
}

/**
 * Notes that the network has a message, and counts it. If the note is lost, a retry sends the same bytes under the same id,
 * and phones show them only once.
 */
export function noteAcked({ store, commits, tally }: Rows, sent: Unacked, timestamp: number): void {
  tally.sent(sent.messageId)
  try {
    commits.note([sentRow(store, { ...sent, state: "acked", timestamp })])
  } catch (error) {
    if (!(error instanceof SessionEnded)) throw error
  }
}

/** The network acknowledged a message whose send has stopped waiting. */
export async function ackedLate(rows: Rows, messageId: string, timestamp: number): Promise<void> {
  const sent = await sentMessage(rows.store, messageId)
  if (sent?.state === "sent") noteAcked(rows, sent, timestamp)
}

function skOf(messageId: string): string {
  return `SEND#${messageId}`
}
