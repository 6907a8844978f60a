import { randomUUID } from "node:crypto"
import { buffer } from "node:stream/consumers"
import { LRUCache } from "lru-cache"
import type { z } from "zod"
import type { Event } from "#contract/event.ts"
import type { SessionStatus } from "#contract/session.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"
import type { EventFile, Me } from "../dialects/format.ts"

// Other gateways post things with an event that only its session knows. On AWS a delivery cannot ask it.

/** How long a delivery waits for a session: it has more events, and its invocation ends. */
const patienceMs = { me: 2000, file: 10_000 }
/** The largest file that comes along, in bytes. */
const largestFile = 10_000_000

/**
 * How many deliveries may have a file in memory, in all and of one account: each has it some four times over
 * until it is posted, and a receiver may take ten seconds. Others wait for `ms`.
 */
export const filesAtOnce = { most: 12, each: 4, ms: 10_000 }
const places = new Slots(filesAtOnce, filesAtOnce)

const known = new LRUCache<string, Me>({ max: 10_000, ttl: 60_000 })

/** The account of a bridge's session, as it was a minute ago at most. */
export async function meOf(bridgeId: string): Promise<Me | undefined> {
  const found = known.get(bridgeId)
  if (found) return found
  const answer = await ask(bridgeId, "/status", patienceMs.me)
  if (!answer) return undefined
  const { jid, lid, phone, name } = JSON.parse(Buffer.from(answer.body).toString()) as z.infer<
    typeof SessionStatus
  >
  if (jid !== "") known.set(bridgeId, { jid, lid, phone, name })
  return { jid, lid, phone, name }
}

/**
 * The file of a message, and what is to be called once it is not in memory any more; undefined where it
 * cannot be had in time.
 */
export async function fileOf(
  { bridgeId, accountId }: Pick<Receiver.Info, "bridgeId" | "accountId">,
  event: Event,
): Promise<{ file: EventFile; leave: () => void } | undefined> {
  if (event.event !== "message" || !event.file || event.media_type === "") return undefined
  if (event.file.size > largestFile) return undefined
  const leave = await places.enter(accountId).catch((error: unknown) => {
    log.warn({ bridgeId, error }, "no room for the file of an event")
    return undefined
  })
  if (!leave) return undefined
  let file: EventFile | undefined
  try {
    file = await readFile(bridgeId, event)
  } finally {
    if (!file) leave()
  }
  return file && { file, leave }
}

async function readFile(
  bridgeId: string,
  event: Extract<Event, { event: "message" }>,
): Promise<EventFile | undefined> {
  const query = new URLSearchParams({ chat: event.chat_id })
  const path = `/messages/${encodeURIComponent(event.message_id)}/media?${query.toString()}`
  const answer = await ask(bridgeId, path, patienceMs.file)
  const key = answer && AnswerInBucket.bucketKeyOf(answer.headers)
  if (key === undefined) return undefined
  const { headers, body } = await StoredMedia.get(key)
  const contentType = headers["content-type"] ?? "application/octet-stream"
  if (Number(headers["content-length"]) > largestFile) {
    body.destroy()
    return undefined
  }
  return { contentType, base64: (await buffer(body)).toString("base64") }
}

/** A session's answer; undefined if it does not come in time, since events go on without it. */
async function ask(bridgeId: string, path: string, withinMs: number) {
  if (!config.STORAGE_DIR) return undefined
  const call = { method: "GET", path, bridgeId, requestId: randomUUID() } as const
  try {
    const answer = await callHolderIfAny(call, withinMs)
    return answer?.status === 200 ? answer : undefined
  } catch (error) {
    log.warn({ bridgeId, error }, "session not asked for what goes beside an event")
    return undefined
  }
}
