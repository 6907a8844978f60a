import { createHash } from "node:crypto"
import type { Event } from "#contract/event.ts"
import { Choice } from "#core/bridge/choice.ts"
import { Came } from "#core/event/came.ts"
import type { Bell } from "#core/event/doorbell.ts"
import { EventRow } from "#core/event/event-row.ts"
import { isPhoneJid } from "#core/message/jid.ts"
import { now } from "#core/platform/clock.ts"
import { newTurns } from "#core/platform/locks.ts"
import type { Handovers } from "../chats/handovers.ts"
import type { MessageKeeping } from "../chats/keep-messages.ts"
import { asRevoked } from "../content/changes.ts"
import type { Mapped, MessageIdentity } from "../content/mapped.ts"
import { eventIdentityOf } from "../content/message-identity.ts"
import type { Commits } from "../memory/commits.ts"
import type { MessageCount } from "../memory/message-count.ts"
import type { Changing, KnownMessage, Messages } from "../memory/messages/messages.ts"
import type { UnitWrite } from "../memory/next-batch.ts"
import type { SessionStore } from "../memory/rows.ts"
import { cutToFit } from "./cut.ts"

/** The network repeats unacknowledged stanzas for 14 days. */
const markedFor = 14 * 86_400

interface OutboxParts {
  bridgeId: string
  deliveryKey: Uint8Array
  store: SessionStore
  commits: Pick<Commits, "make" | "whenKept" | "mustHold">
  messages: Messages
  bell: Pick<Bell, "want">
  messageCount: Pick<MessageCount, "came" | "went">
  choice: () => Choice.Info
  keeping: Pick<MessageKeeping, "takes" | "ready">
  handovers: Pick<Handovers, "until">
  /** Says in a message's event where its file will be, and has the file put there. */
  ownStore: { announced: (event: Event) => Event; writes: (event: Event, n: number) => UnitWrite[] }
  login: { vault: { otherAddress: (jid: string) => Promise<string | undefined> } }
}

/** The rest of a unit, beside the events. */
interface Beside {
  /** The message that brought the events. */
  message?: KnownMessage | undefined
  writes?: UnitWrite[] | undefined
}

/** An event that was not made before, and the row that remembers it. */
interface Fresh {
  mapped: Mapped
  /** Whether the customer gets it. Otherwise its message is only kept in the transcript. */
  isReported: boolean
  message?: KnownMessage | undefined
  mark?: UnitWrite | undefined
}

/** The events of a bridge: numbered without gaps, in the order in which they happened, each once. */
export class EventOutbox {
  readonly #parts: OutboxParts
  #next: number
  #came: Came.Info | undefined
  /** Runs work after everything requested before it, and before everything requested later. */
  readonly inTurn = newTurns()

  /** @param left the number of the next event, and the messages that came on the day of the last one */
  constructor(parts: OutboxParts, left: { nextEvent: number; came?: Came.Info | undefined }) {
    this.#parts = parts
    this.#next = left.nextEvent
    this.#came = left.came
  }

  /** The number of the next event. */
  get next(): number {
    return this.#next
  }

  /**
   * Turns an occurrence into events, after everything before it, together with `writes`.
   * @returns the number of the unit, which is not durable yet
   * @throws SessionEnded
   */
  async append(map: () => Mapped[] | Promise<Mapped[]>, writes: UnitWrite[] = []): Promise<number> {
    return await this.inTurn(async () => await this.makeEvents(await map(), { writes }))
  }

  /** Resolves when everything requested so far is made. */
  async settled(): Promise<void> {
    await this.inTurn(async () => {})
  }

  /**
   * Makes the unit of an occurrence. Call it in turn.
   * @returns the number of the unit
   * @throws Error if an event is too large for a row, RowTooLarge if another row is; nothing was made then.
   * SessionEnded
   */
  async makeEvents(happened: Mapped[], { message, writes }: Beside): Promise<number> {
    const { keeping } = this.#parts
    const choice = this.#parts.choice()
    const mapped = happened.filter(({ event }) => Choice.wants(choice, event) || keeping.takes(event))
    // An unwanted occurrence leaves no row behind, but for what it makes of a message that is remembered.
    const isForgotten = happened.length > 0 && mapped.length === 0
    if (!isForgotten) return await this.#numberAndMake(mapped, { message, writes })
    const changing = await this.#changing(happened.filter(({ isOfKnown }) => isOfKnown))
    return await this.#numberAndMake([], { writes: [...(writes ?? []), ...changing.flatMap(asWrites)] })
  }

  async #numberAndMake(mapped: Mapped[], beside: Beside): Promise<number> {
    const fresh = await this.#notMade(mapped, beside.message)
    for (const each of fresh) each.mapped = { ...each.mapped, event: cutToFit(await this.#completed(each)) }
    // The line of each in the transcript, if messages are kept.
    const lineOf = await this.#parts.keeping.ready(fresh.map(({ mapped: { event } }) => event))
    const changing = await this.#changing(fresh.map(({ mapped: each }) => each))
    // No `await` from here on: numbers are given and units made in one step.
    let next = this.#next
    let came = this.#came
    const rows = fresh.map((each) => {
      const { event } = each.mapped
      if (!each.isReported) return lineOf(event)
      came = Came.withEvent(came, isOfOthers(event))
      const stored = this.#parts.ownStore.writes(event, next)
      return [this.#rowOf(each, next++, came), ...stored, ...lineOf(event)]
    })
    this.#parts.store.mustFit([...rows.flat(), ...(beside.writes ?? [])])
    const before = this.#came
    this.#next = next
    this.#came = came
    const { commits, messages } = this.#parts
    const own: UnitWrite[] = []
    for (const [i, { message, mark }] of fresh.entries()) {
      const writes = [
        ...rows[i]!, // as many as there are fresh ones
        ...(mark ? [mark] : []),
        ...asWrites(changing[i]),
      ]
      if (!message) own.push(...writes)
      else if (message === beside.message) own.push(...writes)
      // Each message gets a unit of its own, so that it stays with its row, however many messages a stanza
      // brings.
      else commits.make([...writes, messages.row(message)])
    }
    if (beside.message) own.push(messages.row(beside.message))
    const unit = commits.make([...own, ...(beside.writes ?? [])])
    if (fresh.length > 0) void commits.whenKept(unit).then(() => this.#kept(fresh, came, before), ended)
    return unit
  }

  /** What each of these makes of an earlier message. */
  async #changing(mapped: Mapped[]): Promise<(Changing | undefined)[]> {
    const { messages } = this.#parts
    return await Promise.all(
      mapped.map(async ({ change, isOfKnown }) => change && (await messages.changing(change, isOfKnown))),
    )
  }

  #kept(fresh: Fresh[], came: Came.Info | undefined, before: Came.Info | undefined): void {
    const { bell, messageCount } = this.#parts
    bell.want()
    // From now on no newest event has the count of that day, which an earlier host may not have written.
    if (before && before.day !== came?.day) messageCount.came({ day: before.day, count: Came.total(before) })
    const messages = fresh.flatMap(({ mapped: { event }, isReported }) =>
      isReported && event.event === "message" ? [event] : [],
    )
    for (const { from_me } of messages) if (from_me) messageCount.went()
    if (came && messages.some(isOfOthers)) messageCount.came({ day: came.day, count: Came.total(came) })
  }

  /** The event with what is known here; one that is reported says where its file will be. */
  async #completed({ mapped: { event }, isReported }: Fresh): Promise<Event> {
    const said = await this.#ofChat(event)
    return isReported ? this.#parts.ownStore.announced(said) : said
  }

  /**
   * The event with what is known of its chat: both of its names, as lists and webhooks find it by either, and
   * whether a person answers in it now.
   */
  async #ofChat(event: Event): Promise<Event> {
    const { login, handovers } = this.#parts
    const isOver = event.event === "message" && (await handovers.until(event.chat_id)) > 0
    const said: Event = isOver ? { ...event, handover: true } : event
    if (said.event === "group" || !("chat_id" in said) || !isPhoneJid(said.chat_id)) return said
    const chat_lid = await login.vault.otherAddress(said.chat_id)
    return chat_lid ? { ...said, chat_lid } : said
  }

  async #notMade(mapped: Mapped[], brought: KnownMessage | undefined): Promise<Fresh[]> {
    const rows = new Map<string, KnownMessage>(brought && [[brought.sk, brought]])
    const fresh: Fresh[] = []
    for (const each of mapped) {
      if (!each.message) {
        const mark = each.mayRepeat && (await this.#newMark(each))
        if (mark !== false) fresh.push({ mapped: each, isReported: true, ...(mark && { mark }) })
        continue
      }
      const message = await this.#known(each.message, rows)
      if (message.event !== undefined) {
        // A message that only seems to have its event would be lost.
        this.#parts.commits.mustHold(message.event < this.#next, "the event of each message was made")
        continue
      }
      // Reserves the event before it has its number, so that it is not made twice.
      message.event = 0
      const shown = message.isChanged ? await this.#unlessRevoked(each, each.message) : each
      message.remembered = shown.remember
      fresh.push({ mapped: shown, isReported: Choice.wants(this.#parts.choice(), each.event), message })
    }
    return fresh
  }

  /** The same; without its content if its revocation came before it. */
  async #unlessRevoked(mapped: Mapped, identity: MessageIdentity): Promise<Mapped> {
    const { event, remember } = mapped
    const [change] = await this.#parts.messages.changesOf([identity])
    if (change?.what !== "revoke" || event.event !== "message") return mapped
    return {
      ...mapped,
      event: asRevoked(event),
      ...(remember && { remember: { ...remember, content: {}, unknown: undefined } }),
    }
  }

  async #known(identity: MessageIdentity, rows: Map<string, KnownMessage>): Promise<KnownMessage> {
    const { messages } = this.#parts
    const { sk } = messages.unknown(identity)
    const known = rows.get(sk) ?? (await messages.find(identity)) ?? messages.unknown(identity)
    const same = rows.get(known.sk) ?? known
    rows.set(sk, same).set(same.sk, same)
    return same
  }

  /** @returns false if the occurrence had its event before */
  async #newMark({ identity }: Mapped): Promise<UnitWrite | false> {
    const { store } = this.#parts
    const sk = `MARK#${createHash("sha256").update(JSON.stringify(identity)).digest("base64url")}`
    if (await store.get(sk)) return false
    return store.put(sk, "", { expires_at: now() + markedFor })
  }

  #rowOf({ mapped, message }: Fresh, n: number, came: Came.Info): UnitWrite {
    const { bridgeId, deliveryKey } = this.#parts
    if (message) message.event = n
    const ofMessage = mapped.message ? eventIdentityOf(mapped.message) : []
    const identity = [...mapped.identity, ...ofMessage]
    return EventRow.appending({
      bridgeId,
      n,
      identity,
      event: mapped.event,
      deliveryKey,
      came: Came.toRow(came),
    })
  }
}

function isOfOthers(event: Event): boolean {
  return event.event === "message" && !event.from_me
}

function asWrites(changing: Changing | undefined): UnitWrite[] {
  return changing?.writes() ?? []
}

function ended(): void {
  // The bridge's next holder reads the events that are there, and rings.
}
