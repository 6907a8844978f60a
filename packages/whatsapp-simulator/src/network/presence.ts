import { type DeviceAddress, deviceName } from "./directory.ts"

/** A subscription is forgotten after this long; clients that want more ask again. */
const keptMs = 15 * 60_000

/**
 * A device that watches a person's presence, with the form in which it names the person, and the token that
 * it has shown.
 */
export interface Watcher {
  device: DeviceAddress
  mode: "lid" | "pn"
  token: Buffer | undefined
}

/**
 * People's presence: who is there, when the others were last, and who wants to know. Gone with the process,
 * as with a server.
 */
export type Presence = ReturnType<typeof create>

export function create() {
  const available = new Set<string>()
  const lastSeen = new Map<string, number>()
  const watchers = new Map<string, Map<string, { until: number; watcher: Watcher }>>()

  return {
    /** Whether any device of the person looks. */
    isAvailable: (pn: string) => [...available].some((device) => device.startsWith(`${pn}:`)),
    /** Unix seconds; undefined when never seen. */
    lastSeen: (pn: string) => lastSeen.get(pn),
    set(device: DeviceAddress, looks: boolean) {
      if (looks) available.add(deviceName(device))
      else if (available.delete(deviceName(device))) lastSeen.set(device.user, Math.floor(Date.now() / 1000))
    },
    watch(pn: string, watcher: Watcher) {
      const those = watchers.get(pn) ?? new Map<string, { until: number; watcher: Watcher }>()
      those.set(deviceName(watcher.device), { until: Date.now() + keptMs, watcher })
      watchers.set(pn, those)
    },
    /** The devices that watch this person. */
    watching: (pn: string): Watcher[] =>
      [...(watchers.get(pn)?.values() ?? [])].flatMap(({ until, watcher }) =>
        until > Date.now() ? [watcher] : [],
      ),
    /** A device's subscriptions end with its connection. */
    leave(device: DeviceAddress) {
      available.delete(deviceName(device))
      for (const those of watchers.values()) those.delete(deviceName(device))
    },
    /** All subscriptions decay now. */
    forget: () => watchers.clear(),
  }
}
