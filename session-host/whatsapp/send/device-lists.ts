import { hash } from "node:crypto"
import { jidEncode, type JidWithDevice, type PossiblyExtendedCacheStore } from "@whiskeysockets/baileys"
import { LRUCache } from "lru-cache"

/** A device as Baileys keeps it; it names the server, too, which its type does not say. */
export type Device = JidWithDevice & {
  server: string
  /**
   * The network has refused its keys, and is not asked for them again until its owner's list changes, or is
   * half a day old.
   */
  hasNoKeys?: true
}

export function jidOf({ user, server, device }: Device): string {
  return jidEncode(user, server as Parameters<typeof jidEncode>[1], device)
}

/** How much is remembered per session, in bytes: some ten thousand people. */
const mostBytes = 1_500_000

/** The size of a person's entry beside name and devices, about. */
const overhead = 200

const ttlMs = 12 * 3600 * 1000

export type DeviceLists = ReturnType<typeof newDeviceLists>

/**
 * The devices of a session's contacts, by the user part of an address. The network reports changes, also
 * those from while we were away.
 */
export function newDeviceLists() {
  /** Users by their hash. It has three bytes, so now and then two people share one. */
  const hashed = new Map<string, Set<string>>()
  const entries = new LRUCache<string, string>({
    maxSize: mostBytes,
    sizeCalculation: (value, user) => user.length + value.length + overhead,
    ttl: ttlMs,
    onInsert(_value, user) {
      const key = contactHash(user)
      hashed.set(key, (hashed.get(key) ?? new Set()).add(user))
    },
    disposeAfter(_value, user) {
      if (entries.has(user)) return
      const key = contactHash(user)
      const users = hashed.get(key)
      users?.delete(user)
      if (users?.size === 0) hashed.delete(key)
    },
  })
  const set = (user: string, devices: Device[]) => void entries.set(user, devices.map(written).join(" "))
  const get = (user: string) => {
    const entry = entries.get(user)
    return entry === undefined ? undefined : read(user, entry)
  }
  return {
    has: (user: string) => entries.has(user),
    get,
    set,
    /** The network has refused the keys of these devices. */
    noteNoKeys(refused: Device[]): void {
      for (const user of new Set(refused.map((device) => device.user))) {
        const without = new Set(refused.filter((device) => device.user === user).map(addressOf))
        const list = get(user)?.map((each) =>
          without.has(addressOf(each)) ? { ...each, hasNoKeys: true as const } : each,
        )
        // That makes the list no newer.
        if (list) entries.set(user, list.map(written).join(" "), { noUpdateTTL: true })
      }
    },
    /** The users with known lists whose user part has this hash: the network names contacts by it. */
    withHash: (ofUser: string): string[] => [...(hashed.get(ofUser) ?? [])],
    /** A user's list of devices is out of date. */
    forget: (user: string) => void entries.delete(user),
    /** The cache that Baileys wants. Baileys itself knows the type of what it has put in. */
    asCache: (): PossiblyExtendedCacheStore => ({
      get: (user) => get(user) as never,
      set: (user, devices) => set(user, devices as Device[]),
      del: (user) => void entries.delete(user),
      flushAll: () => entries.clear(),
    }),
  }
}

/**
 * The first three bytes of an MD5 of a number or private id, in Base64 (`WAWebApiContact`; whatsapp-rust,
 * `crypto.rs`).
 */
function contactHash(user: string): string {
  return hash("md5", `${user}WA_ADD_NOTIF`, "buffer").subarray(0, 3).toString("base64")
}

const addressOf = ({ device, server }: Device) => `${device ?? 0}@${server}`
const written = (device: Device) => `${addressOf(device)}${device.hasNoKeys ? noKeys : ""}`
/** After the address of a device whose keys were refused. */
const noKeys = "!"

function read(user: string, entry: string): Device[] {
  return entry.split(" ").flatMap((text) => {
    const hasNoKeys = text.endsWith(noKeys)
    const [device, server] = (hasNoKeys ? text.slice(0, -noKeys.length) : text).split("@")
    if (!server) return []
    return [{ user, device: Number(device), server, ...(hasNoKeys && { hasNoKeys }) }]
  })
}
