import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import type { NewChat } from "#contract/send.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { ApiError } from "#core/error.ts"
import { isGroup, statusChat } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { newTurns } from "#core/platform/locks.ts"
import type { Commits } from "../memory/commits.ts"
import type { SessionStore, Stored } from "../memory/rows.ts"
import type { Connection } from "../network/connection.ts"
import type { Contacts } from "../people/contacts.ts"

/** The row that counts the chats that were begun today. */
export const pacingRow = "PACING"
const day = 86_400
/** How long a message waits for its turn at most, ms. */
const patienceMs = 5_000
/** How long a chat that was begun counts as known, in seconds. */
const knownFor = 400 * day

const Count = z.object({ day: z.number(), begun: z.number() })

/** How a caller wants a message sent. */
export interface Manner {
  newChat?: NewChat | undefined
  /** For how long the account is shown as typing, in place of what the bridge's pacing says. */
  typingMs?: number | undefined
  /** Marks what the message answers as read. Called when the message may leave, before any typing. */
  read?: (() => Promise<void>) | undefined
}

interface PacingParts {
  store: SessionStore
  commits: Pick<Commits, "write">
  login: { contacts: Pick<Contacts, "get">; vault: { namesOf: (jid: string) => Promise<Set<string>> } }
  choice: () => Pick<Choice.Info, "pacing">
}

/**
 * How slowly a bridge sends (Contract, "Pacing"). The chats that the bridge begins are counted durably before
 * the message leaves, so a message that then fails has used one up. The gap between messages is kept only in
 * this host's memory: it is shorter than a change of hosts takes.
 */
export class Pacing {
  readonly #parts: PacingParts
  /** Messages take turns, so that two first messages to one person begin one chat. */
  readonly #inTurn = newTurns()
  #count: z.infer<typeof Count>
  /** When the last message leaves, on the monotonic clock. */
  #lastMs = -Infinity
  /** How many gaps, as long as they are then, the next message keeps from it. */
  #gaps = 1

  /** @param row that of `pacingRow`, if there is one. */
  constructor(parts: PacingParts, row: Stored | undefined) {
    this.#parts = parts
    this.#count = row ? Count.parse(JSON.parse(row.secret.toString())) : { day: 0, begun: 0 }
  }

  /** How many chats the bridge may still begin today; undefined without such a limit. */
  get newChatsLeft(): number | undefined {
    const most = this.#parts.choice().pacing?.new_chats_a_day
    return most === undefined ? undefined : Math.max(0, most - this.#today.begun)
  }

  /**
   * Waits until a message to this chat may leave, and shows the account as typing before it does.
   * @throws ApiError `pacing`, `new_chat`, SessionEnded
   */
  async wait(
    chat: string,
    connection: Pick<Connection, "showTyping">,
    { newChat, typingMs, read }: Manner = {},
  ): Promise<void> {
    const limits = this.#parts.choice().pacing ?? {}
    const isStatus = chat === statusChat
    const { gap_ms = 0 } = limits
    // A status has no chat in which typing could be seen.
    const typing_ms = isStatus ? 0 : (typingMs ?? limits.typing_ms ?? 0)
    if (!isStatus && (newChat || this.newChatsLeft !== undefined))
      await this.#inTurn(() => this.#mayWrite(chat, newChat))
    const waitMs = this.#turn(gap_ms, typing_ms)
    if (waitMs > 0) await sleep(waitMs)
    await read?.()
    if (typing_ms === 0) return
    await connection.showTyping(chat, "composing")
    await sleep(typing_ms)
  }

  /** @throws ApiError `pacing`, `new_chat`, SessionEnded */
  async #mayWrite(chat: string, newChat: NewChat | undefined): Promise<void> {
    if (isGroup(chat) || !(await this.#isNew(chat))) return
    if (newChat === "refuse") throw new ApiError("new_chat")
    // On another day, no new chat is allowed either.
    if (this.#parts.choice().pacing?.new_chats_a_day === 0) throw new ApiError("pacing", noNewChats)
    if (this.newChatsLeft === 0) throw new ApiError("pacing", undefined, retryAfter(day - (now() % day)))
    const { store, commits } = this.#parts
    const count = { day: this.#today.day, begun: this.#today.begun + 1 }
    await commits.write([
      store.put(pacingRow, JSON.stringify(count)),
      store.put(chatRow(chat), "", { expires_at: now() + knownFor }),
    ])
    this.#count = count
  }

  /**
   * Whether no message has come from this person, and none has gone to them under a limit or `new_chat`.
   * @throws SessionEnded
   */
  async #isNew(chat: string): Promise<boolean> {
    const { login, store } = this.#parts
    for (const name of await login.vault.namesOf(chat)) {
      if ((await login.contacts.get(name))?.pushName) return false
      if (await store.get(chatRow(name))) return false
    }
    return true
  }

  /**
   * Reserves the message's turn.
   * @returns how long the message waits for it, in ms.
   * @throws ApiError `pacing`
   */
  #turn(gapMs: number, typingMs: number): number {
    const atMs = performance.now()
    const waitMs = gapMs > 0 ? Math.max(0, this.#lastMs + gapMs * this.#gaps - atMs) : 0
    if (waitMs > patienceMs) throw new ApiError("pacing", tooFast, retryAfter(Math.ceil(waitMs / 1000)))
    this.#lastMs = atMs + waitMs + typingMs
    this.#gaps = 1 + Math.random() / 2
    return waitMs
  }

  get #today(): z.infer<typeof Count> {
    const today = Math.floor(now() / day)
    return this.#count.day === today ? this.#count : { day: today, begun: 0 }
  }
}

const noNewChats =
  "the pacing of this bridge allows no new chats (`new_chats_a_day` is 0): change its pacing to begin one"

const tooFast = "messages wait for the gap that the pacing of this bridge wants between them: try again later"

function retryAfter(seconds: number) {
  return { headers: { "retry-after": String(seconds) } }
}

/** A JID may be a phone number, so the key is a hash. */
function chatRow(chat: string): string {
  return `BEGUN#${createHash("sha256").update(chat).digest("base64url")}`
}
