import { createHash } from "node:crypto"
import { z } from "zod"
import type { Event } from "#contract/event.ts"
import { Choice } from "#core/bridge/choice.ts"
import { isGroup, isLid, isPhoneJid } from "#core/message/jid.ts"
import { now, nowMs } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { wellFormedJson } from "#core/platform/well-formed-json.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { asEdited, asRevoked, type Change, isChange, isTooLate } from "../content/changes.ts"
import { lidsIn, phonesIn } from "../content/chat-and-sender.ts"
import { fromMessage } from "../content/message.ts"
import { stanzaFormOf } from "../content/resent-by-phone.ts"
import type { Put, SessionStore, Stored } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { MessageContent, Outgoing, Received } from "../network/connection.ts"
import { decodeBare } from "../network/decode.ts"
import type { Own } from "../network/happening.ts"

export type MessageEvent = Extract<Event, { event: "message" }>

interface TranscriptParts {
  store: SessionStore
  login: { vault: Pick<SessionVault, "login" | "phoneOf" | "otherAddress" | "namesOf"> }
  choice: () => Choice.Info
  /** Until when the account has removed the messages of a chat, Unix seconds. */
  clearedUntil: (chat: string) => Promise<number>
  log: Logger
}

/** A message that the API sends. */
type Said = Pick<Outgoing, "messageId" | "chat" | "message" | "askedMs">

/** A message in the transcript, in the form of its event. */
export interface Line {
  message: MessageEvent
  /** Its place in its chat: later messages have greater ones. */
  place: string
  /** The size of its row. */
  bytes: number
}

const day = 86_400
/** In bytes: a row holds 400 KB. */
const largest = 380_000

/**
 * What was said in a bridge's chats, for as long as its customer keeps that (`keep`): a row for each message,
 * in the form of its event. An incoming message is written in the unit of its event, and an outgoing one in
 * the unit that lets it leave, so each is there once. The keys are the chat and the time, so that a chat can
 * be read from any time on without other rows. The chat is hashed together with the account's own number: a
 * customer who links another phone to the bridge cannot read the chats of the last phone.
 */
export class Transcript {
  readonly #parts: TranscriptParts
  /**
   * The time of the last row, in ms. Of two messages within a second, the one that came later gets the
   * greater time.
   */
  #lastMs = 0
  /** Rows of messages from before the link that the phone has recently sent. */
  readonly #former = boundedCache<true>(20_000)

  constructor(parts: TranscriptParts) {
    this.#parts = parts
  }

  /** For how many days messages are kept; undefined: they are not kept. */
  get days(): number | undefined {
    return this.#parts.choice().keep
  }

  /** Whether this event is a message to be kept. */
  takes(event: Event): event is MessageEvent {
    return event.event === "message" && this.#takesChat(event.chat_id)
  }

  /** The message as it is after its last change. @throws SessionEnded */
  async asNow(message: MessageEvent, change: Change | undefined): Promise<MessageEvent> {
    if (change?.what === "revoke") return asRevoked(message)
    const own = this.#parts.login.vault.login
    const { message_id: id, chat_id: remoteJid, from_me: fromMe, contact_id: participant } = message
    if (!change || !own || isTooLate(message.timestamp, change)) return message
    const key = { id, remoteJid, fromMe, participant }
    const [edit] = stanzaFormOf({ key, message: change.content, messageTimestamp: message.timestamp }, own)
    const said = edit && (await this.wordsOf(edit, own))
    return said ? asEdited(message, said) : message
  }

  /**
   * The row of a message.
   * @param earlier the key of the row that it replaces
   * @throws Error for a message that is too large for any row: a hostile one, which is parked as its event
   * would be
   */
  row(message: MessageEvent, earlier?: string): Put {
    const json = wellFormedJson(message)
    if (Buffer.byteLength(json) > largest) throw new Error(`a message of ${json.length} characters`)
    const former = this.#formerSk(message)
    const known = this.#former.has(former) ? former : earlier
    if (known) return this.#put(known, json, message)
    const atMs = Math.max(nowMs(), this.#lastMs + 1)
    this.#lastMs = atMs
    return this.#put(this.#skOf(message, padded(atMs, 13)), json, message)
  }

  /**
   * The row of a message from before the link. If the phone sends the message again, or the network then
   * delivers it, it gets the same row, for as long as the session lives.
   */
  oldRow(message: MessageEvent): Put {
    const sk = this.#formerSk(message)
    this.#former.set(sk, true)
    return this.#put(sk, wellFormedJson(message), message)
  }

  /** The row of a message from before `keep` was set. @param order its place among those of one second */
  pastRow(message: MessageEvent, order: number): Put {
    return this.#put(this.#skOf(message, padded(order, 13)), wellFormedJson(message), message)
  }

  /**
   * The key of a message's row, under any address of its chat, if it has one. `time`: about when it was sent,
   * since the row of what was sent here has the time when that was asked for.
   * @throws SessionEnded
   */
  async keyOf(message: { messageId: string; chat: string; time: number }): Promise<string | undefined> {
    const { store, login } = this.#parts
    const id = hashed(message.messageId).slice(0, 11)
    const times = [0, -100, 100].map((more) => padded(message.time + more, 10).slice(0, -2))
    for (const chat of await login.vault.namesOf(message.chat))
      for (const time of times) {
        const sks = await store.names(this.#prefixOf(chat) + time)
        const found = sks.find((sk) => sk.endsWith(`#${id}`))
        if (found) return found
      }
    return undefined
  }

  /** The names of the messages in the transcript of a chat (a JID), under each address of the person. */
  async names(chat: string): Promise<Set<string>> {
    const { store, login } = this.#parts
    const found = new Set<string>()
    for (const one of await login.vault.namesOf(chat)) {
      const prefix = this.#prefixOf(one)
      for (const sk of await store.names(prefix)) found.add(nameIn(sk.slice(prefix.length)))
    }
    return found
  }

  /** What tells a message from the others of its chat: its time and its id. */
  nameOf(message: MessageEvent): string {
    return nameIn(this.#formerSk(message).slice(this.#prefixOf(message.chat_id).length))
  }

  #formerSk(message: MessageEvent): string {
    return this.#skOf(message, padded(0, 13))
  }

  #skOf(message: MessageEvent, order: string): string {
    const { chat_id, timestamp, message_id } = message
    return `${this.#prefixOf(chat_id)}${padded(timestamp, 10)}#${order}#${hashed(message_id).slice(0, 11)}`
  }

  #put(sk: string, json: string, { timestamp }: MessageEvent): Put {
    const expires_at = Math.min(now(), timestamp) + (this.days ?? 0) * day
    return this.#parts.store.put(sk, json, { expires_at })
  }

  /**
   * The row of a message that is to be sent; undefined if the message is not to be kept, or has nothing that
   * people see. A message whose row cannot be made is sent all the same.
   */
  async rowOf(outgoing: Said): Promise<{ said: MessageEvent; row: Put } | undefined> {
    const { log } = this.#parts
    if (!this.#takesChat(outgoing.chat)) return undefined
    try {
      const said = await this.saidBy(outgoing)
      return said && !isChange(said) ? { said, row: this.row(said) } : undefined
    } catch (error) {
      if (error instanceof SessionEnded) throw error
      log.warn(
        { error, messageId: outgoing.messageId },
        "a message that is sent was not written in its transcript",
      )
      return undefined
    }
  }

  /**
   * What a message of the account says, in the form of an event, at the time when it was asked for: the
   * network's time is not known before it has left. Undefined if it has nothing that people see.
   * @throws SessionEnded
   */
  async saidBy({ messageId, chat, message, askedMs }: Said): Promise<MessageEvent | undefined> {
    const at = askedMs === undefined ? now() : Math.floor(askedMs / 1000)
    const own = this.#parts.login.vault.login
    const key = { id: messageId, remoteJid: chat, fromMe: true }
    const [sent] = own ? stanzaFormOf({ key, message: decodeBare(message), messageTimestamp: at }, own) : []
    return own && sent && (await this.wordsOf(sent, own))
  }

  /**
   * What a message says, in the form of its event; undefined if it has nothing that people see.
   * @throws SessionEnded
   */
  async wordsOf(message: { attrs: Received["attrs"]; content: MessageContent }, own: Own) {
    const { vault } = this.#parts.login
    const about = { ...message, own }
    const { recipient = "", from = "" } = message.attrs
    const lids = [...lidsIn(about), recipient, from].filter(isLid)
    const pairs = await Promise.all(lids.map(async (lid) => [lid, await vault.phoneOf(lid)] as const))
    const phones = new Map([...phonesIn(message.attrs, own), ...pairs])
    const said = fromMessage({ ...about, phones })[0]?.event
    return said?.event === "message" ? said : undefined
  }

  /**
   * The messages of a chat (a JID), newest first, under each address of the person. `since` and `until` are
   * Unix seconds, the second excluded; `before` is the place of a message.
   * @throws SessionEnded
   */
  async *backwards(
    chat: string,
    from: { since?: number | undefined; until?: number | undefined; before?: string | undefined },
  ): AsyncGenerator<Line> {
    const { store } = this.#parts
    const since = padded(Math.max(from.since ?? 0, await this.#shownSince(chat)), 10)
    const until = from.until === undefined ? "~" : padded(from.until, 10)
    const before = from.before !== undefined && from.before < until ? from.before : until
    const prefixes = [...(await this.#parts.login.vault.namesOf(chat))].map((name) => this.#prefixOf(name))
    const rows = prefixes.map((prefix) =>
      lines(store.backwards(prefix, { from: since, before }), (sk) => sk.slice(prefix.length)),
    )
    yield* merged(rows)
  }

  /**
   * The time, in Unix seconds, before which messages of a chat are not shown, even if they are still kept
   * from a time of a longer `keep`, or are about to be removed, since the account has removed them.
   */
  async #shownSince(chat: string): Promise<number> {
    return Math.max(now() - (this.days ?? 0) * day, (await this.#parts.clearedUntil(chat)) + 1)
  }

  /** The oldest message of a chat (a JID) that is kept. @throws SessionEnded */
  async oldest(chat: string): Promise<MessageEvent | undefined> {
    if (this.days === undefined) return undefined
    const after = padded(await this.#shownSince(chat), 10)
    const prefixes = [...(await this.#parts.login.vault.namesOf(chat))].map((name) => this.#prefixOf(name))
    const first = prefixes.map(async (prefix) => {
      const [row] = await this.#parts.store.page(prefix, { after, limit: 1 })
      return row ? [Written.parse(JSON.parse(row.secret.toString()))] : []
    })
    const [oldest] = (await Promise.all(first)).flat().toSorted((a, b) => a.timestamp - b.timestamp)
    return oldest
  }

  #takesChat(chat: string): boolean {
    const isConversation = isGroup(chat) || isPhoneJid(chat) || isLid(chat)
    return this.days !== undefined && isConversation && !Choice.ignores(this.#parts.choice(), chat)
  }

  #prefixOf(chat: string): string {
    const own = this.#parts.login.vault.login?.jid ?? ""
    return `SAID#${hashed(`${own}\n${chat}`)}#`
  }
}

/** The event as it was written. */
const Written = z.custom<MessageEvent>()
const Expiring = z.object({ expires_at: z.number().int() })

async function* lines(rows: AsyncIterable<Stored>, placeOf: (sk: string) => string): AsyncGenerator<Line> {
  for await (const { sk, row, secret } of rows) {
    // DynamoDB removes expired rows late.
    if (Expiring.parse(row).expires_at <= now()) continue
    const message = Written.parse(JSON.parse(secret.toString()))
    yield { message, place: placeOf(sk), bytes: secret.length }
  }
}

/** The name in a place: its time and the hash of the id, without the order. */
function nameIn(place: string): string {
  const [time, , id] = place.split("#")
  return `${time}#${id}`
}

/** Several lists, each newest first, as one. */
async function* merged(lists: AsyncGenerator<Line>[]): AsyncGenerator<Line> {
  const heads = await Promise.all(lists.map((list) => list.next()))
  for (;;) {
    const next = heads.reduce<number>((best, head, i) => {
      const [one, other] = [head, heads[best]]
      if (one.done) return best
      return !other || other.done || one.value.place > other.value.place ? i : best
    }, -1)
    const head = heads[next]
    if (!head || head.done) return
    yield head.value
    heads[next] = await lists[next]!.next() // the list of this head
  }
}

/** A number as a text with leading zeros, so that texts sort as their numbers do. */
export function padded(value: number, digits: number): string {
  return String(Math.max(0, value)).padStart(digits, "0")
}

/** A hash for use in a key: a JID is a phone number. */
export function hashed(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22)
}
