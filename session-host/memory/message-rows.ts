import { createHash } from "node:crypto"
import { z } from "zod"
import { now } from "#core/clock.ts"
import type { Write } from "#core/store.ts"
import { decodeBare, encodeBare } from "../messages/decode.ts"
import type { Remembered } from "../events/mapped.ts"
import { sentMessage } from "./sent.ts"
import type { SessionStore } from "../store.ts"

/** decisions, "Messages": 30 days. */
const rememberedFor = 30 * 86_400

/** What a stranger puts into a message must not make a row that the store refuses: an item holds 400 KB. */
const largest = 100_000

/**
 * The `MESSAGE` row of a message that was received, or written on the phone: under its id, so that one query finds all
 * that may be meant; and under chat and sender, since senders choose their ids. What the API sends is remembered by its
 * `SEND` row alone.
 */
export function messageRow(store: SessionStore, message: Remembered): Write {
  const { content, ...head } = message
  const bytes = encodeBare(content)
  const body = bytes.length > largest ? encodeBare({ messageContextInfo: content.messageContextInfo }) : bytes
  // In milliseconds: two of one id may come within a second.
  const times = { at: Date.now(), expires_at: now() + rememberedFor }
  return store.put(skOf(message), Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]), times)
}

/**
 * Every message of this id: first ours, then others', in the order in which they came. Nobody can put his own in the
 * place of one that was there before. `unwritten` came last, and has no rows yet.
 */
export async function messagesOf(
  store: SessionStore,
  id: string,
  unwritten: Remembered[] = [],
): Promise<Remembered[]> {
  const sent = await sentMessage(store, id)
  const ours: Remembered[] =
    sent && sent.state !== "failed"
      ? [{ id, chat: sent.chat, sender: "", fromMe: true, content: decodeBare(sent.message) }]
      : []
  const rows = await store.list(prefixOf(id))
  const read = rows.map(({ row, secret }) => ({ at: z.number().parse(row.at), message: unpack(secret) }))
  const written = read.toSorted((a, b) => a.at - b.at).map(({ message }) => message)
  const others = [...written, ...unwritten.filter((message) => message.id === id)]
  return [...ours, ...others.toSorted((a, b) => Number(b.fromMe) - Number(a.fromMe))]
}

const Head = z.object({ id: z.string(), chat: z.string(), sender: z.string(), fromMe: z.boolean() })

function unpack(secret: Buffer): Remembered {
  const end = secret.indexOf("\n")
  const head = Head.parse(JSON.parse(secret.subarray(0, end).toString()))
  return { ...head, content: decodeBare(secret.subarray(end + 1)) }
}

/** What tells a message from every other of its bridge, and nothing of it. */
export function nameOf({ id, chat, sender, fromMe }: Remembered): string {
  return `${hash(id)}-${fromMe ? "own" : hash(`${chat}\n${sender}`)}`
}

/** Hashed: an id may be of any length and any characters, and a JID is a phone number. */
function skOf({ id, chat, sender, fromMe }: Remembered): string {
  return `${prefixOf(id)}${fromMe ? "own" : hash(`${chat}\n${sender}`)}`
}

function prefixOf(id: string): string {
  return `MESSAGE#${hash(id)}#`
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22)
}
