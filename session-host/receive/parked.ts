import { createHash } from "node:crypto"
import { z } from "zod"
import { withoutDevice } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { Metrics } from "#core/platform/metrics.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Mapped } from "../content/mapped.ts"
import { scheduledFor } from "../content/scheduled.ts"
import { joinSecret, splitSecret, type SessionStore, type SessionWrite, type Stored } from "../memory/rows.ts"
import type { Received } from "../network/connection.ts"
import type { Stanza } from "../network/stanza.ts"

/**
 * In seconds from the time of sending, or from that for which a message is scheduled; messages are kept no
 * longer than this.
 */
export const keptFor = 30 * 86_400
/** How far ahead a message may be scheduled, in seconds: its sender may have written any time. */
const aheadMost = 366 * 86_400
/**
 * Strangers may send unreadable messages: so many are kept for each sender, and none larger than so many
 * bytes.
 */
const most = { ofSender: 100, bytes: 2_000_000 }
/** A DynamoDB item holds 400 KB. */
const pieceBytes = 350_000

/** A received message in rows of its own, until it becomes events. */
export interface Parked {
  received: Received
  /** A digest of what was told of it when it came. */
  told?: string | undefined
  /** The writes that remove its rows. */
  removal: SessionWrite[]
}

/** Messages that no mapper could read, set aside for a newer version of the code. */
export class Parking {
  readonly #store: SessionStore
  /** How many messages are set aside, by sender. */
  readonly #counts = boundedCache<number>(1_000)

  constructor(store: SessionStore) {
    this.#store = store
  }

  /**
   * The writes that set a message aside; none if it is too large or if too many of its sender's are set
   * aside.
   * @param told a digest of what is told of it
   * @throws SessionEnded
   */
  async writesFor(received: Received, told?: string): Promise<SessionWrite[]> {
    const { hash, attrs, plaintext } = received
    const prefix = prefixOf(attrs)
    const count = this.#counts.get(prefix) ?? (await parkedKeys(this.#store, prefix)).length
    if (count >= most.ofSender || plaintext.length > most.bytes) return []
    this.#counts.set(prefix, count + 1)
    Metrics.add("MessagesParked")
    const expires = { expires_at: expiryOf(received) }
    return piecesOf(pack(received, told)).map((piece, i) =>
      this.#store.put(pieceSk(prefix + hash, i), piece, expires),
    )
  }

  /** Counts this sender's messages anew: one of them is no longer set aside. */
  recount({ attrs }: Received): void {
    this.#counts.delete(prefixOf(attrs))
  }
}

/**
 * The keys of all messages parked under this prefix, each with those of its pieces, in order.
 * @throws SessionEnded
 */
export async function parkedKeys(store: SessionStore, prefix: string): Promise<string[][]> {
  return [...Map.groupBy(await store.names(prefix), firstOf).values()]
}

/** The messages stored under these keys. @throws SessionEnded */
export async function readParked(store: SessionStore, keys: string[][]): Promise<Parked[]> {
  const byFirst = Map.groupBy(await store.getAll(keys.flat()), ({ sk }) => firstOf(sk))
  return [...byFirst.values()].map((pieces) => toParked(store, pieces))
}

function toParked(store: SessionStore, pieces: Stored[]): Parked {
  return {
    ...unpack(Buffer.concat(pieces.map((piece) => piece.secret))),
    removal: pieces.map(({ sk, secret }) => store.remove(sk, secret.length)),
  }
}

/** What depends on who is known, and not on the message. */
const besides = new Set(["unknown_kind", "contact_id", "phone", "chat_id", "name", "username", "mentions"])

/** A digest of what events say of their message, however people are named in them. */
export function digestOf(mapped: Mapped[]): string {
  const events = mapped.map(({ event }) => event)
  return createHash("sha256")
    .update(JSON.stringify(events, (name, value: unknown) => (besides.has(name) ? undefined : sorted(value))))
    .digest("base64url")
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The sender is hashed, since a JID is a phone number and a stanza may say anything. */
function prefixOf({ from = "", participant }: Received["attrs"]): string {
  const sender = createHash("sha256").update(withoutDevice(participant ?? from))
  return `PARKED#${sender.digest("base64url").slice(0, 22)}#`
}

/** When a parked message is forgotten. */
export function expiryOf({ attrs, meta }: Received): number {
  const scheduled = Math.min(scheduledFor(meta), now() + aheadMost)
  return Math.max(sentAt(attrs), scheduled) + keptFor
}

/** The network's time of the message, if that is plausible. */
function sentAt({ t }: Received["attrs"]): number {
  const said = Number(t)
  return Number.isSafeInteger(said) && said > 0 ? Math.min(said, now()) : now()
}

/** The key of a piece: pieces sort right after the first one, since there are never ten. */
function pieceSk(first: string, piece: number): string {
  return piece === 0 ? first : `${first}#${piece}`
}

function firstOf(sk: string): string {
  return sk.replace(/#\d$/, "")
}

const Node: z.ZodType<Stanza> = z.object({
  tag: z.string(),
  attrs: z.record(z.string(), z.string()),
  get children() {
    return z.array(Node)
  },
  bytes: z
    .base64()
    .transform((text) => Buffer.from(text, "base64"))
    .optional(),
})

const Head = z.object({
  hash: z.string(),
  attrs: z.record(z.string(), z.string()),
  verified: z.boolean().optional(),
  meta: z.array(Node).optional(),
  told: z.string().optional(),
})

function pack(received: Received, told: string | undefined): Buffer {
  const { hash, attrs, verified, meta } = received
  const head = JSON.stringify({ hash, attrs, verified, meta: meta?.map(inJson), told })
  return joinSecret(head, received.plaintext)
}

/** The stanza with its bytes as base64. */
function inJson({ bytes, children, ...node }: Stanza): object {
  return {
    ...node,
    children: children.map(inJson),
    ...(bytes && { bytes: Buffer.from(bytes).toString("base64") }),
  }
}

function unpack(packed: Buffer): Pick<Parked, "received" | "told"> {
  const { line, bytes } = splitSecret(packed)
  const { told, ...head } = Head.parse(JSON.parse(line))
  return { received: { ...head, plaintext: bytes }, told }
}

function piecesOf(packed: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; at += pieceBytes) pieces.push(packed.subarray(at, at + pieceBytes))
  return pieces
}
