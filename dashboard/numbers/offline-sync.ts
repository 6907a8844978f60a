import type { KnownState } from "#core/bridge/known-state.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { now, nowMs, timeLeft } from "#core/platform/clock.ts"

/**
 * A backlog that has been coming for longer than this is taken for over: its end may have been lost with a
 * host. In seconds.
 */
const longest = 600
/**
 * The network announces a backlog this soon after a login; and a page looks for its beginning this long after
 * it first saw the session connected. In ms.
 */
const startsWithin = { aLogin: 3000, aPage: 15_000 }
/** The session's note of a login may be this much younger than the first event behind it, in seconds. */
const noteLate = 10
/** The rows of a transaction may become visible one by one, so this many are read again. */
const again = 10

/**
 * Follows whether a session that is connected still gets what came before: from `offline_sync_preview` to
 * `offline_sync_completed`. A customer may have chosen to get neither event: then the session is said to
 * catch up for its first three seconds alone.
 * @returns a function that adds this to what is known
 */
export function followOfflineSync(bridgeId: string): (knownState: KnownState) => Promise<KnownState> {
  let at: number | undefined
  /** Older events belong to an earlier login, or to a backlog that is over. */
  let from = 0
  /** When the backlog began that is still coming, Unix seconds; 0 if none is. */
  let begunAt = 0
  /** How many backlogs were seen to end. */
  let ends = 0
  let isFirst = true
  let connected: { sinceMs: number; isNew: boolean } | undefined

  async function readEvents(connectedMs = 0): Promise<void> {
    if (at === undefined) {
      from = Math.max(now() - longest, Math.floor(connectedMs / 1000) - noteLate)
      at = (await EventLists.firstSince(bridgeId, from)) - 1
    }
    // The states of the events do not matter here, so the head is not asked for.
    for await (const event of EventLists.allKept(bridgeId, { after: Math.max(0, at - again) }, 0)) {
      if (event.createdAt < from) continue
      const isNews = event.n > at
      if (isNews) at = event.n
      if (event.type === "offline_sync_preview") begunAt = event.createdAt
      if (event.type !== "offline_sync_completed") continue
      begunAt = 0
      if (isNews) ends++
    }
  }

  return async (knownState) => {
    const isNew = !isFirst
    isFirst = false
    if (knownState.kind !== "said" || knownState.status !== "connected") {
      connected = undefined
      ends = 0
      return knownState
    }
    connected ??= { sinceMs: nowMs(), isNew }
    const forMs = nowMs() - connected.sinceMs
    // A backlog follows a login: of a number that has been connected for longer, nothing is read.
    const mayCome =
      knownState.sinceMs === undefined ||
      timeLeft(knownState.sinceMs + longest * 1000, longest * 1000, nowMs()) > 0
    if (begunAt > 0 || (mayCome && forMs < startsWithin.aPage)) await readEvents(knownState.sinceMs)
    const mayBegin = connected.isNew && ends === 0 && forMs < startsWithin.aLogin
    return { ...knownState, isCatchingUp: mayBegin || timeLeft(begunAt + longest, longest) > 0 }
  }
}
