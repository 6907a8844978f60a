import { randomUUID } from "node:crypto"
import type { z } from "zod"
import type { Attempt } from "#core/contract/delivery.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { nowMs } from "#core/platform/clock.ts"
import { SessionStatus } from "#core/contract/session.ts"
import { ApiError } from "#core/error.ts"
import { Lease } from "#core/lease/lease.ts"
import { log } from "#core/platform/log.ts"
import type { Evidence } from "#dashboard/parts/evidence.ts"
import { callHolderIfAny } from "#core/lease/call-holder.ts"
import { AttemptLog } from "#core/event/attempts.ts"
import { Deliveries } from "#core/event/delivery-report.ts"
import { type Receiving, whyOf } from "#dashboard/parts/receiver.ts"

/** How long a page waits for a session's word. A session that lives answers within milliseconds. */
const patienceMs = 2000

/** How a bridge stands now, by its session host's own word; without one, by what was last written down. */
export async function evidenceOf(bridge: Bridge.Info): Promise<Evidence> {
  const lease = await Lease.get(bridge.id)
  if (!lease || lease.host === Lease.GONE) return { kind: "gone" }
  const state = Lease.stateOf(lease)
  if (state === "suspended") return { kind: "suspended" }
  if (state === "paused" && lease.reason !== "idle")
    return { kind: "paused", reason: lease.reason ?? "manual" }
  if (state === "paused") return { kind: "idle" }
  const last = lease.told && { status: lease.told.status, sinceMs: lease.told.since * 1000 }
  if (!Lease.isHeld(lease)) return { kind: "unheld", ...(last && { last }) }
  const said = await askSession(bridge.id)
  return said ? { kind: "said", ...said, atMs: nowMs() } : { kind: "silent", ...(last && { last }) }
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
    Deliveries.summary(bridge.id),
    attempts ?? AttemptLog.latest(bridge.id),
  ])
  return {
    url,
    waiting: summary.waiting,
    resending: summary.resending,
    headId: summary.head,
    oldestMs: ms(summary.oldest_at),
    failingSinceMs: ms(summary.failing_since),
    retryAtMs: ms(summary.next_attempt_at),
    lastError: last && !last.success ? whyOf(last) : undefined,
    lastAtMs: last && Date.parse(last.timestamp),
  }
}

function ms(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}
