import { z } from "zod"
import { Delivery } from "#core/event/delivery.ts"
import { EventLists } from "#core/event/event-lists.ts"
import { EventRow } from "#core/event/event-row.ts"
import { now } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { isChange } from "../content/changes.ts"
import type { Commits } from "../memory/commits.ts"
import type { SentList } from "../memory/messages/sent-list.ts"
import type { Patience } from "../memory/patience.ts"
import type { Put, SessionStore, SessionWrite, Stored } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Chats } from "./chats.ts"
import type { MessageEvent, Transcript } from "./transcript.ts"

/** The row that says what of the past is kept. */
export const pastRow = "PAST"

/** The most messages that are taken from the past, from the events and of what was sent; of one chat. */
const most = { messages: 20_000, ofChat: 500 }
/** How many rows are written at a time: they must not hold up messages that come in. */
const atOnce = 50

const State = z.object({
  /** The first event since the phone was linked: those before it are of another phone's chats. */
  from: z.number().int(),
  /** Whether what was said before is in the transcript. */
  isKept: z.boolean(),
})
type State = z.infer<typeof State>

interface KeptPastParts {
  bridgeId: string
  deliveryKey: Uint8Array
  store: SessionStore
  patience: Patience
  commits: Pick<Commits, "note" | "write" | "made" | "whenKept">
  login: { readonly vault: Pick<SessionVault, "login" | "generation"> }
  transcript: Transcript
  chats: Chats
  sentList: SentList
  outbox: { readonly next: number }
  log: Logger
}

/**
 * What was said in the chats before a customer had messages kept: when they begin to, the messages of the
 * events that are still there, and those that the API has sent, become lines of the transcript. So a list
 * goes on behind that moment. A message that has a line already gets no other, so a copy that a crash broke
 * off begins anew.
 */
export class KeptPast {
  readonly #parts: KeptPastParts
  #state: State
  #isCopying = false

  constructor(parts: KeptPastParts, row: Stored | undefined) {
    this.#parts = parts
    this.#state = row ? State.parse(JSON.parse(row.secret.toString())) : { from: 1, isKept: false }
  }

  /** Call it when the session has connected, and when the customer's choice may have changed. */
  copyIfWanted(): void {
    const { transcript, login, commits, log } = this.#parts
    const isWanted = transcript.days !== undefined
    if (!isWanted && this.#state.isKept) commits.note([this.#become({ isKept: false })])
    if (!isWanted || this.#state.isKept || !login.vault.login || this.#isCopying) return
    this.#isCopying = true
    void this.#copy()
      .catch((error: unknown) => {
        if (!(error instanceof SessionEnded)) log.warn({ error }, "what was said before is not kept")
      })
      .finally(() => (this.#isCopying = false))
  }

  /** The write that goes with the end of a login: the events until now are not the next one's. */
  forget(): SessionWrite {
    return this.#become({ from: this.#parts.outbox.next })
  }

  #become(change: Partial<State>): Put {
    this.#state = { ...this.#state, ...change }
    return this.#parts.store.put(pastRow, JSON.stringify(this.#state))
  }

  async #copy(): Promise<void> {
    const { commits, transcript, login } = this.#parts
    const { generation } = login.vault
    // An event that is not durable yet would not be found.
    await commits.whenKept(commits.made)
    const isOver = () => transcript.days === undefined || login.vault.generation !== generation
    for (const source of [this.#ofEvents(), this.#sent(generation)]) {
      const known = new Known(this.#parts)
      const writes: SessionWrite[] = []
      let count = 0
      for await (const { message, order } of source) {
        if (isOver() || count === most.messages) break
        const added = await known.writesOf(message, order)
        if (added.length > 0) count++
        writes.push(...added)
        if (writes.length >= atOnce) await commits.write(writes.splice(0))
      }
      if (isOver()) return
      if (writes.length > 0) await commits.write(writes)
    }
    commits.note([this.#become({ isKept: true })])
  }

  /** The messages of the events since the phone was linked, newest first. */
  async *#ofEvents(): AsyncGenerator<Past> {
    const { bridgeId, deliveryKey, patience, outbox } = this.#parts
    const { from } = this.#state
    const range = { after: from - 1, before: outbox.next, isNewestFirst: true }
    const head = (await patience.read(() => Delivery.get(Delivery.first(bridgeId))))?.head ?? 0
    for await (const row of EventLists.allKept(bridgeId, range, head)) {
      if (row.type !== "message") continue
      // As it was written.
      const message = JSON.parse(EventRow.bodyOf(row, deliveryKey).toString()) as MessageEvent
      yield { message, order: row.n }
    }
  }

  /** The messages that the API has sent from this login, newest first. */
  async *#sent(generation: number): AsyncGenerator<Past> {
    const { transcript, sentList } = this.#parts
    for await (const sent of sentList.all()) {
      if (sent.generation !== generation || sent.state === "failed") continue
      const message = await transcript.saidBy(sent)
      if (message) yield { message, order: sent.askedMs ?? 0 }
    }
  }
}

/** A message from before, and a number by which those of one second are ordered. */
interface Past {
  message: MessageEvent
  order: number
}

/** Which messages the transcript has, by chat, as far as it was looked at. For one source of messages. */
class Known {
  readonly #parts: Pick<KeptPastParts, "transcript" | "chats">
  readonly #ofChat = new Map<string, { known: Set<string>; added: number }>()

  constructor(parts: Pick<KeptPastParts, "transcript" | "chats">) {
    this.#parts = parts
  }

  /** The writes that keep a message; none if it is there, is not to be kept, or its chat has enough. */
  async writesOf(message: MessageEvent, order: number): Promise<SessionWrite[]> {
    const { transcript, chats } = this.#parts
    const oldest = now() - (transcript.days ?? 0) * 86_400
    if (!transcript.takes(message) || isChange(message) || message.timestamp < oldest) return []
    const { chat_id: jid, timestamp } = message
    const chat = this.#ofChat.get(jid) ?? { known: await transcript.names(jid), added: 0 }
    this.#ofChat.set(jid, chat)
    const name = transcript.nameOf(message)
    if (chat.known.has(name) || chat.added === most.ofChat) return []
    chat.known.add(name)
    chat.added++
    const former = {
      jid,
      name: "",
      unread: 0,
      isArchived: false,
      isPinned: false,
      mutedUntil: 0,
      messages: [],
    }
    // The newest message of a chat comes first.
    const ofChat = chat.added === 1 ? await chats.former(former, timestamp) : []
    return [transcript.pastRow(message, order), ...ofChat]
  }
}
