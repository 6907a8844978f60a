import { pack, type Store, unpack } from "../storage/store.ts"
import * as Jid from "../wire/jid.ts"
import type { Node } from "../wire/node.ts"
import { type DeviceAddress, deviceName } from "./directory.ts"

/** A stanza that waits until a device says that it has it. `n` orders all stanzas of the network. */
export interface WaitingStanza {
  n: number
  stanza: Node
}

/** What a device says that it has. */
interface Settled {
  tag: string
  id: string
  /** Tells ids of different senders apart. */
  from: string | undefined
  /** The number of the last stanza that was sent before the device said this. */
  sent: number
  /** Whose stanza it is, in a group. */
  participant: string | undefined
  /**
   * What only an ack says. A receipt has the id of its message, so `type` tells receipts of one message
   * apart. `recipient` is the chat of a message that the account itself sent.
   */
  acked?: { type: string | undefined; recipient: string | undefined }
}

/** The stanzas for devices. Each stays until the device's receipt or ack, so it comes at least once. */
export type Queue = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS queue (
      n INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT, class TEXT, id TEXT, chat TEXT, stanza BLOB NOT NULL
    );
    CREATE INDEX IF NOT EXISTS queue_by_device ON queue (device, n);
    CREATE INDEX IF NOT EXISTS queue_by_id ON queue (device, id);
  `)
  const insert = store.db.prepare(
    "INSERT INTO queue (device, class, id, chat, stanza) VALUES (?, ?, ?, ?, ?)",
  )
  const after = store.db.prepare("SELECT n, stanza FROM queue WHERE device = ? AND n > ? ORDER BY n LIMIT ?")
  const named = store.db.prepare(
    "SELECT n, stanza FROM queue WHERE device = ? AND id = ? AND class = ? AND n <= ? AND chat = ?",
  )
  const remove = store.db.prepare("DELETE FROM queue WHERE n = ?")
  const exists = store.db.prepare("SELECT 1 FROM queue WHERE n = ?")
  const counts = store.db.prepare("SELECT class, count(*) AS n FROM queue WHERE device = ? GROUP BY class")
  const notifications = store.db.prepare(
    "SELECT stanza FROM queue WHERE device = ? AND class = 'notification'",
  )
  const last = store.db.prepare("SELECT max(n) AS n FROM queue WHERE device = ?")
  const clear = store.db.prepare("DELETE FROM queue WHERE device = ?")

  return {
    /** Adds a stanza, and returns its number. */
    add(address: DeviceAddress, stanza: Node): number {
      const { id = "", from } = stanza.attrs
      const added = insert.run(deviceName(address), stanza.tag, id, chatOf(from), pack(stanza))
      return Number(added.lastInsertRowid)
    },
    /** Whether this stanza is queued: its transaction was kept, and it is not settled. */
    has: (n: number): boolean => exists.get(n) !== undefined,
    /** The next stanzas after number `n`, in order. */
    after: (address: DeviceAddress, n: number, limit: number): WaitingStanza[] =>
      after
        .all(deviceName(address), n, limit)
        .map((row) => ({ n: Number(row.n), stanza: unpack(row.stanza) as Node })),
    /** Settles what was sent under this id. */
    settle(address: DeviceAddress, settled: Settled): void {
      const { tag, id, sent, from } = settled
      for (const { n, stanza } of named.all(deviceName(address), id, tag, sent, chatOf(from)))
        if (isThis((unpack(stanza) as Node).attrs, settled)) remove.run(n!)
    },
    /** How many stanzas of each tag wait. */
    counts: (address: DeviceAddress): Record<string, number> =>
      Object.fromEntries(counts.all(deviceName(address)).map((row) => [String(row.class), Number(row.n)])),
    /** How many notifications wait that say that settings of the account changed. */
    settingChanges: (address: DeviceAddress): number =>
      notifications
        .all(deviceName(address))
        .filter((row) => (unpack(row.stanza) as Node).attrs.type === "server_sync").length,
    /** The number of the last one waiting, 0 when none is. */
    last: (address: DeviceAddress): number => Number(last.get(deviceName(address))?.n ?? 0),
    clear: (address: DeviceAddress) => clear.run(deviceName(address)),
  }
}

/**
 * Whether the device names this stanza, as it was sent. A message has receipts of several kinds and people.
 */
function isThis(waiting: Node["attrs"], { tag, from, participant, acked }: Settled): boolean {
  if (waiting.from !== undefined && from === undefined) return false
  // zapo acknowledges some notifications without their participant.
  if (tag === "notification") return true
  if (chatOf(waiting.participant) !== chatOf(participant)) return false
  if (!acked) return true
  // zapo acknowledges receipts without their recipient.
  if (tag === "receipt") return waiting.type === acked.type
  return chatOf(waiting.recipient) === chatOf(acked.recipient)
}

const chatOf = (from: string | undefined) => Jid.parse(from)?.user ?? ""
