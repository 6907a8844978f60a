export * as RequestLog from "./request-log.ts"

import { createHmac, randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import { z } from "zod"
import { open, seal } from "../keys/seal.ts"
import { now, nowMs } from "../platform/clock.ts"
import { config, need } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import { Bytes, type Key, putRow, query } from "../store/store.ts"
import { tables } from "../store/tables.ts"

/**
 * A call of the API as its account sees it afterwards: what was asked, by which key, and the answer; no
 * bodies.
 */
const Call = z.object({
  requestId: z.string(),
  method: z.string(),
  /** Without its query. */
  path: z.string(),
  status: z.number().int(),
  keyId: z.string(),
  /** How long the answer took. */
  ms: z.number().int(),
  /**
   * The code and the sentence of the error, if the call was refused; and the network's own code, if the
   * network rejected it.
   */
  refusal: z
    .object({ code: z.string(), sentence: z.string(), networkCode: z.number().int().optional() })
    .optional(),
  /** How many calls just before this one were left out, since there were too many. */
  leftOut: z.number().int(),
})
export type Call = Omit<z.infer<typeof Call>, "leftOut">

/** A call that was kept. */
export interface Kept extends z.infer<typeof Call> {
  /** Unix milliseconds. */
  atMs: number
  /** Where it is in the list. */
  place: string
}

/** Contract, "Requests": 7 days, in seconds. */
const keptFor = 7 * 86_400
/** How many calls of an account each process keeps at once, and after how long it keeps one more. */
export const keepLimit = { atOnce: 100, refillMs: 5000 }
/** How long an answer may wait for its row, where the process is frozen afterwards. */
const waitMs = 100
/** The longest path and sentence, in characters. With them a row is well below 1 KB, one write unit. */
const longest = 300
/** How many rows are read for one page, since a filter may match few of them. */
const read = { most: 2000, atOnce: 100 }

/**
 * How many more calls of an account may be written. Refused calls and others do not take each other's room.
 */
interface Room {
  left: number
  sinceMs: number
  /**
   * The last call that found no room. It is written once there is some, and says how many others found none.
   */
  waiting?: { call: Call; leftOut: number } | undefined
}
const rooms = new LRUCache<string, Room>({ max: 10_000 })

/**
 * Keeps a call. Of very many calls of an account only some are written, the last one among them. A row that
 * cannot be written is lost, and no call fails for it. No call waits for its row, except for a moment on
 * Lambda, which may freeze the process after the answer.
 */
export async function add(accountId: string, call: Call): Promise<void> {
  const writing = admit(accountId, call)
  if (writing && config.AWS_LAMBDA_FUNCTION_NAME !== undefined) await Promise.race([writing, sleep(waitMs)])
}

function admit(accountId: string, call: Call): Promise<void> | undefined {
  const name = `${accountId} ${call.status >= 400}`
  const room = rooms.get(name) ?? { left: keepLimit.atOnce, sinceMs: performance.now() }
  rooms.set(name, room)
  const refilled = Math.floor((performance.now() - room.sinceMs) / keepLimit.refillMs)
  room.left = Math.min(keepLimit.atOnce, room.left + refilled)
  room.sinceMs += refilled * keepLimit.refillMs
  if (room.left > 0 && !room.waiting) {
    room.left--
    return write(accountId, { ...call, leftOut: 0 })
  }
  if (!room.waiting) setTimeout(() => void writeWaiting(accountId, room), keepLimit.refillMs).unref()
  room.waiting = { call, leftOut: room.waiting ? room.waiting.leftOut + 1 : 0 }
  return undefined
}

async function writeWaiting(accountId: string, room: Room): Promise<void> {
  const { waiting } = room
  room.waiting = undefined
  room.sinceMs += keepLimit.refillMs
  if (waiting) await write(accountId, { ...waiting.call, leftOut: waiting.leftOut })
}

async function write(accountId: string, call: z.infer<typeof Call>): Promise<void> {
  const { refusal } = call
  const atMs = nowMs()
  const key = { pk: pkOf(accountId), sk: `${prefix}${placeAt(atMs)}` }
  const short = {
    ...call,
    path: cut(call.path),
    ...(refusal && { refusal: { ...refusal, sentence: cut(refusal.sentence) } }),
  }
  try {
    const sealed = seal(sealingKey(), key, JSON.stringify(short))
    const row = { ...key, refused: call.status >= 400, sealed, expires_at: now() + keptFor }
    await putRow({ TableName: tables.requests, Item: row })
  } catch (error) {
    log.warn({ error, accountId }, "a call was not written in the account's requests")
  }
}

/** Where a call is in the list. Two calls of one millisecond have two places. */
function placeAt(atMs: number): string {
  return `${timeOf(atMs)}.${randomBytes(4).toString("hex")}`
}

function timeOf(atMs: number): string {
  return String(atMs).padStart(13, "0")
}

/** The time in a row's key, in ms. */
function timeIn(sk: string): number {
  return Number(sk.slice(prefix.length, prefix.length + 13))
}

/** Whether a text has the form of a place. */
export function isPlace(text: string): boolean {
  return /^\d{13}\.[0-9a-f]{8}$/.test(text)
}

const prefix = "CALL#"

function cut(text: string): string {
  const whole = text.toWellFormed()
  return whole.length <= longest ? whole : `${whole.slice(0, longest - 1).toWellFormed()}…`
}

const Row = z.object({ sk: z.string(), refused: z.boolean(), sealed: Bytes, expires_at: z.number().int() })

/**
 * The calls of an account, newest first; `before`: the place of a call; `sinceMs`: none that is older;
 * `untilMs`: none that is so new; `fits`: only those. `next` leads on, if there may be more.
 */
export async function page(
  accountId: string,
  asked: {
    refused?: boolean | undefined
    before?: string | undefined
    sinceMs?: number | undefined
    untilMs?: number | undefined
    fits?: ((call: Kept) => boolean) | undefined
    limit: number
  },
): Promise<{ calls: Kept[]; next?: string }> {
  const calls: Kept[] = []
  let last: string | undefined
  let looked = 0
  const { fits = () => true, untilMs } = asked
  const before = asked.before ?? (untilMs === undefined ? undefined : timeOf(untilMs))
  for await (const row of rows(accountId, before)) {
    if (last !== undefined && (calls.length === asked.limit || looked === read.most))
      return { calls, next: last.slice(prefix.length) }
    const { sk, refused, sealed, expires_at } = Row.parse(row)
    // DynamoDB removes expired rows late. What is further back has expired as well.
    const atMs = timeIn(sk)
    if (expires_at <= now() || atMs < (asked.sinceMs ?? 0)) break
    last = sk
    looked++
    if (asked.refused !== undefined && asked.refused !== refused) continue
    const call = opened({ pk: pkOf(accountId), sk }, sealed)
    const kept = call && { ...call, atMs, place: sk.slice(prefix.length) }
    if (kept && fits(kept)) calls.push(kept)
  }
  return { calls }
}

/** An id for a call: a UUID of version 7, which begins with its time, so a call is found by its id. */
export function newId(): string {
  const time = nowMs().toString(16).padStart(12, "0")
  const random = randomBytes(10)
  random[0] = (random[0]! & 0x0f) | 0x70
  random[2] = (random[2]! & 0x3f) | 0x80
  const hex = time + random.toString("hex")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}

/** When a call with such an id came, in ms; undefined for any other id. */
function timeOfId(requestId: string): number | undefined {
  const [, high, low] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(requestId) ?? []
  return high === undefined ? undefined : Number.parseInt(high + low, 16)
}

/**
 * The call of this id. One whose time is not known, since its caller gave it its id, is looked for among all
 * that are kept, the newest first, until that takes too long.
 * @param askedMs when the call came, to a second
 */
export async function find(
  accountId: string,
  requestId: string,
  { askedMs = timeOfId(requestId), isOver = () => false }: { askedMs?: number; isOver?: () => boolean } = {},
): Promise<Kept | undefined> {
  for await (const row of askedMs === undefined ? rows(accountId) : rowsNear(accountId, askedMs)) {
    const { sk, sealed } = Row.parse(row)
    const call = opened({ pk: pkOf(accountId), sk }, sealed)
    if (call?.requestId === requestId) return { ...call, atMs: timeIn(sk), place: sk.slice(prefix.length) }
    if (isOver()) return undefined
  }
  return undefined
}

/** The longest time between a call and its answer, in ms. */
const longestMs = 120_000

/** The call at this place; undefined if it is not kept. */
export async function get(accountId: string, place: string): Promise<Kept | undefined> {
  const key = { pk: pkOf(accountId), sk: prefix + place }
  // The dashboard may query this table, and read nothing else of it.
  const found = query({
    TableName: tables.requests,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :pk AND sk = :sk",
    ExpressionAttributeValues: { ":pk": key.pk, ":sk": key.sk },
  })
  for await (const row of found) {
    const call = opened(key, Row.parse(row).sealed)
    return call && { ...call, atMs: timeIn(key.sk), place }
  }
  return undefined
}

/** The calls that came at this time, to a second. */
function rowsNear(accountId: string, askedMs: number) {
  return query({
    TableName: tables.requests,
    KeyConditionExpression: "pk = :account AND sk BETWEEN :from AND :to",
    ExpressionAttributeValues: {
      ":account": pkOf(accountId),
      ":from": prefix + timeOf(askedMs - 1000),
      ":to": prefix + timeOf(askedMs + longestMs),
    },
  })
}

/** @returns undefined for a row that another service sealed, whose data were restored here */
function opened(key: Key, sealed: Uint8Array): z.infer<typeof Call> | undefined {
  try {
    return Call.parse(JSON.parse(open(sealingKey(), key, sealed).toString()))
  } catch {
    // A row that cannot be opened is not shown.
    return undefined
  }
}

function rows(accountId: string, before = "~") {
  return query({
    TableName: tables.requests,
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: "pk = :account AND sk < :before",
    ExpressionAttributeValues: { ":account": pkOf(accountId), ":before": prefix + before },
    Limit: read.atOnce,
  })
}

function pkOf(accountId: string): string {
  return `CALLS#${accountId}`
}

/**
 * Paths name people and messages, so they are sealed. The functions that write them and those that show them
 * have the pepper.
 */
function sealingKey(): Buffer {
  return createHmac("sha256", need("API_KEY_PEPPER")).update("requests").digest()
}
