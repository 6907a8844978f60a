import type { BinaryNode } from "@whiskeysockets/baileys"
import { now } from "#core/platform/clock.ts"

export type NetworkClock = ReturnType<typeof newNetworkClock>

/** The network's time, which it tells at a login: this host's may be minutes ahead or behind. */
export function newNetworkClock() {
  let heard: { t: number; atMs: number } | undefined
  return {
    /** Unix seconds; this host's own before the login, or if that tells none. */
    now: (): number => (heard ? heard.t + Math.floor((performance.now() - heard.atMs) / 1000) : now()),
    /** Takes every frame. */
    take: ({ tag, attrs }: BinaryNode): void => {
      const t = Number(attrs.t)
      if (tag === "success" && Number.isSafeInteger(t) && t > 0) heard = { t, atMs: performance.now() }
    },
  }
}
