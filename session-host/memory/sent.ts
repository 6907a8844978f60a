import { z } from "zod"
import { now } from "#core/clock.ts"
import { mayBeOurs } from "#core/message-id.ts"
import type { Outgoing } from "../network.ts"
import type { Put, SessionStore } from "./store.ts"

/**
 * 30 days (decisions, "Messages"): what the API sent is remembered by this row, for quotes, edits and the answers to it.
 * That is longer than any phone asks for a message again, and than any idempotency record that names it.
 */
const keptFor = 30 * 86_400

const Outcome = z.discriminatedUnion("state", [
  /** It may be on the wire. */
  z.object({ state: z.literal("sent") }),
  /** The network has it, since this time (Unix seconds). */
  z.object({ state: z.literal("acked"), timestamp: z.number().int() }),
  /** The network refused its first transmission, with this number. */
  z.object({ state: z.literal("failed"), network_code: z.number().int() }),
])
type Outcome = z.infer<typeof Outcome>

/** A message that we sent, under which login (its generation), and what became of it: the `SEND` row. */
export type Sent = Outgoing & Outcome & { generation: number }

export function sentRow(store: SessionStore, sent: Sent): Put {
  const { messageId, chat, message, generation, ...outcome } = sent
  const row = { ...outcome, g: generation, expires_at: now() + keptFor }
  return store.put(skOf(messageId), pack(chat, message), row)
}

/** Expired rows may still be there, for days: they are as good as new ones. */
export async function sentMessage(store: SessionStore, messageId: string): Promise<Sent | undefined> {
  if (!mayBeOurs(messageId)) return undefined
  const stored = await store.get(skOf(messageId))
  if (!stored) return undefined
  const generation = z.number().int().parse(stored.row.g)
  return { messageId, generation, ...unpack(stored.secret), ...Outcome.parse(stored.row) }
}

function skOf(messageId: string): string {
  return `SEND#${messageId}`
}

/** The chat is private too. JIDs hold no line end. */
function pack(chat: string, message: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${chat}\n`), message])
}

function unpack(secret: Buffer): { chat: string; message: Uint8Array } {
  const end = secret.indexOf("\n")
  return { chat: secret.subarray(0, end).toString(), message: secret.subarray(end + 1) }
}
