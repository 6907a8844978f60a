import { ApiError } from "#core/error.ts"
import { callHost, type Call } from "../lease/call-host.ts"
import { Lease } from "../lease/lease.ts"
import { log } from "../platform/log.ts"
import { Bridge } from "./bridge.ts"

/** The time the holder may take to unlink the session from the network. The bridge is deleted in any case. */
const logOutWithinMs = 10_000
/** The holder is fenced already and would find out by itself. */
const notifyWithinMs = 1000

/** Deletes a bridge: logs it out if a host holds it, then fences and removes it in one transaction. */
export async function remove(bridge: Bridge.Info, requestId: string): Promise<void> {
  const lease = await Lease.get(bridge.id)
  const about = { bridgeId: bridge.id, requestId }
  const holder = lease && Lease.isHeld(lease) ? lease : undefined
  if (holder) await notify(holder, { ...about, method: "DELETE", path: "/logout" }, logOutWithinMs)
  await Bridge.remove(bridge)
  log.info(about, "bridge deleted")
  if (holder) await notify(holder, { ...about, method: "POST", path: "/look-at-lease" }, notifyWithinMs)
}

async function notify(holder: Lease.Info, call: Call, withinMs: number): Promise<void> {
  const { bridgeId, requestId, path } = call
  try {
    const answer = await callHost(holder, call, withinMs)
    if (typeof answer !== "string" && answer.status < 300) return
    log.warn(
      { bridgeId, requestId, path, answer: typeof answer === "string" ? answer : answer.status },
      "the holder did not carry out a call",
    )
  } catch (error) {
    // The bridge is deleted, whatever the holder does.
    if (!(error instanceof ApiError)) throw error
  }
}
