import { createHash } from "node:crypto"
import { nowMs } from "#core/platform/clock.ts"
import type { LoginStanding } from "../memory/login-standing.ts"
import type { Connection } from "../network/connection.ts"
import type { Timing } from "../timing.ts"

/** How many times a session checks whether it is due, from one daily presence to the next. */
const looks = 144
/** How many times it checks, while it is shown, whether it is still to be: each 5 s. */
const checks = 60

interface Input {
  bridgeId: string
  timing: Pick<Timing, "dailyPresenceEachMs" | "dailyPresenceMs">
  standing: Pick<LoginStanding, "isAvailable" | "shownMs" | "noteShown">
  /** Whether the customer wants the daily presence. */
  isWanted: () => boolean
  /** The connection, if it is open. */
  connection: () => Connection | undefined
  onError: (error: unknown) => void
}

/**
 * Shows a session as available for some minutes a day, from now on (Contract, "Presence"). A phone warns its
 * owner of a linked device that was never available for fifteen days, and offers to log it out
 * (`docs/network.md`). A presence lasts only a few minutes, since a phone rings less while another device is
 * available.
 * @returns a function that ends the daily presence
 */
export function startDailyPresence(input: Input): () => void {
  const { bridgeId, timing, standing } = input
  let shown: NodeJS.Timeout | undefined

  async function showIfDue(): Promise<void> {
    const connection = input.connection()
    if (!connection || standing.isAvailable) return
    // The phone has just been linked.
    if (standing.shownMs === undefined) return await standing.noteShown()
    if (!input.isWanted() || !isDue(bridgeId, standing.shownMs, timing.dailyPresenceEachMs)) return
    // Written first: if this host dies during a presence, the next host does not begin a second one.
    await standing.noteShown()
    await connection.setAvailable(true)
    const endsMs = performance.now() + timing.dailyPresenceMs
    // A customer who wants it no more does not wait for its end.
    shown = setInterval(() => {
      if (input.isWanted() && performance.now() < endsMs) return
      clearInterval(shown)
      hide(connection).catch(input.onError)
    }, timing.dailyPresenceMs / checks).unref()
  }
  async function hide(connection: Connection): Promise<void> {
    if (!standing.isAvailable && input.connection() === connection) await connection.setAvailable(false)
  }
  const looking = setInterval(
    () => void showIfDue().catch(input.onError),
    timing.dailyPresenceEachMs / looks,
  ).unref()
  return () => {
    clearInterval(looking)
    clearInterval(shown)
  }
}

/**
 * Whether the bridge's time of day has come since it was last shown. Each bridge has a time of its own, so
 * that not all bridges appear at once.
 */
export function isDue(bridgeId: string, shownMs: number, eachMs: number, atMs = nowMs()): boolean {
  const hash = createHash("sha256").update(bridgeId).digest().readUInt32BE()
  const begunMs = atMs - ((atMs - (hash % eachMs)) % eachMs)
  // A time in the future comes from a clock that has been set back since.
  return shownMs < begunMs || shownMs > atMs
}
