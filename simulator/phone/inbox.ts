import { pack, type Store, unpack } from "../store.ts"
import type { Opened } from "./sealed.ts"

/** A message as a phone has it: received, or sent by it or a companion of its account. */
export interface Message {
  /** Grows with each message of any phone. */
  n: number
  id: string
  /** The other party's number, or the group's address. */
  chat: string
  /** The sender's number. */
  from: string
  from_device: number
  from_me: boolean
  text: string
  /** The first field of the decrypted message, such as `conversation` or `imageMessage`. */
  kind: string
  /** The whole message, as protobuf's JSON: bytes in base64. */
  content: unknown
  /** What was sealed in it under the secret of another message that the phone has. */
  opened?: Opened
  /** Unix seconds, as the network stamped it. */
  timestamp: number
  /** Whether it waited for the phone. */
  offline: boolean
  /** How often it arrived; more than once is a duplicate by id. */
  times: number
}

/** Where all phones' messages are kept. */
export type Archive = ReturnType<typeof open>

export function open(store: Store) {
  store.db.exec(`
    CREATE TABLE IF NOT EXISTS inbox (
      n INTEGER PRIMARY KEY AUTOINCREMENT, pn TEXT, chat TEXT, sender TEXT, id TEXT, times INTEGER, data BLOB NOT NULL,
      UNIQUE (pn, chat, sender, id)
    );
    CREATE INDEX IF NOT EXISTS inbox_by_phone ON inbox (pn, n)
  `)
  return {
    insert: store.db.prepare(`
      INSERT INTO inbox (pn, chat, sender, id, times, data) VALUES (?, ?, ?, ?, 1, ?)
      ON CONFLICT (pn, chat, sender, id) DO UPDATE SET times = times + 1
    `),
    select: store.db.prepare("SELECT n, times, data FROM inbox WHERE pn = ? AND n > ? ORDER BY n"),
    selectOne: store.db.prepare(
      "SELECT n, times, data FROM inbox WHERE pn = ? AND chat = ? AND id = ? ORDER BY n DESC LIMIT 1",
    ),
    selectLast: store.db.prepare("SELECT max(n) AS n FROM inbox WHERE pn = ?"),
    selectChats: store.db.prepare("SELECT DISTINCT chat FROM inbox WHERE pn = ?"),
  }
}

/** What one phone read and sent, in order. */
export type Inbox = ReturnType<typeof inboxOf>

export function inboxOf({ insert, select, selectOne, selectLast, selectChats }: Archive, pn: string) {
  const listeners = new Set<() => void>()

  return {
    /** Keeps it; if there is one of this id already, counts that it has come again. */
    add(message: Omit<Message, "n" | "times">): void {
      const { chat, from, id } = message
      insert.run(pn, chat, from, id, pack(message))
    },
    /** The newest message with this id in a chat. */
    find(chat: string, id: string): Message | undefined {
      const row = selectOne.get(pn, chat, id)
      return row && messageOf(row)
    },
    /** The number of its newest message, 0 when there is none. */
    last: (): number => Number(selectLast.get(pn)?.n ?? 0),
    /** Every chat there is a message in. */
    chats: (): string[] => selectChats.all(pn).map(({ chat }) => String(chat)),
    /** Tells whoever waits that there is something new. */
    announce: () => listeners.forEach((listener) => listener()),
    /** The messages after number `n` that match, in order. */
    after(n: number, matches: (message: Message) => boolean = () => true): Message[] {
      const found: Message[] = []
      for (const row of select.iterate(pn, n)) {
        const message = messageOf(row)
        if (matches(message)) found.push(message)
      }
      return found
    },
    listen(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function messageOf(row: Record<string, unknown>): Message {
  const kept = unpack(row.data) as Omit<Message, "n" | "times">
  return { n: Number(row.n), ...kept, times: Number(row.times) }
}
