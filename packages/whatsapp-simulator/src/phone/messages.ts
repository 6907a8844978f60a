import type { Archive } from "../storage/phone-messages.ts"
import { pack, unpack } from "../storage/store.ts"
import type { Opened } from "./content/sealed.ts"

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
  /** The content that was sealed under the secret of another message, if the phone has that one. */
  opened?: Opened
  /** Unix seconds, as the network stamped it. */
  timestamp: number
  /** Whether it waited for the phone. */
  offline: boolean
  /** How often it arrived; more than once is a duplicate by id. */
  times: number
}

/** The messages that one phone read and sent, in order. */
export type Messages = ReturnType<typeof messagesOf>

export function messagesOf(archive: Archive, pn: string) {
  const { insert, select, selectOne, selectLast, selectChats } = archive
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
    /** Removes messages of a chat. */
    remove(chat: string, isMeant: (message: Message) => boolean): void {
      for (const message of archive.selectChat.all(pn, chat).map(messageOf))
        if (isMeant(message)) archive.remove.run(message.n)
    },
    /** The number of its newest message, 0 when there is none. */
    last: (): number => Number(selectLast.get(pn)?.n ?? 0),
    /** Every chat there is a message in. */
    chats: (): string[] => selectChats.all(pn).map(({ chat }) => String(chat)),
    /** Tells those who wait that there is something new. */
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
