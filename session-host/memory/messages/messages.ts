import { createHash } from "node:crypto"
import { z } from "zod"
import { now, nowMs } from "#core/platform/clock.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import { asNow, type Change, identityOf, supersedes, type Target } from "#session-host/content/changes.ts"
import type { MessageIdentity } from "#session-host/content/mapped.ts"
import { chatOf, type Remembered } from "#session-host/content/remembered.ts"
import { decodeBare, encodeBare } from "#session-host/network/decode.ts"
import {
  joinSecret,
  splitSecret,
  type Put,
  type SessionStore,
  type SessionWrite,
  type Stored,
} from "../rows.ts"
import type { SessionVault } from "../vault.ts"
import { type Sent, sentMessage } from "./sent.ts"

/** Contract, "Remembered messages": 30 days. */
const rememberedFor = 30 * 86_400
/** For how many messages a list looks up changes at once (`changesOf`). */
export const changesAtOnce = 50
/** The longest `keep`: kept messages are shown as they are now, too. */
const changedFor = 90 * 86_400
/** The network keeps an unreceipted message for 14 days. */
const seenFor = 14 * 86_400

/**
 * In bytes. A stranger's message must not make a row that the store refuses: an item holds 400 KB. The
 * longest text takes two thirds of this.
 */
const largest = 300_000
const longestName = 10_000

/** Everything that a message's row says. */
export interface KnownMessage {
  /** The key of its row. */
  sk: string
  /** Hashes of its ciphertexts that were decrypted. */
  seen: string[]
  /**
   * The number of the event that the message became; 0 if the message is in the transcript alone; undefined
   * if it became no event.
   */
  event?: number | undefined
  /** The message that others may refer to. */
  remembered?: Remembered | undefined
  /** Of a message of ours: the account that wrote it. */
  own?: string | undefined
  /** Set if a change of it came before it. */
  isChanged?: true | undefined
  /** When its row was first written, in ms. */
  at: number
}

/** A message, and what became of it. */
export interface Recalled extends Remembered {
  /** Of a message that the API sent. */
  sent?: Sent
  /**
   * Written by an account whose phone was linked to the bridge before: its chats with people are not this
   * account's.
   */
  isFormer?: true
  /** Of every other message: when it came, in Unix milliseconds. */
  atMs?: number
}

/** A change that is under way. */
export interface Changing {
  /** Its writes. Called when their unit is made; none if a later change is there. */
  writes: () => SessionWrite[]
  /** The writes that take it back, unless another change has come. */
  withdrawal: () => SessionWrite[]
}

/**
 * The messages that a bridge has received or that were written on its phone, a row each. A row says which
 * ciphertexts brought the message, which event it became, and what replies, votes and edits need of it. The
 * key of a row begins with the message's id, so that one query finds all candidates. The chat and the author
 * follow, since authors choose the ids of their messages. Messages sent by the API are remembered by their
 * `SEND` rows alone. What an edit or a revocation makes of a message is a row beside it, which may be there
 * before it (`content/changes.ts`): whoever reads a message gets it as it is now.
 */
export class Messages {
  readonly #store: SessionStore
  readonly #login: { vault: Pick<SessionVault, "login" | "namesOf"> }
  /** The keys of recently made rows. */
  readonly #lately = boundedCache<true>(1000)
  /** The last change under each key, for those that are under way: few, since an edit may be long. */
  readonly #changed = boundedCache<Change>(50)

  constructor(store: SessionStore, login: { vault: Pick<SessionVault, "login" | "namesOf"> }) {
    this.#store = store
    this.#login = login
  }

  /** The message of this identity. It may be kept under any address of its author. @throws SessionEnded */
  async find(identity: MessageIdentity): Promise<KnownMessage | undefined> {
    const [found] = await this.findAll([identity])
    return found
  }

  /** The messages of these identities, by position, in as few requests as possible. @throws SessionEnded */
  async findAll(identities: MessageIdentity[]): Promise<(KnownMessage | undefined)[]> {
    const keys = identities.map(keysOf)
    const rows = await this.#store.getAll([...new Set(keys.flat())])
    const known = new Map(rows.map((row) => [row.sk, fromRow(row)]))
    return keys.map((sks) => together(sks.flatMap((sk) => known.get(sk) ?? [])))
  }

  /** Whether a row of this message is among the last thousand made: an earlier read may be out of date. */
  wasMadeLately(identity: MessageIdentity): boolean {
    return keysOf(identity).some((sk) => this.#lately.has(sk))
  }

  /** The record of a message that arrives for the first time. */
  unknown(identity: MessageIdentity): KnownMessage {
    return { sk: keysOf(identity)[0]!, seen: [], at: nowMs() } // an identity has a key
  }

  /** The write that stores a record. */
  row(known: KnownMessage): Put {
    const { seen, event, isChanged, at } = known
    const remembered = isNameable(known.remembered) ? known.remembered : undefined
    const { content, ...about } = remembered ?? { content: undefined }
    const own = remembered?.fromMe ? (known.own ?? this.#login.vault.login?.jid) : undefined
    const head: z.infer<typeof Head> = {
      ...about,
      own,
      seen,
      isChanged,
      ...(event !== undefined && { event }),
    }
    const body = content ? bodyOf(content) : Buffer.alloc(0)
    const secret = joinSecret(JSON.stringify(head), body)
    const expires_at = now() + (remembered ? rememberedFor : seenFor)
    this.#lately.set(known.sk, true)
    // In milliseconds, since two messages of one id may come within a second.
    return this.#store.put(known.sk, secret, { at, expires_at })
  }

  /**
   * Reads what there is of a message before it is changed (`change`), and makes the writes of the change when
   * their unit is made: so the last change counts, however many are under way.
   * @param isOfKnown whether the message is remembered. Otherwise a row of it shows, when it comes, that
   * there is a change.
   * @throws SessionEnded
   */
  async changing(change: Change, isOfKnown = true): Promise<Changing> {
    if (!isNameable(change.of)) return { writes: () => [], withdrawal: () => [] }
    const identity = identityOf(change.of)
    const [sk] = changeKeysOf(identity) as [string] // an identity has a key
    const stored = await this.#store.get(sk)
    const known = isOfKnown ? undefined : ((await this.find(identity)) ?? this.unknown(identity))
    const announced = known && known.event === undefined ? [this.row({ ...known, isChanged: true })] : []
    let before: Change | undefined
    return {
      writes: () => {
        const last = this.#changed.get(sk) ?? (stored && changeOf(stored))
        // The unit of a message that is sent may be made once more.
        if (last !== change) {
          if (!supersedes(change, last)) return []
          before = last
          this.#changed.set(sk, change)
        }
        return [this.#changeRow(sk, change), ...announced]
      },
      withdrawal: () => {
        if (this.#changed.get(sk) !== change) return []
        if (!before) this.#changed.delete(sk)
        else this.#changed.set(sk, before)
        return [before ? this.#changeRow(sk, before) : this.#store.remove(sk)]
      },
    }
  }

  #changeRow(sk: string, { content, ...about }: Change): Put {
    const secret = joinSecret(JSON.stringify(about), bodyOf(content))
    return this.#store.put(sk, secret, { expires_at: now() + changedFor })
  }

  /** The last change of each of these messages, by position. @throws SessionEnded */
  async changesOf(identities: MessageIdentity[]): Promise<(Change | undefined)[]> {
    const keys = identities.map(changeKeysOf)
    const rows = await this.#store.getAll([...new Set(keys.flat())])
    const changes = new Map(rows.map((row) => [row.sk, changeOf(row)]))
    return keys.map((sks) => lastOf(sks.flatMap((sk) => changes.get(sk) ?? [])))
  }

  /** Messages that the API has sent, as they are now. @throws SessionEnded */
  async sentNow(sent: Sent[]): Promise<Recalled[]> {
    const changes = await this.changesOf(sent.map(({ messageId: id }) => ({ id, fromMe: true, forms: [] })))
    return sent.map((each, at) => asNow(asRecalled(each, this.#login.vault.login?.jid), changes[at]))
  }

  /**
   * Every remembered message of this id that others may have got, as `recall` gives them.
   * @throws SessionEnded
   */
  async all(id: string): Promise<Recalled[]> {
    return (await this.recall(id)).filter(({ sent }) => sent?.state !== "failed")
  }

  /**
   * Every remembered message of this id, as it is now: ours first, then those of others in order of arrival.
   * So a sender cannot put a message of theirs in place of an earlier one.
   * @throws SessionEnded
   */
  async recall(id: string): Promise<Recalled[]> {
    const own = this.#login.vault.login?.jid
    const sent = await sentMessage(this.#store, id)
    const ours = sent ? [asRecalled(sent, own)] : []
    const rows = await this.#store.list(prefixOf(id))
    const changes = rows.filter(({ sk }) => sk.includes(changedInfix)).map(changeOf)
    const others = rows
      .filter(({ sk }) => !sk.includes(changedInfix))
      .map(fromRow)
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ remembered, own: author, at }) =>
        remembered ? { ...remembered, ...formerAuthor({ own: author }, own), atMs: at } : [],
      )
    const found = [...ours, ...others.toSorted((a, b) => Number(b.fromMe) - Number(a.fromMe))]
    if (changes.length === 0) return found
    return await Promise.all(
      found.map(async (message) => asNow(message, await this.#lastOf(message, changes))),
    )
  }

  /** The last of these changes of this message. Either may name a person by number or by private id. */
  async #lastOf(message: Recalled, changes: Change[]): Promise<Change | undefined> {
    const { vault } = this.#login
    const isSame = async (one: string, other: string) =>
      one === other || (await vault.namesOf(one)).has(other)
    const isAbout = async ({ of }: Change) =>
      of.fromMe
        ? message.fromMe || message.isFormer
        : !message.fromMe &&
          (await isSame(chatOf(message), chatOf(of))) &&
          (await isSame(message.sender, of.sender))
    const about = await Promise.all(changes.map(async (change) => ((await isAbout(change)) ? [change] : [])))
    return lastOf(about.flat())
  }
}

/** What the API has sent, as a message. @param own the JID of the account that is linked now, if one is */
function asRecalled(sent: Sent, own: string | undefined): Recalled {
  const { messageId: id, chat, message, askedMs = 0 } = sent
  const time = sent.state === "sent" ? Math.floor(askedMs / 1000) : sent.timestamp
  const ours = { id, chat, sender: "", fromMe: true, time, content: decodeBare(message), sent }
  return { ...ours, ...formerAuthor(sent, own) }
}

/** The author of a message of ours, if that is not the account that is linked now (`own`). */
function formerAuthor(
  written: { own?: string | undefined },
  own: string | undefined,
): { sender: string; fromMe: false; isFormer: true } | undefined {
  if (!written.own || !own || written.own === own) return undefined
  return { sender: written.own, fromMe: false, isFormer: true }
}

/** A name that distinguishes a message within its bridge and reveals nothing about it. */
export function fileNameOf({ id, chat, sender, fromMe }: Remembered): string {
  return `${short(id)}-${fromMe ? "own" : short(`${chat}\n${sender}`)}`
}

/** The form in which a row records a decrypted ciphertext. */
export function seenAs(hash: string): string {
  return hash.slice(0, 32)
}

const Head = z.object({
  id: z.string().optional(),
  chat: z.string().optional(),
  sender: z.string().optional(),
  fromMe: z.boolean().optional(),
  time: z.number().optional(),
  own: z.string().optional(),
  seen: z.array(z.string()),
  event: z.number().int().optional(),
  isChanged: z.literal(true).optional(),
  unknown: z.object({ kind: z.string(), body: z.string() }).optional(),
})

function fromRow({ sk, row, secret }: Stored): KnownMessage {
  const { line, bytes } = splitSecret(secret)
  const { id, chat, sender, fromMe, time = 0, ...about } = Head.parse(JSON.parse(line))
  const { own, seen, event, isChanged, unknown } = about
  const isRemembered = id !== undefined && chat !== undefined && sender !== undefined && fromMe !== undefined
  return {
    sk,
    seen,
    event,
    own,
    isChanged,
    remembered: isRemembered
      ? { id, chat, sender, fromMe, time, content: decodeBare(bytes), unknown }
      : undefined,
    at: z.number().parse(row.at),
  }
}

/** Merges two rows that were written before it was known that both addresses belong to one person. */
function together([first, ...more]: KnownMessage[]): KnownMessage | undefined {
  if (!first) return undefined
  return more.reduce(
    (one, other) => ({
      ...one,
      seen: [...one.seen, ...other.seen],
      event: one.event ?? other.event,
      isChanged: one.isChanged ?? other.isChanged,
      remembered: one.remembered ?? other.remembered,
    }),
    first,
  )
}

/** Whether a reply can refer to the message: senders' ids and addresses may be of any length. */
function isNameable(named: Target | undefined): boolean {
  return named !== undefined && (named.id + named.chat + named.sender).length < longestName
}

/**
 * The whole content if it is not too large; otherwise the secrets that open answers, if these are not too
 * large.
 */
function bodyOf(content: Remembered["content"]): Uint8Array {
  const bytes = encodeBare(content)
  if (bytes.length <= largest) return bytes
  const secrets = encodeBare({ messageContextInfo: content.messageContextInfo })
  return secrets.length <= largest ? secrets : Buffer.alloc(0)
}

/** The keys under which the message may be stored, the one for a new row first. */
function keysOf({ id, fromMe, forms }: MessageIdentity): string[] {
  if (fromMe || forms.length === 0) return [`${prefixOf(id)}own`]
  return forms.map(({ chat, sender }) => `${prefixOf(id)}${short(`${chat}\n${sender}`)}`)
}

/**
 * The keys under which a change of the message may be stored, the one for a new row first. They name the chat
 * in which phones show it: an event does not say to which list of people its message was sent.
 */
function changeKeysOf({ id, fromMe, forms }: MessageIdentity): string[] {
  const prefix = prefixOf(id)
  const shown = forms.map(({ chat, sender }) => ({ chat: chatOf({ chat, sender, fromMe }), sender }))
  return keysOf({ id, fromMe, forms: shown }).map((sk) => prefix + changedInfix + sk.slice(prefix.length))
}

const ChangeHead = z.object({
  what: z.enum(["edit", "revoke"]),
  of: z.object({ id: z.string(), chat: z.string(), sender: z.string(), fromMe: z.boolean() }),
  madeMs: z.number(),
  time: z.number(),
})

function changeOf({ secret }: Stored): Change {
  const { line, bytes } = splitSecret(secret)
  return { ...ChangeHead.parse(JSON.parse(line)), content: decodeBare(bytes) }
}

function lastOf(changes: Change[]): Change | undefined {
  return changes.reduce<Change | undefined>((last, one) => (supersedes(one, last) ? one : last), undefined)
}

/** Hashed, since an id may have any length and any characters, and a JID is a phone number. */
function prefixOf(id: string): string {
  return `MESSAGE#${short(id)}#`
}

/** The mark in the key of a row that says how a message was changed. Hashes have no `#`. */
const changedInfix = "changed#"

function short(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22)
}
