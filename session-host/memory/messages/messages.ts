import { createHash } from "node:crypto"
import { z } from "zod"
import { now, nowMs } from "#core/platform/clock.ts"
import { boundedCache } from "#session-host/bounded-cache.ts"
import type { MessageIdentity } from "#session-host/content/mapped.ts"
import type { Remembered } from "#session-host/content/remembered.ts"
import { decodeBare, encodeBare } from "#session-host/network/decode.ts"
import { joinSecret, splitSecret, type Put, type SessionStore, type Stored } from "../rows.ts"
import { type Sent, sentMessage } from "./sent.ts"

/** Contract, "Remembered messages": 30 days. */
const rememberedFor = 30 * 86_400
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

/**
 * The messages that a bridge has received or that were written on its phone, a row each. A row says which
 * ciphertexts brought the message, which event it became, and what replies, votes and edits need of it. The
 * key of a row begins with the message's id, so that one query finds all candidates. The chat and the author
 * follow, since authors choose the ids of their messages. Messages sent by the API are remembered by their
 * `SEND` rows alone.
 */
export class Messages {
  readonly #store: SessionStore
  readonly #own: () => string | undefined
  /** The keys of recently made rows. */
  readonly #lately = boundedCache<true>(1000)

  /** @param own the JID of the account that is linked now, if one is */
  constructor(store: SessionStore, own: () => string | undefined) {
    this.#store = store
    this.#own = own
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
    const { seen, event, at } = known
    const remembered = isNameable(known.remembered) ? known.remembered : undefined
    const { content, ...about } = remembered ?? { content: undefined }
    const own = remembered?.fromMe ? (known.own ?? this.#own()) : undefined
    const head: z.infer<typeof Head> = { ...about, own, seen, ...(event !== undefined && { event }) }
    const body = content ? bodyOf(content) : Buffer.alloc(0)
    const secret = joinSecret(JSON.stringify(head), body)
    const expires_at = now() + (remembered ? rememberedFor : seenFor)
    this.#lately.set(known.sk, true)
    // In milliseconds, since two messages of one id may come within a second.
    return this.#store.put(known.sk, secret, { at, expires_at })
  }

  /** The write that stores a poll in its form after a change, beside the row of the original poll. */
  changedRow(poll: Remembered): Put {
    const { content, ...about } = poll
    const head: z.infer<typeof Head> = { ...about, seen: [] }
    const sk = `${prefixOf(poll.id)}${changedInfix}${short(pollNameOf(poll))}`
    const secret = joinSecret(JSON.stringify(head), bodyOf(content))
    return this.#store.put(sk, secret, { at: nowMs(), expires_at: now() + rememberedFor })
  }

  /**
   * Every remembered message of this id that others may have got, as `recall` gives them.
   * @throws SessionEnded
   */
  async all(id: string): Promise<Recalled[]> {
    return (await this.recall(id)).filter(({ sent }) => sent?.state !== "failed")
  }

  /**
   * Every remembered message of this id: ours first, then those of others in order of arrival. So a sender
   * cannot put a message of theirs in place of an earlier one.
   * @throws SessionEnded
   */
  async recall(id: string): Promise<Recalled[]> {
    const sent = await sentMessage(this.#store, id)
    const ours = sent ? [asRecalled(sent, this.#own())] : []
    const all = (await this.#store.list(prefixOf(id))).map(fromRow)
    const changed = all.filter(({ sk }) => sk.includes(changedInfix))
    const others = all
      .filter((row) => !changed.includes(row))
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ remembered, own, at }) =>
        remembered ? { ...remembered, ...formerAuthor({ own }, this.#own()), atMs: at } : [],
      )
    const found = [...ours, ...others.toSorted((a, b) => Number(b.fromMe) - Number(a.fromMe))]
    return changed.length === 0 ? found : found.map((message) => withChange(message, changed))
  }
}

/** What the API has sent, as a message. @param own the JID of the account that is linked now, if one is */
export function asRecalled(sent: Sent, own: string | undefined): Recalled {
  const { messageId: id, chat, message } = sent
  const ours = { id, chat, sender: "", fromMe: true, content: decodeBare(message), sent }
  return { ...ours, ...formerAuthor(sent, own) }
}

/** The same message, with its present content if it is a poll that was changed. */
function withChange(message: Recalled, changed: KnownMessage[]): Recalled {
  const name = pollNameOf(message)
  const now = changed.find(({ remembered }) => remembered && pollNameOf(remembered) === name)
  return now?.remembered && name !== "" ? { ...message, content: now.remembered.content } : message
}

/**
 * Distinguishes a poll from every other message of its id: a recipient may send a copy of it, with its
 * secret, but not as its author. `""` for a message without a secret, which no one can change.
 */
function pollNameOf({ chat, sender, content }: Remembered): string {
  const secret = Buffer.from(content.messageContextInfo?.messageSecret ?? []).toString("base64")
  return secret && [chat, sender, secret].join("\n")
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
  own: z.string().optional(),
  seen: z.array(z.string()),
  event: z.number().int().optional(),
  unknown: z.object({ kind: z.string(), body: z.string() }).optional(),
})

function fromRow({ sk, row, secret }: Stored): KnownMessage {
  const { line, bytes } = splitSecret(secret)
  const { id, chat, sender, fromMe, own, seen, event, unknown } = Head.parse(JSON.parse(line))
  const isRemembered = id !== undefined && chat !== undefined && sender !== undefined && fromMe !== undefined
  return {
    sk,
    seen,
    event,
    own,
    remembered: isRemembered ? { id, chat, sender, fromMe, content: decodeBare(bytes), unknown } : undefined,
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
      remembered: one.remembered ?? other.remembered,
    }),
    first,
  )
}

/** Whether a reply can refer to the message: senders' ids and addresses may be of any length. */
function isNameable(remembered: Remembered | undefined): boolean {
  return (
    remembered !== undefined && (remembered.id + remembered.chat + remembered.sender).length < longestName
  )
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

/** Hashed, since an id may have any length and any characters, and a JID is a phone number. */
function prefixOf(id: string): string {
  return `MESSAGE#${short(id)}#`
}

/** The mark in the key of a row that holds the new form of a changed message. Hashes have no `#`. */
const changedInfix = "changed#"

function short(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22)
}
