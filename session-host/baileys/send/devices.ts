import type { JidWithDevice, PossiblyExtendedCacheStore } from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"
import { perVault } from "#session-host/concurrency/per-vault.ts"

/** A device as Baileys keeps it; it names the server, too, which its type does not say. */
export type Device = JidWithDevice & { server: string }

/** How much is remembered per session, in bytes: some ten thousand people. */
const mostBytes = 1_500_000

/** The size of a person's entry beside name and devices, about. */
const overhead = 100

const ttlMs = 12 * 3600 * 1000

export type DeviceLists = ReturnType<typeof newLists>

/** The devices of a session's contacts. The network tells of changes, also of those that came while we were away. */
export const devicesOf = perVault(newLists)

/** By the user part of an address. */
function newLists() {
  const entries = new LRUCache<string, string>({
    maxSize: mostBytes,
    sizeCalculation: (value, user) => user.length + value.length + overhead,
    ttl: ttlMs,
  })
  const set = (user: string, devices: Device[]) =>
    void entries.set(user, devices.map(({ device, server }) => `${device ?? 0}@${server}`).join(" "))
  const get = (user: string) => {
    const entry = entries.get(user)
    return entry === undefined ? undefined : read(user, entry)
  }
  return {
    has: (user: string) => entries.has(user),
    get,
    set,
    /** Their list of devices is out of date. */
    forget: (user: string) => void entries.delete(user),
    /** The cache that Baileys wants. It says itself which type it has put in. */
    asCache: (): PossiblyExtendedCacheStore => ({
      get: (user) => get(user) as never,
      set: (user, devices) => set(user, devices as Device[]),
      del: (user) => void entries.delete(user),
      flushAll: () => entries.clear(),
    }),
  }
}

function read(user: string, entry: string): Device[] {
  return entry.split(" ").flatMap((text) => {
    const [device, server] = text.split("@")
    return server ? [{ user, device: Number(device), server }] : []
  })
}
