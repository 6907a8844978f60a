import { html } from "hono/html"
import { LRUCache } from "lru-cache"
import { RequestLog } from "#core/account/request-log.ts"
import { nowMs } from "#core/platform/clock.ts"
import type { Html } from "../elements.ts"
import { ago } from "../times.ts"

/**
 * A number's sends that failed today (UTC): the network rejected them, or it is not known whether it has
 * them.
 */
export interface FailedSends {
  /** At least so many failed: where very many calls are refused, not each of them is kept. */
  count: number
  /** Those that were rejected because the number may not start new chats, and when the last one was. */
  newChats: number
  lastNewChatMs: number
}

/** The network's code where a number may not start new chats. */
const noNewChats = 463
/** Refusals that count. A call that is refused for its own faults is its caller's affair. */
const codes = new Set(["network_rejected", "send_outcome_unknown"])
/** How many of an account's failed sends are looked at: the latest ones. */
const most = 100
/** Pages that are open look every few seconds. */
const known = new LRUCache<string, Promise<Map<string, FailedSends>>>({ max: 1000, ttl: 10_000 })

/**
 * The failed sends of an account's numbers, by their references, as far as they are among its latest ones.
 */
export async function failedSendsToday(accountId: string): Promise<Map<string, FailedSends>> {
  const before = known.get(accountId)
  if (before) return await before
  const reading = read(accountId)
  known.set(accountId, reading)
  reading.catch(() => known.delete(accountId))
  return await reading
}

function isFailed({ refusal }: RequestLog.Kept): boolean {
  return refusal !== undefined && codes.has(refusal.code)
}

async function read(accountId: string): Promise<Map<string, FailedSends>> {
  const sinceMs = nowMs() - (nowMs() % 86_400_000)
  const { calls } = await RequestLog.page(accountId, { refused: true, sinceMs, fits: isFailed, limit: most })
  const found = new Map<string, FailedSends>()
  for (const { path, refusal, atMs } of calls) {
    const [, ref] = /^\/api\/instances\/([^/]+)\/proxy\/send\//.exec(path) ?? []
    if (ref === undefined || !refusal) continue
    const { count, newChats, lastNewChatMs } = found.get(ref) ?? { count: 0, newChats: 0, lastNewChatMs: 0 }
    const isNewChat = refusal.networkCode === noNewChats
    found.set(ref, {
      count: count + 1,
      newChats: newChats + (isNewChat ? 1 : 0),
      // The newest is first.
      lastNewChatMs: lastNewChatMs || (isNewChat ? atMs : 0),
    })
  }
  return found
}

/** How many there are, as far as they are known. */
export function countInWords(count: number): string {
  return count < most ? String(count) : `${most} or more`
}

/** "2 sends rejected", because no new chats may be started, and what to do about it. */
export function newChatsWords(ref: string, { newChats: count, lastNewChatMs }: FailedSends) {
  return {
    mark: html`<a class="state bad" href="/requests?refused=true&code=${noNewChats}&number=${ref}"
      >${count === 1 ? "1 send" : `${countInWords(count)} sends`} rejected today</a
    >`,
    about: html`By the network, the last one ${ago(lastNewChatMs)}: it does not let this number start new
    chats for now. Answer those who write to it, and wait before you write to others.`,
  }
}

/** The same below a number's state. Nothing, if there are none. */
export function newChatsLine(ref: string, failed: FailedSends | undefined): Html | string {
  if (!failed || failed.newChats === 0) return ""
  const { mark, about } = newChatsWords(ref, failed)
  return html`<div>
    ${mark}
    <div class="small muted">${about}</div>
  </div>`
}
