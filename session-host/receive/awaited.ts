import { createHash } from "node:crypto"
import { z } from "zod"
import { nowMs, timeLeft } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { mapLost } from "../content/map-received.ts"
import type { MessageIdentity } from "../content/mapped.ts"
import { messageIdentityOf } from "../content/message-identity.ts"
import { resentIn } from "../content/resent-by-phone.ts"
import type { Commits } from "../memory/commits.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import type { SessionStore, Stored } from "../memory/rows.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Connection, Received } from "../network/connection.ts"
import { decode, decodeWeb } from "../network/decode.ts"
import { nobody, type Own } from "../network/happening.ts"
import type { Say } from "../say-in-log.ts"
import type { EventOutbox } from "./outbox.ts"

/** The prefix of the rows' keys. */
export const awaitedPrefix = "AWAITED#"

/**
 * How many placeholders are remembered. The network sends few of them: for more than this, Baileys asks once.
 */
const mostAwaited = 200

/**
 * In characters: real attributes are no longer than this. A stranger's longer ones might fit into no event.
 */
const longestAttrs = 10_000

/**
 * How long each question waits for its answer, as multiples of the first wait. After the last one the message
 * is given up, by default two days after the first question.
 */
const waits = [1, 6, 36, 144, 101]

const Message = z.object({
  attrs: z.record(z.string(), z.string()),
  askedMs: z.number(),
  /** How often the phone was asked. */
  times: z.number(),
})
type Message = z.infer<typeof Message>

interface AwaitedParts {
  store: SessionStore
  commits: Pick<Commits, "write" | "note" | "whenKept">
  outbox: Pick<EventOutbox, "append">
  login: { vault: Pick<SessionVault, "login"> }
  connection: () => Pick<Connection, "phonesOf"> | undefined
  log: Logger
}

/**
 * Messages of which the network sent only a placeholder, until the account's phone has sent them. The phone
 * may be off for days, and an answer may be lost: so these messages are durable, and the phone is asked
 * again.
 */
export class Awaited {
  readonly #parts: AwaitedParts
  readonly #messages = new Map<string, Message>()

  /** @param rows those under `awaitedPrefix`. */
  constructor(parts: AwaitedParts, rows: Stored[]) {
    this.#parts = parts
    for (const { sk, secret } of rows) this.#messages.set(sk, Message.parse(JSON.parse(secret.toString())))
  }

  /**
   * Notes that a placeholder came, and that Baileys asks the phone. Resolves when this is durable.
   * @throws SessionEnded
   */
  async expect(attrs: Received["attrs"]): Promise<void> {
    const sk = skOf(attrs)
    if (this.#messages.has(sk) || this.#messages.size >= mostAwaited) return
    if (JSON.stringify(attrs).length > longestAttrs) return
    const message = { attrs, askedMs: nowMs(), times: 1 }
    this.#messages.set(sk, message)
    await this.#parts.commits.write([this.#row(sk, message)])
  }

  /**
   * The writes that end the waiting for this message, and for the messages that it brings. Authors choose
   * their ids, so a message of the same id by another author is another message.
   * @param identity of this message, under every known address of its author
   */
  arrivedIn(
    { attrs, plaintext }: Pick<Received, "attrs" | "plaintext">,
    own: Own,
    identity: MessageIdentity | undefined,
  ): UnitWrite[] {
    if (this.#messages.size === 0) return []
    const given = new Set(idsIn(attrs, plaintext, own))
    return this.#remove(
      (message) =>
        given.has(message.attrs.id ?? "") || isSame(messageIdentityOf(message.attrs, own), identity),
    )
  }

  /**
   * Asks the phone for the messages that are due. Two days after the first question, when the last question
   * has gone unanswered, the customer is told that the message is lost. A session that was away meanwhile
   * asks once more before that.
   * @param firstMs how long the phone is given for the first answer
   * @throws SessionEnded
   */
  async ask(connection: Pick<Connection, "askPhoneFor">, firstMs: number, say: Say): Promise<void> {
    const atMs = nowMs()
    const due = [...this.#messages].filter(([, { askedMs, times }]) => {
      const waitMs = firstMs * (waits[times - 1] ?? 0)
      return timeLeft(askedMs + waitMs, waitMs, atMs) === 0
    })
    for (const [, message] of due)
      if (message.times >= waits.length && (await this.#giveUp(message)))
        say("warn", "a message could not be read, and the phone has not given it in two days: it is lost")
    for (const [sk, message] of due) {
      if (this.#messages.get(sk) !== message) continue
      const asked = { ...message, askedMs: atMs, times: message.times + 1 }
      this.#messages.set(sk, asked)
      this.#parts.commits.note([this.#row(sk, asked)])
      await connection.askPhoneFor(message.attrs)
    }
  }

  /** Gives up all messages: the login has ended, so its phone is not asked any more. @throws SessionEnded */
  async giveUpAll(): Promise<void> {
    await Promise.all([...this.#messages.values()].map((message) => this.#giveUp(message)))
  }

  /** Tells the customer that the message is lost. @returns false if the message came meanwhile */
  async #giveUp(lost: Message): Promise<boolean> {
    const { commits, outbox, login, connection, log } = this.#parts
    const own = login.vault.login ?? nobody
    const mapped = await mapLost(lost.attrs, own, { connection: connection(), log })
    const removal = this.#remove((message) => message === lost)
    if (removal.length === 0) return false
    await commits.whenKept(await outbox.append(() => mapped, removal))
    return true
  }

  #remove(isMeant: (message: Message) => boolean): UnitWrite[] {
    const meant = [...this.#messages].filter(([, message]) => isMeant(message))
    for (const [sk] of meant) this.#messages.delete(sk)
    return meant.map(([sk]) => this.#parts.store.remove(sk))
  }

  #row(sk: string, message: Message): UnitWrite {
    return this.#parts.store.put(sk, JSON.stringify(message))
  }
}

interface AskingInput {
  awaited: Awaited
  /** How long the phone is given for its first answer, ms. */
  firstMs: number
  /** The connection, if it is open. */
  connection: () => Pick<Connection, "askPhoneFor"> | undefined
  say: Say
  onError: (error: unknown) => void
}

/** Asks the phone again from now on. @returns a function that ends this */
export function startAskingAgain({ awaited, firstMs, connection, say, onError }: AskingInput): () => void {
  const askIfOpen = async () => {
    const open = connection()
    if (open) await awaited.ask(open, firstMs, say)
  }
  const looking = setInterval(() => void askIfOpen().catch(onError), firstMs).unref()
  return () => clearInterval(looking)
}

/** A JID may be a phone number, so the key is a hash. */
function skOf({ id, from, participant }: Received["attrs"]): string {
  return (
    awaitedPrefix +
    createHash("sha256")
      .update(JSON.stringify([id, from, participant]))
      .digest("base64url")
  )
}

function isSame(one: MessageIdentity | undefined, other: MessageIdentity | undefined): boolean {
  if (!one || !other || one.id !== other.id || one.fromMe !== other.fromMe) return false
  const forms = new Set(other.forms.map(({ chat, sender }) => `${chat} ${sender}`))
  return one.fromMe || one.forms.some(({ chat, sender }) => forms.has(`${chat} ${sender}`))
}

/** The ids of the messages that the account's phone sends in this one. */
function idsIn(attrs: Received["attrs"], plaintext: Uint8Array, own: Own): string[] {
  if (attrs.category !== "peer") return []
  try {
    const given = resentIn({ attrs, content: decode(plaintext), own })
    return given.flatMap((bytes) => decodeWeb(bytes).key?.id ?? [])
  } catch {
    // This message cannot be read, so it brings none.
    return []
  }
}
