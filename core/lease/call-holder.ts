import { setTimeout as sleep } from "node:timers/promises"
import { LRUCache } from "lru-cache"
import { orchestratorFailedSentence } from "#contract/error-codes.ts"
import { Billing } from "../account/billing.ts"
import { ApiError, noSuchBridge, sessionUnavailable } from "../error.ts"
import { log } from "../platform/log.ts"
import { isPassing } from "../store/store.ts"
import { callHost, type Call, type HostAnswer } from "./call-host.ts"
import { Lease } from "./lease.ts"

/**
 * How long a call waits for a session that is moving, starting or connecting, here and at the host
 * (Contract, "Time to answer").
 */
const waitMs = 5000
/**
 * Every call but streams is answered within 50 s (Contract, "Time to answer"). The remaining second is for
 * the work before and after.
 */
const answerWithinMs = 49_000
const lookAgainMs = 200

/** Leases that are held. The lease of a stopped or free bridge is always read again. */
const heldLeases = new LRUCache<string, Lease.Info>({ max: 10_000, ttl: 2000 })

/** @throws ApiError `not_found` when the bridge has been deleted meanwhile. */
export async function freshLease(bridgeId: string): Promise<Lease.Info> {
  const lease = await Lease.get(bridgeId)
  if (!lease || lease.host === Lease.GONE) throw noSuchBridge()
  return lease
}

/**
 * The lease of a bridge that runs or wants to. A bridge paused for idleness is woken.
 * @throws ApiError `bridge_paused`, `bridge_suspended`, `bridge_moved`, `not_found`
 */
export async function wakeOrRefuse(bridgeId: string): Promise<Lease.Info> {
  for (;;) {
    const lease = await freshLease(bridgeId)
    if (lease.host !== Lease.STOPPED) return lease
    const why = Lease.whyStopped(lease)
    if (why !== "idle") throw mustNotRun(why)
    await Lease.wake(bridgeId, "idle")
  }
}

/**
 * The lease of a bridge that is to be changed, woken if it was paused for idleness.
 * @throws ApiError `orchestrator_failed` when the store fails to wake it (Contract, "Changing the webhook"),
 * and as `wakeOrRefuse` does. A store that cannot even be read is away: 503.
 */
export async function awakeLease(bridgeId: string, requestId: string): Promise<Lease.Info> {
  const lease = await freshLease(bridgeId)
  if (lease.host !== Lease.STOPPED) return lease
  try {
    return await wakeOrRefuse(bridgeId)
  } catch (error) {
    if (!isPassing(error)) throw error
    log.warn({ error, requestId, bridgeId }, "a bridge could not be woken")
    throw new ApiError("orchestrator_failed", orchestratorFailedSentence("woken"))
  }
}

function mustNotRun(reason: Lease.Reason | undefined): ApiError {
  if (reason === "moved") return new ApiError("bridge_moved")
  if (reason === "suspended") return new ApiError("bridge_suspended")
  if (reason === "customer")
    return new ApiError(
      "bridge_paused",
      "this bridge was paused in the dashboard: wake it there, in its settings",
    )
  if (reason !== "billing") return new ApiError("bridge_paused")
  return new ApiError(
    "bridge_paused",
    Billing.isOn()
      ? "this bridge is paused because the account has not paid: pay in the dashboard, and it runs again by itself"
      : "this bridge is paused for billing: settle the account's payment, then ask the operator of this service to wake it",
  )
}

/**
 * Calls the host that holds a bridge, following the bridge if it moves.
 * @throws ApiError `session_unavailable` when no host is found within 5 s, and as `wakeOrRefuse` and
 * `callHost` do.
 */
export async function callHolder(call: Call): Promise<HostAnswer> {
  const start = performance.now()
  let unreachableEpoch: number | undefined
  for (let tries = 0; performance.now() - start < waitMs; tries++) {
    // The first failure may come from a stale cache: the second try reads the lease at once.
    if (tries > 1) await sleep(lookAgainMs)
    const lease = heldLeases.get(call.bridgeId) ?? (await wakeOrRefuse(call.bridgeId))
    if (!Lease.isHeld(lease) || lease.epoch === unreachableEpoch) continue

    const spentMs = performance.now() - start
    const answer = await ask(lease, { ...call, waitMs: waitMs - spentMs }, answerWithinMs - spentMs)
    if (typeof answer !== "string") return answer
    if (answer === "unreachable") unreachableEpoch = lease.epoch
  }
  throw sessionUnavailable()
}

/**
 * Calls the host that holds a bridge, without waiting for one to take it.
 * @returns undefined when no host holds it.
 * @throws ApiError `session_unavailable` when its holder does not answer in time.
 */
export async function callHolderIfAny(call: Call, withinMs: number): Promise<HostAnswer | undefined> {
  const start = performance.now()
  for (let tries = 0; performance.now() - start < withinMs; tries++) {
    if (tries > 0) await sleep(lookAgainMs)
    const lease = await wakeOrRefuse(call.bridgeId)
    if (!Lease.isHeld(lease)) return undefined
    const leftMs = start + withinMs - performance.now()
    const answer = await ask(lease, { ...call, waitMs: Math.min(waitMs, leftMs) }, leftMs)
    if (typeof answer !== "string") return answer
  }
  throw sessionUnavailable()
}

async function ask(lease: Lease.Info, call: Call, withinMs: number) {
  const answer = await callHost(lease, call, withinMs)
  if (typeof answer === "string") heldLeases.delete(call.bridgeId)
  else heldLeases.set(call.bridgeId, lease, { noUpdateTTL: true })
  return answer
}
