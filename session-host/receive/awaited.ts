import { createHash } from "node:crypto"
import { z } from "zod"
import { nowMs } from "#core/platform/clock.ts"
import type { Commits } from "../memory/commits.ts"
import type { EventOutbox } from "./outbox.ts"
import type { UnitWrite } from "../memory/packing.ts"
import type { SessionStore, Stored } from "../memory/rows.ts"
import { decode, decodeWeb } from "../network/decode.ts"
import type { Connection, Received } from "../network/connection.ts"
import type { Say } from "../session/say.ts"
import { resentIn } from "./map/resent-by-phone.ts"
import type { Own } from "./map/chat-and-sender.ts"
import type { Mapped } from "./map/mapped.ts"

/** What the keys of the rows begin with. */
export const awaitedPrefix = "AWAITED#"

/** The network sends few placeholders. More than this are asked for once, by Baileys, and not remembered. */
const mostAwaited = 200

/** Nobody's attributes are longer, in characters. What a stranger makes longer might fit into no event. */
const longestAttrs = 10_000

/** After how many times the first wait each further question is asked, and the message given up. By default up to two days. */
const waits = [1, 6, 36, 144]
const givenUpAfter = 288

const Message = z.object({
  attrs: z.record(z.string(), z.string()),
  sinceMs: z.number(),
  askedMs: z.number(),
  /** How often the phone was asked. */
  times: z.number(),
})
type Message = z.infer<typeof Message>

interface Parts {
  store: SessionStore
  commits: Pick<Commits, "write" | "note" | "whenKept">
  outbox: Pick<EventOutbox, "append">
  /** The event that a message with these attributes is lost. */
  mapLost: (attrs: Received["attrs"]) => Promise<Mapped[]>
}

/**
 * Messages of which the network gave a placeholder alone, until the account's phone has given them. The phone may be off for
 * days, and an answer may be lost: so they are durable, and the phone is asked again.
 */
export class Awaited {
  readonly #parts: Parts
  readonly #messages = new Map<string, Message>()

  /** @param rows those under `awaitedPrefix`. */
  constructor(parts: Parts, rows: Stored[]) {
    this.#parts = parts
    for (const { sk, secret } of rows) this.#messages.set(sk, Message.parse(JSON.parse(secret.toString())))
  }

  /** A placeholder came, and Baileys asks the phone. Resolves when that is durable. @throws SessionEnded */
  async expect(attrs: Received["attrs"]): Promise<void> {
    const sk = skOf(attrs)
    if (this.#messages.has(sk) || this.#messages.size >= mostAwaited) return
    if (JSON.stringify(attrs).length > longestAttrs) return
    const message = { attrs, sinceMs: nowMs(), askedMs: nowMs(), times: 1 }
    this.#messages.set(sk, message)
    await this.#parts.commits.write([this.#row(sk, message)])
  }

  /** The writes that end the waiting for what this message is, or brings. */
  arrivedIn({ attrs, plaintext }: Pick<Received, "attrs" | "plaintext">, own: Own): UnitWrite[] {
    if (this.#messages.size === 0) return []
    const ids = new Set([attrs.id, ...idsIn(attrs, plaintext, own)])
    return this.#remove(({ attrs: { id } }) => ids.has(id))
  }

  /**
   * Asks the phone for those whose time has come. Says of those that it has not given in two days that they are lost.
   * @param firstMs how long it is given for the first answer.
   * @throws SessionEnded
   */
  async ask(connection: Pick<Connection, "askPhoneFor">, firstMs: number, say: Say): Promise<void> {
    const atMs = nowMs()
    for (const message of this.#messages.values())
      if (atMs - message.sinceMs > firstMs * givenUpAfter) await this.#giveUp(message, say)
    for (const [sk, message] of this.#messages) {
      const wait = waits[message.times - 1]
      if (wait === undefined || atMs - message.askedMs < firstMs * wait) continue
      const asked = { ...message, askedMs: atMs, times: message.times + 1 }
      this.#messages.set(sk, asked)
      this.#parts.commits.note([this.#row(sk, asked)])
      await connection.askPhoneFor(message.attrs)
    }
  }

  /** Tells the customer, unless the message comes while it is this one's turn. */
  async #giveUp(lost: Message, say: Say): Promise<void> {
    const { commits, outbox, mapLost } = this.#parts
    const mapped = await mapLost(lost.attrs)
    const removal = this.#remove((message) => message === lost)
    if (removal.length === 0) return
    await commits.whenKept(await outbox.append(() => mapped, removal))
    say("warn", "a message could not be read, and the phone has not given it in two days: it is lost")
  }

  /** The login has ended, and its phone is not asked any more. */
  forget(): UnitWrite[] {
    return this.#remove(() => true)
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

/** Asks the phone again from now on. @returns a function that ends it. */
export function startAskingAgain({ awaited, firstMs, connection, say, onError }: AskingInput): () => void {
  const look = async () => {
    const open = connection()
    if (open) await awaited.ask(open, firstMs, say)
  }
  const looking = setInterval(() => void look().catch(onError), firstMs).unref()
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

/** The ids of the messages that the account's phone gives in this one. */
function idsIn(attrs: Received["attrs"], plaintext: Uint8Array, own: Own): string[] {
  if (attrs.category !== "peer") return []
  try {
    const given = resentIn({ attrs, content: decode(plaintext), own })
    return given.flatMap((bytes) => decodeWeb(bytes).key?.id ?? [])
  } catch {
    // It cannot be read, so it brings none.
    return []
  }
}
