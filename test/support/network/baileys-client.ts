import {
  type AuthenticationState,
  type ConnectionState,
  Curve,
  initAuthCreds,
  type KeyPair,
  makeWASocket,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  type WAMessage,
  type WAMessageUpdate,
} from "@whiskeysockets/baileys"
import { INITIAL_PREKEY_COUNT } from "@whiskeysockets/baileys/lib/Defaults/index.js"
import libraryLog from "@whiskeysockets/baileys/lib/Utils/logger.js"
import pino from "pino"

// The Signal library under Baileys prints its sessions, private keys and all.
const chatter =
  /^(Closing|Opening|Removing old|Session already|Decrypted message with|Failed to decrypt|Session error)/
for (const level of ["info", "warn", "error"] as const) {
  const print = console[level].bind(console)
  console[level] = (...said: unknown[]) => {
    if (typeof said[0] !== "string" || !chatter.test(said[0])) print(...said)
  }
}

// Its module for communities logs what it reads, whatever logger the socket has.
libraryLog.level = "silent"

/**
 * Credentials and keys of one device, kept in memory across its connections. Its first prekeys exist and are
 * not uploaded.
 */
export function newDevice(): AuthenticationState {
  const kept = new Map<string, unknown>()
  prekeys ??= Array.from({ length: INITIAL_PREKEY_COUNT }, () => Curve.generateKeyPair())
  for (const [i, pair] of prekeys.entries()) kept.set(`pre-key ${i + 1}`, pair)
  return {
    creds: { ...initAuthCreds(), nextPreKeyId: prekeys.length + 1 },
    keys: {
      get: <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const found: Record<string, SignalDataTypeMap[T]> = {}
        for (const id of ids) {
          const value = kept.get(`${type} ${id}`)
          // The value was stored under this type.
          if (value !== undefined) found[id] = copied(value) as SignalDataTypeMap[T]
        }
        return found
      },
      set: (data) => {
        for (const [type, entries] of Object.entries(data))
          for (const [id, value] of Object.entries(entries ?? {}))
            if (value === null || value === undefined) kept.delete(`${type} ${id}`)
            else kept.set(`${type} ${id}`, copied(value))
      },
    },
  }
}

/**
 * The prekeys that devices of this process begin with: making them anew would be a seventh of what a client
 * costs.
 */
let prekeys: KeyPair[] | undefined

/** A deep copy, as of a store. Bytes become buffers, which Baileys' Signal library needs. */
function copied(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value)
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copied(inner)]))
}

export type Client = ReturnType<typeof connect>

/** Everything that a socket has told, as it grows, and a way to wait for more. */
function toldBy(sock: ReturnType<typeof makeWASocket>, device: AuthenticationState) {
  const updates: Partial<ConnectionState>[] = []
  const messages: { message: WAMessage; type: string }[] = []
  const statuses: WAMessageUpdate[] = []
  const listeners = new Set<() => void>()
  const changed = () => listeners.forEach((listener) => listener())

  sock.ev.on("creds.update", (update) => {
    Object.assign(device.creds, update)
    changed()
  })
  sock.ev.on("connection.update", (update) => {
    updates.push(update)
    changed()
  })
  sock.ev.on("messages.upsert", (upsert) => {
    for (const message of upsert.messages) messages.push({ message, type: upsert.type })
    changed()
  })

  sock.ev.on("messages.update", (changes) => {
    statuses.push(...changes)
    changed()
  })

  /** The first result of `look`, now or later; fails when the test's patience ends. */
  const until = <T>(what: string, look: () => T | undefined, patienceMs = 15_000): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const check = () => {
      const found = look()
      if (found !== undefined) resolve(found)
    }
    const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), patienceMs)
    listeners.add(check)
    check()
    return promise.finally(() => {
      listeners.delete(check)
      clearTimeout(timer)
    })
  }
  return {
    messages,
    /** Every change of a message. */
    statuses,
    /** Every update about the connection. */
    updates,
    until,
    /** Makes `until` look again, for tests with listeners of their own. */
    changed,
  }
}

/** A real Baileys socket on this network. To reconnect, call it again with the same device. */
export function connect(
  network: { url: string },
  device: AuthenticationState = newDevice(),
  config: Partial<UserFacingSocketConfig> = {},
) {
  const sock = makeWASocket({
    auth: device,
    waWebSocketUrl: network.url,
    logger: pino({ level: process.env.BAILEYS_LOG ?? "silent" }),
    emitOwnEvents: false,
    ...config,
  })
  const told = toldBy(sock, device)
  const { messages, statuses, updates, until } = told
  return {
    sock,
    device,
    ...told,
    qr: () => until("a QR code", () => updates.findLast(({ qr }) => qr)?.qr),
    open: () => until("an open connection", () => updates.find(({ connection }) => connection === "open")),
    /** Open, and past the history that a new device waits for: from here on events come at once. */
    online: () =>
      until("being online", () => {
        const open = updates.some(({ connection }) => connection === "open")
        return open && (device.creds.accountSyncCounter ?? 0) > 0 ? true : undefined
      }),
    /** The status code with which the connection ended. */
    closed: () =>
      until("the end of the connection", () => {
        const end = updates.find(({ connection }) => connection === "close")
        if (!end) return undefined
        const error = end.lastDisconnect?.error as { output?: { statusCode?: number } } | undefined
        return error?.output?.statusCode ?? 0
      }),
    message: (text: string) =>
      until(`the message "${text}"`, () =>
        messages.find(
          ({ message }) =>
            (message.message?.conversation ?? message.message?.extendedTextMessage?.text) === text,
        ),
      ),
    /** Waits until the message has this status: 2 sent, 3 delivered, 4 read. */
    status: (id: string, status: number) =>
      until(`status ${status} of ${id}`, () =>
        statuses.find(({ key, update }) => key.id === id && Number(update.status) === status),
      ),
    close: () => void sock.end(undefined),
  }
}
