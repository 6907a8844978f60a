export * as Healing from "./healing.ts"

import { now, nowMs } from "../platform/clock.ts"
import { Delivery } from "./delivery.ts"

// What was given up while a receiver failed is sent again by itself once it answers (Contract, "Healing").
// The state of that is one attribute of the delivery's row, which whoever holds the claim writes together
// with what it writes anyway: where nothing was given up, it costs nothing. A process that dies loses the
// outcome of the attempt under way, and no more.
//
// A turn begins when the receiver has answered again, or at its next probe, and takes one event after the
// other. It ends where the receiver fails again: what is left keeps its place for the next turn.

type Info = Delivery.Healing

/**
 * After so many turns that failed though the receiver took others meanwhile, what failed is left undelivered.
 * After so many in vain, the events behind the first are tried, too, as they are behind one that is refused:
 * so many failures in a row end a turn, since the receiver then most likely takes nothing.
 */
const most = 5
/** The longest wait between two turns, in seconds: six hours. */
const longestWait = 6 * 3600

/** For how many seconds the next turn waits: each time a quarter longer, so it is no more than that late. */
function waitAfter(turns: number): number {
  return Math.min(longestWait, Math.ceil(Delivery.allowedLateness() * 1.25 ** turns))
}

/** Whether something may be sent again now. While events wait for a receiver that fails, those are tried. */
export function isDue(held: Delivery.Info, hasMore: boolean): held is Delivery.Info & { healing: Info } {
  if (!isWanted(held) || held.isRemoved || held.isMoved || held.pausedAt !== undefined) return false
  if (hasMore && held.failingSince !== undefined) return false
  return held.healing.resumesAt <= now() || held.healing.resumesAt > now() + 2 * longestWait
}

/** When the next turn begins where nothing else wakes the delivery; undefined if none is to begin. */
export function probeAt(held: Delivery.Info): number | undefined {
  if (!isWanted(held)) return undefined
  return Delivery.isResting(held) ? now() + longestWait : held.healing.resumesAt
}

function isWanted(held: Delivery.Info): held is Delivery.Info & { healing: Info } {
  return held.heals && held.healing !== undefined && held.receiver.url !== ""
}

/** Whether the receiver is known to fail: the last turn has ended in vain, if none of its attempts did. */
export function isStopped({ healing }: Delivery.Info): boolean {
  return healing !== undefined && healing.turns > 0
}

/**
 * The parts of an update that give up event `n`: from the first one on, what was given up is to be sent
 * again.
 */
export function beginning({ heals, healing }: Delivery.Info, n: number) {
  if (!heals) return { set: "", remove: "", values: {} }
  const nothing = { turns: 0, strikes: 0, passed: false, sent: 0, left: 0 }
  const { turns, ...before } = healing ?? { ...nothing, after: n - 1 }
  const next: Info = { ...before, turns, resumesAt: now() + waitAfter(turns) }
  return { set: ", healing = :healing", remove: "", values: { ":healing": next } }
}

/**
 * The parts of an update that says that the receiver has taken an event in its turn, or one that was asked
 * for: if it had failed, the next turn begins now, or soon after the last one.
 */
export function passing(held: Delivery.Info) {
  const { healing, failingSince } = held
  if (!healing || (healing.passed && failingSince === undefined)) return { set: "", remove: "", values: {} }
  const soon = healing.resumesAt - waitAfter(healing.turns) + waitAfter(0)
  const after: Info = { ...healing, passed: true, resumesAt: failingSince === undefined ? soon : 0 }
  return { set: ", healing = :healing", remove: "", values: { ":healing": after } }
}

/** An event was taken again. Those that failed before it in this turn are left. */
export function taken(healing: Info, n: number, failed: number): Info {
  const begun = { ...healing, turns: 0, strikes: 0, passed: true }
  const { backMs = nowMs(), sent, left } = healing
  return { ...begun, after: n, backMs, sent: sent + 1, left: left + failed }
}

/**
 * An event has failed again, the last of `failed` in a row: the turn goes on or ends.
 * @param isRefusal the receiver's answer was about this event alone
 */
export function failed(
  healing: Info,
  { n, failed, isRefusal }: { n: number; failed: number; isRefusal: boolean },
): { healing: Info; end: "next" | "left" | "turn" } {
  if (failed < most && (isRefusal || healing.turns >= most)) return { healing, end: "next" }
  return endOfTurn(healing, { n, failed })
}

/** A turn ends at event `n`, after so many failures in a row, or since nothing is left behind them. */
export function endOfTurn(healing: Info, { n, failed }: { n: number; failed: number }) {
  const strikes = healing.strikes + Number(healing.passed)
  const turns = healing.turns + 1
  if (strikes >= most) {
    const left = { after: n, left: healing.left + failed, strikes: 0, turns: 0 }
    return { healing: { ...healing, ...left }, end: "left" as const }
  }
  const resumesAt = now() + waitAfter(turns)
  const ended = { strikes, turns, resumesAt, passed: false }
  return { healing: { ...healing, ...ended }, end: "turn" as const }
}

/**
 * The parts of an update that writes this state, or removes it, if `all` is done. Once a turn is over, what
 * it has sent again is told.
 */
export function writing(healing: Info, isOver: "over" | "all" | false) {
  const { backMs, sent, left, ...kept } = healing
  const told =
    isOver && backMs !== undefined
      ? { at: Math.floor(backMs / 1000), events: sent, left, tookMs: Math.max(0, nowMs() - backMs) }
      : undefined
  const next: Info = told ? { ...kept, sent: 0, left: 0 } : healing
  return {
    set: `${isOver === "all" ? "" : ", healing = :healing"}${told ? ", recovered = :recovered" : ""}`,
    remove: isOver === "all" ? ", healing" : "",
    values: {
      ...(isOver !== "all" && { ":healing": next }),
      ...(told && { ":recovered": told satisfies Delivery.Recovered }),
    },
  }
}
