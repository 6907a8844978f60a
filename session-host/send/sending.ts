import { ApiError, sessionUnavailable } from "#core/error.ts"
import { isGroup, statusChat } from "#core/message/jid.ts"
import { nowMs } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { MessageKeeping } from "../chats/keep-messages.ts"
import { Condition } from "../concurrency/condition.ts"
import type { Change } from "../content/changes.ts"
import type { Changing } from "../memory/messages/messages.ts"
import type { SentList } from "../memory/messages/sent-list.ts"
import { type Sent, sentMessage, withoutReceipts } from "../memory/messages/sent.ts"
import type { SessionStore } from "../memory/rows.ts"
import { SessionEnded } from "../memory/session-ended.ts"
import type { SessionVault } from "../memory/vault.ts"
import type { Connection, Outgoing } from "../network/connection.ts"
import { NetworkRejected, NobodyReached, NotInGroup, NotSent, OutcomeUnknown } from "../network/errors.ts"
import { networkRefusal } from "../network/refusals.ts"
import { notInGroup, onlyAdminsWrite } from "../people/recipients.ts"
import type { Uplink } from "../uplink/uplink.ts"
import type { Statuses } from "./statuses.ts"

interface Input {
  memory: {
    store: SessionStore
    readonly vault: SessionVault
    statuses: Statuses
    keeping: MessageKeeping
    sentList: SentList
    outbox: { readonly next: number }
  }
  uplink: Pick<Uplink, "ready" | "during">
  log: Logger
}

/** A message that a customer wants sent. */
export interface Wish {
  /** Chosen by the API before anything else happened. A retry of the call has the same id. */
  messageId: string
  /**
   * Whether this call is the first under its id, so that the message has no row. The API repeats such a call
   * only if no host has begun it.
   */
  isNew?: boolean | undefined
  /** The API request that asks for the message. */
  requestId?: string | undefined
  /**
   * Finds the chat and composes the message, at most once in a call. An error here is definite: nothing was
   * written.
   */
  prepare: (
    connection: Connection,
  ) => Promise<Pick<Outgoing, "chat" | "message" | "members"> & { change?: Change }>
}

export interface SendAnswer {
  messageId: string
  /** The chat that the message went to. */
  chat: string
  timestamp: number
  /**
   * An earlier call under this id had its message sent. That message counts, even if this call asked for
   * another one.
   */
  isRepeat: boolean
}

/** The sends of one session. */
export class Sending {
  readonly #input: Input
  readonly #running = new Set<string>()
  readonly #ended = new Condition()

  constructor(input: Input) {
    this.#input = input
  }

  /**
   * Sends a message, or finds out its outcome. Under an id that was used before, the same bytes are sent
   * again, and phones show an id only once.
   * @throws ApiError `idempotency_conflict`, `not_paired`, `network_rejected`, `send_outcome_unknown`,
   * `session_unavailable`, `recipient_not_found` for a group that the session is not in, and what `prepare`
   * throws
   */
  async send(wish: Wish): Promise<SendAnswer> {
    const { messageId } = wish
    if (this.#running.has(messageId))
      throw new ApiError(
        "idempotency_conflict",
        "this message is already being sent: try again when that has ended",
      )
    this.#running.add(messageId)
    try {
      return await this.#send(wish)
    } finally {
      this.#running.delete(messageId)
      this.#ended.notify()
    }
  }

  /** Whether a message is being sent. */
  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /** Waits until no send is under way, at most `withinMs`. */
  async settled(withinMs: number): Promise<void> {
    await this.#ended.until(() => this.#running.size === 0 || undefined, withinMs)
  }

  /**
   * The whole of a send. `connection.send` commits the row of the message, in the state `sent`, and the step
   * of the ratchet as one unit before the stanza may leave. The network's answer turns the state into `acked`
   * or, at the first attempt, `failed`. If the host dies before the row is durable, nothing has left. If it
   * dies later, a retry on the next host finds the row, and sends the same bytes under the same id.
   */
  async #send({ messageId, isNew, requestId, prepare }: Wish): Promise<SendAnswer> {
    const { memory, uplink } = this.#input
    const earlier = isNew ? undefined : await sentMessage(memory.store, messageId)
    if (earlier?.state === "acked")
      return { messageId, chat: earlier.chat, timestamp: earlier.timestamp, isRepeat: true }
    // The API did not hear of the refusal, or had no time to free the key. Once the key is free, the next
    // call has another id.
    if (earlier?.state === "failed") throw refusalIn(earlier.chat, earlier.network_code)
    const { generation } = memory.vault
    // The bridge was linked anew meanwhile: the same message from its new device would be a second one to the
    // recipient.
    if (earlier && earlier.generation !== generation) throw outcomeUnknown()

    const connection = await uplink.ready().catch((error: unknown) => {
      // The present error says nothing about the earlier transmission.
      throw earlier && error instanceof ApiError ? outcomeUnknown() : error
    })
    const { chat, message, members, change } = earlier
      ? { ...earlier, members: viewersOf(earlier), change: undefined }
      : await uplink.during(connection, () => prepare(connection))

    // A new message has no row yet. If the host dies here, a retry composes it again.
    const {
      askedMs,
      requestId: asked,
      own,
      eventsBefore,
    } = earlier ?? {
      askedMs: nowMs(),
      requestId,
      own: memory.vault.login?.jid,
      eventsBefore: memory.outbox.next - 1,
    }
    const outgoing = {
      messageId,
      chat,
      message,
      generation,
      ...(own !== undefined && { own }),
      ...(askedMs !== undefined && { askedMs }),
      ...(asked !== undefined && { requestId: asked }),
      ...(eventsBefore !== undefined && { eventsBefore }),
      ...(members && { members }),
    }
    const isRepeat = earlier !== undefined
    if (!isRepeat) memory.sentList.note(outgoing)
    // A repeated message was kept when it was sent first.
    const kept = isRepeat ? undefined : await memory.keeping.outgoing(outgoing, change)
    const timestamp = await this.#transmit(connection, outgoing, isRepeat, kept)
    // If the host dies before this is durable, a retry sends the same bytes once more.
    await unlessEnded(memory.statuses.acked(inRow(outgoing), timestamp))
    return { messageId, chat: outgoing.chat, timestamp, isRepeat }
  }

  /**
   * Encrypts the message, commits its row, and lets the stanza through the gate. Resolves with the time of
   * the network's answer.
   */
  async #transmit(
    connection: Connection,
    outgoing: Omit<Outgoing, "beside"> & { generation: number },
    isRepeat: boolean,
    kept: Changing | undefined,
  ): Promise<number> {
    const { messageId } = outgoing
    const { log } = this.#input
    const start = performance.now()
    try {
      const beside = kept && { beside: kept.writes }
      const { timestamp } = await connection.send({ ...outgoing, ...beside }, isRepeat)
      count({ isUnknown: false })
      Metrics.add("SendAckMs", Math.round(performance.now() - start))
      log.info({ messageId, again: isRepeat }, "message acknowledged")
      return timestamp
    } catch (error) {
      if (error instanceof NetworkRejected) {
        count({ isUnknown: false })
        Metrics.add("SendRejected")
        log.warn(
          { messageId, again: isRepeat, networkCode: error.networkCode },
          "message refused by the network",
        )
        // A refusal of the repeated stanza says nothing about the first stanza.
        if (isRepeat) throw outcomeUnknown()
        // If the host dies before this is durable, a retry sends the same bytes: if the network accepts them,
        // the message is sent; if it refuses them again, the outcome stays unknown.
        const { statuses } = this.#input.memory
        await unlessEnded(statuses.refused(inRow(outgoing), error.networkCode, kept?.withdrawal()))
        throw refusalIn(outgoing.chat, error.networkCode)
      }
      // These errors say that the stanza has not left. The row may exist all the same: a retry finds it and
      // sends the same bytes.
      if (error instanceof NobodyReached && !isRepeat) throw sessionUnavailable(nobodyReached, 60)
      if (error instanceof NotInGroup && !isRepeat) throw notInGroup()
      if (error instanceof NotSent && !isRepeat) throw sessionUnavailable()
      if (error instanceof NotSent || error instanceof OutcomeUnknown) {
        count({ isUnknown: true })
        log.warn({ messageId, again: isRepeat }, "a message's outcome is unknown")
        throw outcomeUnknown()
      }
      // This is a defect of ours. The API takes it for an unknown outcome.
      throw error
    }
  }
}

/**
 * What the network's refusal of a message to this chat means. In a group it is mostly known before; this is
 * for what has changed since, and for what is no new message, such as a pin.
 */
function refusalIn(chat: string, networkCode: number): ApiError {
  if (isGroup(chat) && networkCode === 403) return onlyAdminsWrite()
  if (isGroup(chat) && networkCode === 404) return notInGroup()
  return networkRefusal(networkCode)
}

/** The people whom a status is for. The members of a group are found anew. */
function viewersOf({ chat, members }: Sent): string[] | undefined {
  return chat === statusChat && members ? Object.keys(members) : undefined
}

function inRow({ members, ...outgoing }: Outgoing & { generation: number }) {
  return { ...outgoing, ...(members && { members: withoutReceipts(members) }) }
}

/**
 * Waits until the network's answer is written. If the session ends before that, the bridge's next holder does
 * not know the answer.
 */
async function unlessEnded(written: Promise<void>): Promise<void> {
  try {
    await written
  } catch (error) {
    if (error instanceof SessionEnded) throw outcomeUnknown()
    throw error
  }
}

const nobodyReached =
  "nothing was sent: the network gives no keys for any device of this person, so nobody could read the message. Try again later"

/** Counts a send. `SendUnknown` gets a zero, too: an alarm watches its share of all sends. */
function count(outcome: { isUnknown: boolean }): void {
  Metrics.add("Sends")
  Metrics.add("SendUnknown", outcome.isUnknown ? 1 : 0)
}

function outcomeUnknown(): ApiError {
  return new ApiError(
    "send_outcome_unknown",
    "the network did not answer in time, so the message may still arrive: retry with the same Idempotency-Key to find out",
  )
}
