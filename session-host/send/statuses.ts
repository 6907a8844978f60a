import { networkRejectedSentence } from "#contract/error-codes.ts"
import type { Event } from "#contract/event.ts"
import { Choice } from "#core/bridge/choice.ts"
import { isGroup, statusChat } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { newTurns } from "#core/platform/locks.ts"
import type { Logger } from "#core/platform/log.ts"
import { changeTypes } from "../content/content.ts"
import type { Mapped } from "../content/mapped.ts"
import type { Commits } from "../memory/commits.ts"
import type { MessageCount } from "../memory/message-count.ts"
import { type Sent, sentMessage, sentMessages, sentRow } from "../memory/messages/sent.ts"
import type { Put, SessionStore, SessionWrite } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Outgoing, Receipt } from "../network/connection.ts"
import { decodeBare } from "../network/decode.ts"
import type { EventOutbox } from "../receive/outbox.ts"
import { afterReceipts, type Counts, countsOf, type Step } from "./receipt-steps.ts"
import type { SentNews } from "./sent-news.ts"

interface StatusesParts {
  store: SessionStore
  commits: Pick<Commits, "note" | "write" | "whenKept">
  outbox: Pick<EventOutbox, "append">
  messageCount: Pick<MessageCount, "sent">
  sentNews: Pick<SentNews, "tell">
  login: { vault: Pick<SessionVault, "login" | "otherAddress" | "phoneOf"> }
  choice: () => Choice.Info
  log: Logger
}

type Unacked = Omit<Outgoing, "members" | "beside"> & Pick<Sent, "generation" | "members">

interface Waiting {
  receipts: Receipt[]
  taken: PromiseWithResolvers<void>
}

/**
 * How long receipts of a group or a status wait for others of their kind, in ms, and how many stanzas wait at
 * most.
 */
const lingerMs = 500
const mostWaiting = 50

/** The part of an event that is about the message's new status. */
type Status = Omit<Extract<Event, { event: "message_status" }>, "event" | "message_id" | "chat_id" | "counts">

/**
 * What becomes of the messages that the API sends (Contract, "Message statuses"): the network takes or
 * refuses them, and receipts come. All of this is in the message's own row, and a change of the row is one
 * unit with the customer's event of it. So a receipt that comes again, because the host died before its ack
 * had left, changes nothing and makes no event. Only our own sends make such a row: a receipt of a message
 * that we did not send, or of a person whom the message was not sent to, costs a read at most.
 *
 * For a customer who has not chosen `message_status`, only the acknowledgement is noted, and the rest costs
 * nothing.
 */
export class Statuses {
  readonly #parts: StatusesParts
  /** Serialises the changes of rows: each row is read, changed and written before the next one. */
  readonly #turn = newTurns()
  #waiting: Waiting[] = []
  #isTaking = false
  /**
   * Whether the waiting receipts are due. They are taken together, once the receipts before them are done.
   */
  #isDue = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: StatusesParts) {
    this.#parts = parts
  }

  /** Whether the customer wants to know what becomes of messages. */
  get isWanted(): boolean {
    return this.follows("")
  }

  /** Whether the customer wants to know what becomes of messages to this chat. */
  follows(chat: string): boolean {
    return Choice.followsStatuses(this.#parts.choice(), chat)
  }

  /**
   * The network has the message. Resolves when the customer's event is durable, if they want one. Otherwise
   * the acknowledgement is a note: if it is lost, a retry sends the same bytes under the same id, and phones
   * show them only once.
   * @throws SessionEnded
   */
  async acked(sent: Unacked, timestamp: number): Promise<void> {
    const { store, commits, messageCount, sentNews } = this.#parts
    messageCount.sent(sent.messageId)
    const acked = { state: "acked", timestamp } as const
    if (!this.follows(sent.chat)) {
      noteUnlessEnded(commits, sentRow(store, { ...sent, ...acked }))
      return sentNews.tell(sent.messageId)
    }
    const unit = await this.#turn(async () => {
      const before = (await sentMessage(store, sent.messageId)) ?? { ...sent, state: "sent" as const }
      const after = { ...before, ...acked }
      // An earlier receipt may already have shown that the network has the message.
      return await this.#make(after, before.state === "sent" ? [{ status: "sent", timestamp }] : [])
    })
    await commits.whenKept(unit)
  }

  /**
   * A planned message is not sent any more. Resolves when the customer's event of that is durable, together
   * with `beside`.
   * @throws SessionEnded
   */
  async neverWent(
    { messageId, chat, reason }: { messageId: string; chat: string; reason: string },
    beside: SessionWrite[],
  ): Promise<void> {
    const { outbox, commits } = this.#parts
    const mapped = mappedOf(messageId, chat, undefined, { status: "failed", timestamp: now(), reason })
    await commits.whenKept(await outbox.append(() => [mapped], beside))
  }

  /** The network acknowledged a message whose send has stopped waiting. @throws SessionEnded */
  async ackedLate(messageId: string, timestamp: number): Promise<void> {
    const sent = await sentMessage(this.#parts.store, messageId)
    if (sent?.state === "sent") await this.acked(sent, timestamp)
  }

  /**
   * The network refused the message. Resolves when the refusal is durable, together with `beside`.
   * @throws SessionEnded
   */
  async refused(sent: Unacked, networkCode: number, beside: SessionWrite[] = []): Promise<void> {
    const failed = { ...sent, state: "failed", network_code: networkCode, timestamp: now() } as const
    const { store, commits, sentNews } = this.#parts
    if (!this.follows(sent.chat)) {
      await commits.write([sentRow(store, failed), ...beside])
      return sentNews.tell(sent.messageId)
    }
    const { timestamp, network_code } = failed
    const reason = networkRejectedSentence(networkCode)
    const unit = await this.#turn(() =>
      this.#make(failed, [{ status: "failed", timestamp, reason, network_code }], beside),
    )
    await commits.whenKept(unit)
  }

  /**
   * Takes in receipts. Resolves when the changes are made; the acks wait at the gate until the changes are
   * durable. Receipts of a group or a status wait for a moment, so that several become one change.
   * @throws SessionEnded
   */
  async recordReceipts(receipts: Receipt[]): Promise<void> {
    const { jid, lid } = this.#parts.login.vault.login ?? {}
    const own = new Set([jid, lid])
    const others = receipts.filter(
      ({ chat, person }) => this.follows(chat) && !person.some((address) => own.has(address)),
    )
    if (others.length === 0) return
    const taken = Promise.withResolvers<void>()
    this.#waiting.push({ receipts: others, taken })
    const mayWait =
      others.every(({ chat }) => isGroup(chat) || chat === statusChat) && this.#waiting.length < mostWaiting
    if (!mayWait) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), lingerMs)
    await taken.promise
  }

  /** Resolves when everything that was taken in is made. */
  async settled(): Promise<void> {
    this.#begin()
    while (this.#isTaking) await this.#turn(async () => {})
  }

  /** The session has ended. The network delivers waiting receipts again to the bridge's next holder. */
  end(error: SessionEnded): void {
    clearTimeout(this.#timer)
    for (const { taken } of this.#waiting.splice(0)) taken.reject(error)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDue = this.#isTaking
    const waiting = this.#isTaking ? [] : this.#waiting.splice(0)
    if (waiting.length === 0) return
    this.#isTaking = true
    this.#turn(() => this.#recordAll(waiting.flatMap(({ receipts }) => receipts)))
      .then(
        () => waiting.forEach(({ taken }) => taken.resolve()),
        (error: unknown) => waiting.forEach(({ taken }) => taken.reject(error)),
      )
      .finally(() => {
        this.#isTaking = false
        if (this.#isDue) this.#begin()
      })
  }

  async #recordAll(receipts: Receipt[]): Promise<void> {
    const { store, log } = this.#parts
    const named = receipts.flatMap((receipt) => receipt.messageIds.map((id) => ({ id, receipt })))
    const byId = Map.groupBy(named, ({ id }) => id)
    for (const sent of await sentMessages(store, byId.keys())) {
      const its = byId.get(sent.messageId)?.map(({ receipt }) => receipt) ?? []
      try {
        await this.#recordOf(sent, its)
      } catch (error) {
        if (error instanceof SessionEnded) throw error
        // If this error were thrown on, the receipts would come again with each connection.
        log.error({ error, messageId: sent.messageId }, "receipts of a message were not written")
      }
    }
  }

  async #recordOf(sent: Sent, receipts: Receipt[]): Promise<void> {
    // Nothing more becomes of a refused message. An edit has no status: the customer knows only the message
    // that it changes.
    if (sent.state === "failed" || isEdit(sent)) return
    const isEachReported = this.#parts.choice().messageStatus === "participants"
    const changed = afterReceipts(sent, await this.#stepsOf(sent, receipts), isEachReported)
    if (!changed) return
    const reported = changed.reported.map(async ({ kind, timestamp, who }) => ({
      status: kind,
      timestamp,
      ...(isEachReported &&
        sent.members && { participants: await Promise.all(who.map((jid) => this.#phoneOf(jid))) }),
    }))
    const { after } = changed
    if (after.state === "acked") return void (await this.#make(after, await Promise.all(reported)))
    // The acknowledgement was lost, or is not taken in yet. The network must have the message, since a
    // recipient has got it.
    const timestamp = changed.reported[0]?.timestamp ?? now()
    this.#parts.messageCount.sent(sent.messageId)
    const first = { status: "sent", timestamp } as const
    await this.#make({ ...after, state: "acked", timestamp }, [first, ...(await Promise.all(reported))])
  }

  /** The receipts of the message's recipients, under the addresses that its row has. */
  async #stepsOf(sent: Sent, receipts: Receipt[]): Promise<Step[]> {
    const steps = receipts.map(async ({ kind, chat, person, timestamp }): Promise<Step[]> => {
      if (sent.members && chat !== sent.chat) return []
      const recipients = sent.members ?? { [sent.chat]: 0 }
      const who = (await this.#namesOf(person)).find((address) => Object.hasOwn(recipients, address))
      return who === undefined ? [] : [{ who, kind, timestamp: timestamp || now() }]
    })
    return (await Promise.all(steps)).flat()
  }

  /** These addresses of a person, and all others that are known of them. */
  async #namesOf(person: string[]): Promise<string[]> {
    const others = person.map(async (address) => (await this.#parts.login.vault.otherAddress(address)) ?? [])
    return [...person, ...(await Promise.all(others)).flat()]
  }

  async #phoneOf(jid: string): Promise<string> {
    return await this.#parts.login.vault.phoneOf(jid)
  }

  /** Makes the unit of a change: the row, and the customer's events of it. @returns the unit's number */
  async #make(sent: Sent, statuses: Status[], beside: SessionWrite[] = []): Promise<number> {
    const chat = await this.#phoneOf(sent.chat)
    const counts = sent.members && countsOf(sent)
    const mapped = isEdit(sent)
      ? []
      : statuses.map((status) => mappedOf(sent.messageId, chat, counts, status))
    const { outbox, store, sentNews } = this.#parts
    const unit = await outbox.append(() => mapped, [sentRow(store, sent), ...beside])
    sentNews.tell(sent.messageId)
    return unit
  }
}

/** Makes a note. If the session has ended, the note is lost, which changes nothing for the caller. */
function noteUnlessEnded(commits: Pick<Commits, "note">, row: Put): void {
  try {
    commits.note([row])
  } catch (error) {
    if (!(error instanceof SessionEnded)) throw error
  }
}

function mappedOf(messageId: string, chat: string, counts: Counts | undefined, status: Status): Mapped {
  const { status: kind } = status
  const isReceipt = kind !== "sent" && kind !== "failed"
  return {
    // A status is reported once in a chat with one person, and in a group once for each number.
    identity: ["message_status", messageId, kind, ...(isReceipt && counts ? [String(counts[kind])] : [])],
    event: {
      event: "message_status",
      message_id: messageId,
      chat_id: chat,
      ...(counts && { counts }),
      ...status,
    },
  }
}

/** Whether a message only changes another, whose id is the only one that the customer knows. */
function isEdit({ message }: Sent): boolean {
  const kind: number | null | undefined = decodeBare(message).protocolMessage?.type
  return kind === changeTypes.edit
}
