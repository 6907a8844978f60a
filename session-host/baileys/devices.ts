import type { PossiblyExtendedCacheStore } from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"

/** Contacts remembered per session. */
const most = 2_000

const ttlMs = 12 * 3600 * 1000

const known = new WeakMap<object, PossiblyExtendedCacheStore>()

/**
 * The devices of a session's contacts, remembered for as long as its vault lives, over all its connections: Baileys
 * forces a new Signal session on a contact whenever it asks for the devices, which by default is each five minutes
 * and after each reconnect. The network tells of changes, also of those that came while we were away.
 */
export function devicesOf(vault: object): PossiblyExtendedCacheStore {
  const cache = known.get(vault) ?? newCache()
  known.set(vault, cache)
  return cache
}

function newCache(): PossiblyExtendedCacheStore {
  const entries = new LRUCache<string, { value: unknown }>({ max: most, ttl: ttlMs })
  return {
    // Baileys' interface lets each caller say what it has put in.
    get: (key) => entries.get(key)?.value as never,
    set: (key, value) => void entries.set(key, { value }),
    del: (key) => void entries.delete(key),
    flushAll: () => entries.clear(),
  }
}
