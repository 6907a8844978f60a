import { type Address, key } from "./directory.ts"

/** A subscription is forgotten after this long; clients that want more ask again. */
const keptMs = 15 * 60_000

/** People's presence: who is there, when the others were last, and who wants to know. Gone with the process, as with a server. */
export type Presence = ReturnType<typeof create>

export function create() {
  const available = new Set<string>()
  const lastSeen = new Map<string, number>()
  const watchers = new Map<string, Map<string, { until: number; mode: "lid" | "pn" }>>()

  return {
    /** Whether any device of the person looks. */
    isAvailable: (pn: string) => [...available].some((device) => device.startsWith(`${pn}:`)),
    /** Unix seconds; undefined when never seen. */
    lastSeen: (pn: string) => lastSeen.get(pn),
    set(device: Address, looks: boolean) {
      if (looks) available.add(key(device))
      else if (available.delete(key(device))) lastSeen.set(device.user, Math.floor(Date.now() / 1000))
    },
    watch(pn: string, device: Address, mode: "lid" | "pn") {
      const those = watchers.get(pn) ?? new Map<string, { until: number; mode: "lid" | "pn" }>()
      those.set(key(device), { until: Date.now() + keptMs, mode })
      watchers.set(pn, those)
    },
    /** Devices that want to know about this person, and how they name it. */
    watching: (pn: string) =>
      [...(watchers.get(pn) ?? [])]
        .filter(([, { until }]) => until > Date.now())
        .map(([device, { mode }]) => ({ device, mode })),
    /** A device's subscriptions end with its connection. */
    leave(device: Address) {
      available.delete(key(device))
      for (const those of watchers.values()) those.delete(key(device))
    },
    /** All subscriptions decay now. */
    forget: () => watchers.clear(),
  }
}
