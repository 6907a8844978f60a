import type { BinaryNode } from "@whiskeysockets/baileys"
import { now } from "#core/platform/clock.ts"

export type NetworkClock = ReturnType<typeof newNetworkClock>

/**
 * The network's time, which the network says at a login: the clock of this host may be minutes ahead or
 * behind.
 */
export function newNetworkClock() {
  let heard: { t: number; atMs: number } | undefined
  return {
    /** Unix seconds; this host's own time before the login, or if the login says no time. */
    now: (): number => (heard ? heard.t + Math.floor((performance.now() - heard.atMs) / 1000) : now()),
    /** Gets every frame. */
    onFrame: ({ tag, attrs }: BinaryNode): void => {
      const t = Number(attrs.t)
      if (tag === "success" && Number.isSafeInteger(t) && t > 0) heard = { t, atMs: performance.now() }
    },
  }
}
