import { z } from "zod"
import type { Choice } from "#core/bridge/choice.ts"
import { now } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { Commits } from "../memory/commits.ts"
import type { SessionStore, SessionWrite } from "../memory/rows.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { ChatSetting, FormerChat } from "../network/happening.ts"
import { hashed, type MessageEvent, padded, type Transcript } from "./transcript.ts"

/** A chat, as its row stores it. */
const Chat = z.object({
  /** A group's JID, or a person's: the JID of their phone number, if it was known last. */
  jid: z.string(),
  /** Of a group, as the network had it at `namedAt` (Unix seconds); `""`: not known. */
  name: z.string().default(""),
  namedAt: z.number().int().default(0),
  /** The time of its last message, Unix seconds. */
  lastAt: z.number().int().default(0),
  /** How many messages of others have not been read on any of the account's devices. */
  unread: z.number().int().default(0),
  /** Whether the account has marked the chat as unread. */
  isMarked: z.boolean().default(false),
  isArchived: z.boolean().default(false),
  isPinned: z.boolean().default(false),
  /** Unix seconds; 0: the chat is not muted, -1: it is muted for ever. */
  mutedUntil: z.number().int().default(0),
  /** Messages until then are not shown any more, Unix seconds. */
  clearedUntil: z.number().int().default(0),
  /** The account has deleted the chat, and nobody has written in it since. */
  isDeleted: z.boolean().default(false),
})
export type Chat = z.infer<typeof Chat>

interface ChatsParts {
  store: SessionStore
  commits: Pick<Commits, "note">
  login: { vault: Pick<SessionVault, "login" | "phoneOf" | "otherAddress"> }
  transcript: Pick<Transcript, "keyOf">
  choice: () => Choice.Info
  log: Logger
}

/** Where a chat's row is, and the time of the chat's last message. */
export interface Place {
  sk: string
  lastAt: number
}

/** The attributes of a row that the order of chats depends on. Unix seconds. */
const Head = z.object({
  last_at: z.number(),
  expires_at: z.number().default(Infinity),
  is_deleted: z.boolean().optional(),
})
type Head = z.infer<typeof Head>

/** The chats of a login by their rows, once a customer has asked for the list. */
interface Listed {
  prefix: string
  heads: Map<string, Head>
  isRead: Promise<void>
}

/** The most chats whose order a session remembers: some 5 MB. With more, each list reads all of them. */
const mostListed = 20_000

const day = 86_400

/**
 * The chats of a bridge that keeps messages, a row each: what is shown of them in a list. A message changes
 * the row in the unit that keeps the message, so it is counted once. Only the session writes its rows, so it
 * trusts what it has read or written. A row that strangers' messages have made expires with the last of them;
 * the row of a chat for which the account has set something stays.
 */
export class Chats {
  readonly #parts: ChatsParts
  readonly #known = boundedCache<Entry>(2000)
  #listed: Listed | undefined

  constructor(parts: ChatsParts) {
    this.#parts = parts
  }

  /** Whether chats are kept: they are if the bridge keeps messages. */
  get areKept(): boolean {
    return this.#parts.choice().keep !== undefined
  }

  /**
   * Reads what `said`, `read` and `set` need of a chat (a JID) before they change it.
   * @throws SessionEnded
   */
  async load(jid: string): Promise<LoadedChat> {
    const { store, login } = this.#parts
    const { vault } = login
    const [phone, lid] = [await vault.phoneOf(jid), await vault.otherAddress(jid)]
    const former = [jid, lid].flatMap((other) => (other && other !== phone ? this.#skOf(other) : []))
    const sk = this.#skOf(phone)
    const known = this.#known.get(sk)
    if (known) return { sk, jid: phone, entry: known }
    // The chat may still be kept under the LID, from a time when the number was not known.
    const rows = await store.getAll([sk, ...former])
    const found = rows.find((row) => row.sk === sk) ?? rows[0]
    // The row may have been read meanwhile.
    const entry = this.#known.get(sk) ?? {
      chat: found && Chat.parse(JSON.parse(found.secret.toString())),
      former: rows.map((row) => row.sk).filter((other) => other !== sk),
    }
    this.#known.set(sk, entry)
    return { sk, jid: phone, entry }
  }

  /**
   * The writes of a message that is kept: the message is the chat's last one, and unread if another person
   * wrote it.
   */
  said(loaded: LoadedChat, message: MessageEvent): SessionWrite[] {
    const before = this.#chatAt(loaded)
    const isNew = message.edit === undefined && message.type !== "reaction"
    const unread = message.from_me ? 0 : before.unread + Number(isNew)
    return this.#change(loaded, {
      lastAt: Math.max(before.lastAt, message.timestamp),
      unread,
      isMarked: before.isMarked && !message.from_me,
      isDeleted: before.isDeleted && message.timestamp <= before.clearedUntil,
    })
  }

  /**
   * Notes that the account has read this chat. If the note is lost, the chat is shown as unread until it is
   * read again.
   */
  async read(jid: string): Promise<void> {
    if (!this.areKept) return
    const loaded = await this.load(jid)
    const { unread, isMarked } = this.#chatAt(loaded)
    if (unread > 0 || isMarked) this.#parts.commits.note(this.#change(loaded, { unread: 0, isMarked: false }))
  }

  /** Takes in what the account's phone, or another of its devices, has set for chats. @throws SessionEnded */
  async set(settings: ChatSetting[]): Promise<void> {
    if (!this.areKept) return
    const { commits, store, transcript } = this.#parts
    for (const setting of settings) {
      const loaded = await this.load(setting.jid)
      const { deleted } = setting
      const line = deleted && (await transcript.keyOf({ ...deleted, chat: loaded.jid }))
      if (line) commits.note([store.remove(line)])
      if (!deleted) commits.note(this.#change(loaded, withSetting(this.#chatAt(loaded), setting)))
    }
  }

  /**
   * The writes of a chat from before the link, as the phone shows it; `newest`: the time of the latest kept
   * message in it.
   */
  async former({ jid, name, unread, ...settings }: FormerChat, newest: number): Promise<SessionWrite[]> {
    const loaded = await this.load(jid)
    const before = this.#chatAt(loaded)
    const { isArchived, isPinned, mutedUntil } = settings
    const isSet = isArchived || isPinned || mutedUntil !== 0
    if (newest === 0 && !isSet && !loaded.entry.chat) return []
    // Messages that the network delivered are already counted.
    const isNews = newest > before.lastAt
    const isBack = newest > before.clearedUntil
    return this.#change(loaded, {
      // A setting that is off here may only have been left out. The account's settings say whether it is
      // really off.
      ...(isArchived && { isArchived }),
      ...(isPinned && { isPinned }),
      ...(mutedUntil !== 0 && { mutedUntil }),
      ...(name && !before.name && { name }),
      ...(isNews && { lastAt: newest, unread: before.unread + unread }),
      ...(isBack && { isDeleted: false }),
    })
  }

  /** The chat of this address; undefined if it is not in the list. @throws SessionEnded */
  async get(jid: string): Promise<Chat | undefined> {
    const loaded = await this.load(jid)
    const { chat } = loaded.entry
    return chat && !chat.isDeleted ? this.#chatAt(loaded) : undefined
  }

  /** Until when the messages of a chat are not shown any more, Unix seconds. @throws SessionEnded */
  async clearedUntil(jid: string): Promise<number> {
    return this.#chatAt(await this.load(jid)).clearedUntil
  }

  /** Stores new names of groups. */
  async name(names: Map<string, string>): Promise<void> {
    for (const [jid, name] of names) {
      const loaded = await this.load(jid)
      this.#parts.commits.note(this.#change(loaded, { name, namedAt: now() }))
    }
  }

  /** Every chat's place, the one with the latest message first. @throws SessionEnded */
  async places(): Promise<Place[]> {
    if (this.#listed?.prefix !== this.#prefix) this.#listed = this.#read(this.#prefix)
    const { heads, isRead } = this.#listed
    await isRead
    // DynamoDB removes expired rows late.
    for (const [sk, { expires_at, is_deleted }] of heads)
      if (is_deleted || expires_at <= now()) heads.delete(sk)
    if (heads.size > mostListed) this.#listed = undefined
    return [...heads].map(([sk, { last_at }]) => ({ sk, lastAt: last_at })).toSorted(later)
  }

  /** Reads the places of the chats. A place that changes meanwhile is already in `heads`, and is newer. */
  #read(prefix: string): Listed {
    const heads = new Map<string, Head>()
    const reading = async () => {
      for (const { sk, row } of await this.#parts.store.heads(prefix, [
        "last_at",
        "expires_at",
        "is_deleted",
      ]))
        if (!heads.has(sk)) heads.set(sk, Head.parse(row))
    }
    const isRead = reading().catch((error: unknown) => {
      this.#listed = undefined
      throw error
    })
    return { prefix, heads, isRead }
  }

  #list(sk: string, head: Head): void {
    if (!this.#listed || !sk.startsWith(this.#listed.prefix)) return
    this.#listed.heads.set(sk, head)
    if (this.#listed.heads.size > mostListed) this.#listed = undefined
  }

  /** The chats at these places, in this order. @throws SessionEnded */
  async at(places: Place[]): Promise<Chat[]> {
    const rows = await this.#parts.store.getAll(places.map(({ sk }) => sk))
    return rows.map(({ secret }) => Chat.parse(JSON.parse(secret.toString())))
  }

  #chatAt({ entry, jid }: LoadedChat): Chat {
    return { ...(entry.chat ?? Chat.parse({ jid })), jid }
  }

  #change(loaded: LoadedChat, change: Partial<Chat>): SessionWrite[] {
    const { store, choice } = this.#parts
    const chat = { ...this.#chatAt(loaded), ...change }
    loaded.entry.chat = chat
    const isSet = chat.isArchived || chat.isPinned || chat.mutedUntil !== 0
    const expires_at = now() + (choice().keep ?? 0) * day
    const is_deleted = chat.isDeleted && { is_deleted: true }
    const row = { last_at: chat.lastAt, ...(!isSet && { expires_at }), ...is_deleted }
    const former = loaded.entry.former.splice(0)
    this.#list(loaded.sk, Head.parse(row))
    for (const sk of former) this.#list(sk, { last_at: 0, expires_at: 0 })
    return [store.put(loaded.sk, JSON.stringify(chat), row), ...former.map((sk) => store.remove(sk))]
  }

  get #prefix(): string {
    return `CHAT#${hashed(this.#parts.login.vault.login?.jid ?? "").slice(0, 11)}#`
  }

  #skOf(jid: string): string {
    return this.#prefix + hashed(jid)
  }
}

/** What is known of a row. */
interface Entry {
  /** Undefined if there is no row. */
  chat: Chat | undefined
  /** Rows of the same person under another address, to be removed. */
  former: string[]
}

/** A chat whose row was read. */
export interface LoadedChat {
  sk: string
  jid: string
  entry: Entry
}

/** The chat once this was set for it. */
export function withSetting(chat: Chat, setting: ChatSetting): Chat {
  const { jid: _jid, isRead, clearedUntil, isDeleted, deleted: _deleted, ...set } = setting
  const read = { unread: 0, isMarked: false }
  if (clearedUntil !== undefined) {
    const until = Math.max(chat.clearedUntil, clearedUntil)
    // What came later than the account's devices knew stays, and its chat with it.
    if (chat.lastAt > until) return { ...chat, clearedUntil: until }
    const gone = isDeleted && { isDeleted, isArchived: false, isPinned: false, mutedUntil: 0 }
    return { ...chat, ...read, ...gone, clearedUntil: until }
  }
  // A chat that is not there is not set off again.
  const isBack = Boolean(set.isArchived) || Boolean(set.isPinned) || Boolean(set.mutedUntil)
  const there = { ...chat, ...set, isDeleted: chat.isDeleted && !isBack }
  if (isRead === undefined) return there
  return isRead ? { ...there, ...read } : { ...there, isMarked: true }
}

/** Sorts the latest first. */
function later(one: Place, other: Place): number {
  return other.lastAt - one.lastAt || (one.sk < other.sk ? -1 : 1)
}

/** The `after` of a page whose chats come behind this place. */
export function placeName({ sk, lastAt }: Place): string {
  return `${padded(lastAt, 10)} ${sk}`
}

/** Whether a place is behind the one of that name. */
export function isBehind(place: Place, name: string): boolean {
  const [lastAt = "", sk = ""] = name.split(" ")
  return later({ lastAt: Number(lastAt), sk }, place) < 0
}
