import type { Choice } from "#core/bridge/choice.ts"
import { now } from "#core/platform/clock.ts"
import { isChange } from "../content/changes.ts"
import type { MessageIdentity } from "../content/mapped.ts"
import { formsOf, messageIdentityOf } from "../content/message-identity.ts"
import { stanzaFormOf } from "../content/resent-by-phone.ts"
import type { Commits } from "../memory/commits.ts"
import type { Messages } from "../memory/messages/messages.ts"
import { sentMessages } from "../memory/messages/sent.ts"
import type { SessionStore, SessionWrite } from "../memory/rows.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Received } from "../network/connection.ts"
import type { FormerChat, Own } from "../network/happening.ts"
import type { Timing } from "../timing.ts"
import type { Chats } from "./chats.ts"
import type { MessageEvent, Transcript } from "./transcript.ts"

interface HistoryParts {
  store: SessionStore
  commits: Pick<Commits, "note">
  login: { vault: Pick<SessionVault, "login" | "otherAddress" | "phoneOf"> }
  choice: () => Choice.Info
  timing: Pick<Timing, "olderMs">
  messages: Pick<Messages, "findAll">
  transcript: Transcript
  chats: Chats
}

/** Older messages of a chat, newest first, as the phone has given them. */
interface Older {
  messages: MessageEvent[]
  isEnd: boolean
}

/** The most messages that a session takes from a phone's history, and of one chat: its newest. */
const most = { messages: 20_000, ofChat: 500 }

/**
 * The history of its chats that the account's phone sends when it is linked, for a customer who wants that
 * (`history`). Its messages become lines of the transcript, and no events. A message is one line, even if the
 * phone sends it several times, or the network delivers it as well.
 */
export class History {
  readonly #parts: HistoryParts
  #taken = 0
  readonly #ofChat = new Map<string, number>()
  /** What the phone is asked for, by chat: who asks meanwhile gets the same answer. */
  readonly #asked = new Map<string, PromiseWithResolvers<Older | undefined>>()

  constructor(parts: HistoryParts) {
    this.#parts = parts
  }

  /** Whether the customer wants the history, and has messages kept. */
  get isWanted(): boolean {
    const { history, keep } = this.#parts.choice()
    return history && keep !== undefined
  }

  /**
   * Takes in some messages of a chat, and what the phone shows of the chat, as notes.
   * @throws SessionEnded
   */
  async addChat(chat: FormerChat): Promise<void> {
    if (chat.asked) return await this.#addOlder(chat, chat.asked.isEnd)
    if (!this.isWanted || this.#taken >= most.messages) return
    const { commits, chats } = this.#parts
    const said = await this.#newIn(chat)
    const lines = said.map((message) => this.#parts.transcript.oldRow(message))
    const newest = Math.max(0, ...said.map(({ timestamp }) => timestamp))
    const rows: SessionWrite[] = [...lines, ...(await chats.former(chat, newest))]
    this.#taken += said.length
    if (rows.length > 0) commits.note(rows)
  }

  /**
   * Asks the phone for older messages of a chat.
   * @param ask asks it
   * @returns its answer, once its messages are kept; undefined if it has not answered in time
   * @throws what `ask` throws
   */
  async older(jid: string, ask: () => Promise<void>): Promise<Older | undefined> {
    const chat = await this.#parts.login.vault.phoneOf(jid)
    const under = this.#asked.get(chat)
    if (under) return await under.promise
    const answer = Promise.withResolvers<Older | undefined>()
    this.#asked.set(chat, answer)
    const timer = setTimeout(() => answer.resolve(undefined), this.#parts.timing.olderMs)
    try {
      await ask()
      return await answer.promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(chat)
      answer.resolve(undefined)
    }
  }

  /** Takes in what the phone was asked for, also if nobody waits for it any more. @throws SessionEnded */
  async #addOlder(chat: FormerChat, isEnd: boolean): Promise<void> {
    const { commits, transcript, login } = this.#parts
    const own = login.vault.login
    if (!own) return
    const rows = (await this.#newAmong(chat.messages, own)).map((message) => transcript.oldRow(message))
    if (rows.length > 0) commits.note(rows)
    const webs = chat.messages.flatMap((web) => stanzaFormOf(web, own))
    const said = await Promise.all(webs.map(async (web) => await transcript.wordsOf(web, own)))
    const messages = said.flatMap((message) => (message && !isChange(message) ? message : []))
    const key = await login.vault.phoneOf(chat.jid)
    this.#asked.get(key)?.resolve({ messages: messages.toSorted((a, b) => b.timestamp - a.timestamp), isEnd })
  }

  /** The messages that are to be kept and that the network has not delivered. */
  async #newIn(chat: FormerChat): Promise<MessageEvent[]> {
    const own = this.#parts.login.vault.login
    const count = this.#ofChat.get(chat.jid) ?? 0
    const some = chat.messages.slice(0, Math.min(most.ofChat - count, most.messages - this.#taken))
    if (!own || some.length === 0) return []
    this.#ofChat.set(chat.jid, count + some.length)
    return await this.#newAmong(some, own)
  }

  async #newAmong(some: FormerChat["messages"], own: Own): Promise<MessageEvent[]> {
    const { store, messages, transcript } = this.#parts
    const webs = some.flatMap((web) => stanzaFormOf(web, own))
    const named = await Promise.all(
      webs.map(async (web) => ({ web, identity: await this.#identityOf(web.attrs, own) })),
    )
    const known = await messages.findAll(named.map(({ identity }) => identity))
    const sent = await sentMessages(
      store,
      named.map(({ identity }) => identity.id),
    )
    const ours = new Set(sent.map(({ messageId }) => messageId))
    const oldest = now() - (transcript.days ?? 0) * 86_400
    const said: MessageEvent[] = []
    for (const [i, { web, identity }] of named.entries()) {
      if (known[i]?.event !== undefined || ours.has(identity.id)) continue
      const message = await transcript.wordsOf(web, own)
      if (message && transcript.takes(message) && !isChange(message) && message.timestamp >= oldest)
        said.push(message)
    }
    return said
  }

  /**
   * The identity of a message, with each address of its author: the network may have delivered the message
   * under another one.
   */
  async #identityOf(attrs: Received["attrs"], own: Own): Promise<MessageIdentity> {
    const { id = "" } = attrs
    const identity = messageIdentityOf(attrs, own) ?? { id, fromMe: false, forms: [] }
    const [form] = identity.forms
    const other = form && (await this.#parts.login.vault.otherAddress(form.sender))
    if (!form || !other) return identity
    const chat = form.chat === form.sender ? undefined : form.chat
    return { ...identity, forms: formsOf(chat, [form.sender, other]) }
  }
}
