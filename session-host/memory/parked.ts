import { z } from "zod"
import { now } from "#core/clock.ts"
import { Metrics } from "#core/metrics.ts"
import type { Received } from "../network.ts"
import type { SessionStore, SessionWrite, Stored } from "./store.ts"

/** From when it was written: as long as anything is kept of messages. Strangers may send what nobody can read. */
const keptFor = 30 * 86_400
/** A DynamoDB item holds 400 KB. */
const pieceBytes = 350_000

/** A received message in rows of its own, until it becomes events. */
export interface Parked {
  received: Received
  /** The writes that remove its rows. */
  removal: SessionWrite[]
}

/** The writes that set a message aside which no mapper could read: the next session, perhaps fixed, tries again. */
export function parking(store: SessionStore, received: Received): SessionWrite[] {
  Metrics.add("MessagesParked")
  const { hash, attrs } = received
  const expires = { expires_at: (Number(attrs.t) || now()) + keptFor }
  return piecesOf(pack(received)).map((piece, i) => store.put(pieceSk(`PARKED#${hash}`, i), piece, expires))
}

/** All that are parked under keys that begin so, in the order of the keys. @throws SessionEnded */
export async function parked(store: SessionStore, prefix = "PARKED#"): Promise<Parked[]> {
  const byFirst = Map.groupBy(await store.list(prefix), firstOf)
  return [...byFirst.values()].map((pieces) => ({
    received: unpack(Buffer.concat(pieces.map((piece) => piece.secret))),
    removal: pieces.map(({ sk, secret }) => store.remove(sk, secret.length)),
  }))
}

/** Pieces come right after their first. There are never ten: a commit takes 4 MB, and ten is more than 3.5. */
function pieceSk(first: string, piece: number): string {
  return piece === 0 ? first : `${first}#${piece}`
}

function firstOf({ sk }: Stored): string {
  return sk.split("#", 2).join("#")
}

const Head = z.object({
  hash: z.string(),
  attrs: z.record(z.string(), z.string()),
  verified: z.boolean().optional(),
})

/** One line of JSON, then the plaintext as it is. */
function pack(received: Received): Buffer {
  const { hash, attrs, verified } = received
  const head: z.infer<typeof Head> = { hash, attrs, verified }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), received.plaintext])
}

function unpack(packed: Buffer): Received {
  const end = packed.indexOf("\n")
  const head = Head.parse(JSON.parse(packed.subarray(0, end).toString()))
  return { ...head, plaintext: packed.subarray(end + 1) }
}

function piecesOf(packed: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < packed.length; at += pieceBytes) pieces.push(packed.subarray(at, at + pieceBytes))
  return pieces
}
