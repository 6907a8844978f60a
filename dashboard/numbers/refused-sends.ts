import { html } from "hono/html"
import { LRUCache } from "lru-cache"
import { RequestLog } from "#core/account/request-log.ts"
import { nowMs } from "#core/platform/clock.ts"
import { ago, type Html } from "../elements.ts"

/** The sends of a number that the network rejected today (UTC), since the number may not start new chats (463). */
export interface RefusedSends {
  count: number
  lastMs: number
}

/** The network's code of such a rejection. */
const noNewChats = 463
/** How many of an account's refused calls are looked at: the latest ones. */
const most = 100
/** Pages that are open look every few seconds. */
const known = new LRUCache<string, Promise<Map<string, RefusedSends>>>({ max: 1000, ttl: 10_000 })

/** Those of an account's numbers, by their references: as far as they are among its requests. */
export async function refusedToday(accountId: string): Promise<Map<string, RefusedSends>> {
  const before = known.get(accountId)
  if (before) return await before
  const reading = read(accountId)
  known.set(accountId, reading)
  reading.catch(() => known.delete(accountId))
  return await reading
}

async function read(accountId: string): Promise<Map<string, RefusedSends>> {
  const sinceMs = nowMs() - (nowMs() % 86_400_000)
  const { calls } = await RequestLog.page(accountId, { refused: true, sinceMs, limit: most })
  const found = new Map<string, RefusedSends>()
  for (const { path, refusal, atMs } of calls) {
    const [, ref] = /^\/api\/instances\/([^/]+)\//.exec(path) ?? []
    if (ref === undefined || refusal?.networkCode !== noNewChats) continue
    // The newest is first.
    const { count = 0, lastMs = atMs } = found.get(ref) ?? {}
    found.set(ref, { count: count + 1, lastMs })
  }
  return found
}

/** "2 sends rejected", and why. Nothing, if there are none. */
export function refusedLine(refused: RefusedSends | undefined): Html | string {
  if (!refused) return ""
  const { count, lastMs } = refused
  return html`<div>
    <a class="state bad" href="/requests?refused=true"
      >${count === 1 ? "1 send" : `${count} sends`} rejected today</a
    >
    <div class="small muted">
      By the network, the last one ${ago(lastMs)}: it does not let this number start new chats for now. Answer
      those who write to it, and wait before you write to others.
    </div>
  </div>`
}
