import { randomUUID } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { z } from "zod"
import { Account } from "#core/account/account.ts"
import { Billing } from "#core/billing.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import type { Attempt } from "#core/contract/delivery.ts"
import { SessionStatus } from "#core/contract/session.ts"
import { ApiError } from "#core/error.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { type Receiving, whyOf } from "./receiver.ts"
import { type Evidence, lostAfterMs } from "./state.ts"

/** How long a page waits for a session's word. A session that lives answers within milliseconds. */
const patienceMs = 2000

/**
 * When sessions were heard last, Unix ms, by their bridges: pages tell for how long one has been silent. Kept for as long
 * as somebody looks.
 */
const heard = new LRUCache<string, number>({ max: 10_000, ttl: lostAfterMs, updateAgeOnGet: true })

/** How a bridge stands now, by its session host's own word; without one, by what was last written down. */
export async function evidenceOf(bridge: Bridge.Info): Promise<Evidence> {
  const lease = await Lease.get(bridge.id)
  if (!lease || lease.host === Lease.GONE) return { kind: "gone" }
  const state = Lease.stateOf(lease)
  if (state === "suspended") return { kind: "suspended" }
  const why = Lease.whyStopped(lease)
  if (why === "idle") return { kind: "idle" }
  if (state === "paused") return { kind: "paused", why: await whyPaused(bridge.accountId, why) }
  if (!Lease.isHeld(lease)) return unheld(lease)
  const said = await askSession(bridge.id)
  if (!said) return await silent(lease)
  const atMs = nowMs()
  heard.set(bridge.id, atMs)
  const sinceMs = lease.reported?.status === said.status ? lease.reported.since * 1000 : undefined
  return { kind: "said", ...said, atMs, sinceMs }
}

async function whyPaused(accountId: string, reason: Lease.Reason | undefined) {
  if (reason === "customer") return "customer"
  if (reason !== "billing") return "operator"
  const account = Billing.isOn() ? await Account.get(accountId) : undefined
  if (!account || account.isByHand) return "billing"
  const { subscription } = account
  return subscription === "none" || subscription === "unpaid" || subscription === "canceled"
    ? subscription
    : "paid"
}

async function silent(lease: Lease.Info): Promise<Evidence> {
  const atMs = heard.get(lease.bridgeId) ?? (await beatOf(lease))
  return { kind: "silent", ...lastOf(lease, atMs) }
}

/** A session that nobody has asked for a while counts as heard at its host's last beat. Later beats say nothing of it. */
async function beatOf({ bridgeId, host }: Lease.Info): Promise<number | undefined> {
  const beatAt = (await Host.get(host))?.beatAt ?? 0
  if (beatAt === 0) return undefined
  heard.set(bridgeId, beatAt * 1000)
  return beatAt * 1000
}

function unheld(lease: Lease.Info): Evidence {
  // Its last session ended unplanned. An earlier one may have reported the status.
  const hasFailed = lease.reported !== undefined && lease.failedAt >= Math.floor(lease.startedMs / 1000)
  if (!hasFailed) return { kind: "unheld", ...lastOf(lease, undefined) }
  return { kind: "unheld", hasFailed, ...lastOf(lease, heard.get(lease.bridgeId) ?? lease.failedAt * 1000) }
}

/** The last word of a session, and whether that is long ago. */
function lastOf({ reported }: Lease.Info, atMs: number | undefined) {
  const isLost = atMs !== undefined && nowMs() - atMs >= lostAfterMs
  return { isLost, ...(reported && { last: { status: reported.status, atMs } }) }
}

async function askSession(bridgeId: string): Promise<z.infer<typeof SessionStatus> | undefined> {
  try {
    const call = { method: "GET", path: "/status", bridgeId, requestId: randomUUID() } as const
    const answer = await callHolderIfAny(call, patienceMs)
    if (answer?.status !== 200) return undefined
    return SessionStatus.parse(JSON.parse(Buffer.from(answer.body).toString()))
  } catch (error) {
    if (!(error instanceof ApiError)) log.warn({ error, bridgeId }, "a session's status was not read")
    return undefined
  }
}

/** How a bridge's events get to their receiver now. `attempts` are the latest ones, if they are known already. */
export async function receivingOf(bridge: Bridge.Info, attempts?: Attempt[]): Promise<Receiving> {
  const url = bridge.webhookUrl
  if (url === "") return { url, waiting: 0, resending: 0 }
  const [summary, [last]] = await Promise.all([
    DeliveryReport.summary(bridge.id),
    attempts ?? AttemptLog.latest(bridge.id),
  ])
  // An event that was sent again and taken ends a failure, too, if nothing else is left to try.
  const isOver = summary.waiting === 0 && last?.success === true
  return {
    url,
    waiting: summary.waiting,
    resending: summary.resending,
    headId: summary.head,
    oldestMs: ms(summary.oldest_at),
    failingSinceMs: isOver ? undefined : ms(summary.failing_since),
    retryAtMs: ms(summary.next_attempt_at),
    lastError: last && !last.success ? whyOf(last) : undefined,
    lastAtMs: last && Date.parse(last.timestamp),
  }
}

function ms(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}
