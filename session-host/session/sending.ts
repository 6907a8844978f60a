import { ApiError, sessionUnavailable } from "#core/error.ts"
import { Condition } from "../concurrency/condition.ts"
import { Metrics } from "#core/platform/metrics.ts"
import type { Logger } from "../log.ts"
import type { Memory } from "../memory/memory.ts"
import { NetworkRejected, NotSent, OutcomeUnknown } from "../network/errors.ts"
import type { Connection, Outgoing } from "../network/connection.ts"
import { type Sent, sentMessage, sentRow } from "../memory/messages/sent.ts"
import { rejected } from "../network/refusals.ts"
import { SessionEnded } from "./ended.ts"

interface Wish {
  /** The API chose it before anything else happened, and keeps it across retries. */
  messageId: string
  /** The id was chosen for this call, so no row of it is looked for. */
  isNew?: boolean | undefined
  /** The session's connection, once it is ready. @throws ApiError when there is none. */
  connection: () => Promise<Connection>
  /** Finds the chat and builds the message, once. An error here is definite: nothing was written. */
  build: (connection: Connection) => Promise<{ chat: string; message: Uint8Array }>
}

export interface Answer {
  messageId: string
  timestamp: number
  /** The message of an earlier call under this id was sent, whatever this call asked for. */
  repeated: boolean
}

/** The sends of one session. */
export class Sends {
  readonly #memory: Pick<Memory, "store" | "commits" | "vault">
  readonly #log: Logger
  readonly #running = new Set<string>()
  readonly #changes = new Condition()

  constructor(memory: Pick<Memory, "store" | "commits" | "vault">, log: Logger) {
    this.#memory = memory
    this.#log = log
  }

  /**
   * Sends a message, or finds out its outcome. A message id that was used before means the same bytes again, which the
   * network's clients show only once.
   * @throws ApiError `idempotency_conflict`, `network_rejected`, `send_outcome_unknown`, `session_unavailable`, and
   * what `connection` and `build` throw
   */
  async send(wish: Wish): Promise<Answer> {
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
      this.#changes.notify()
    }
  }

  /** The network has a message whose send had stopped waiting. */
  async acknowledged(messageId: string, timestamp: number): Promise<void> {
    const sent = await sentMessage(this.#memory.store, messageId)
    if (sent?.state === "sent") this.#noteAcked({ ...sent, state: "acked", timestamp })
  }

  /** Waits until no send is under way, at most `withinMs`. */
  async settled(withinMs: number): Promise<void> {
    await this.#changes.until(() => this.#running.size === 0 || undefined, withinMs)
  }

  async #send(wish: Wish): Promise<Answer> {
    const { messageId, isNew } = wish
    const before = isNew ? undefined : await sentMessage(this.#memory.store, messageId)
    if (before?.state === "acked") return { messageId, timestamp: before.timestamp, repeated: true }
    if (before?.state === "failed") throw rejected(before.network_code)

    const repeated = before !== undefined
    const { generation } = this.#memory.vault
    // Sent from another number, its recipient would see it twice.
    if (repeated && before.generation !== generation) throw unknown()
    const connection = await wish.connection().catch((error: unknown) => {
      // The present obstacle says nothing about the earlier transmission.
      throw repeated && error instanceof ApiError ? unknown() : error
    })
    const { chat, message } = before ?? (await wish.build(connection))
    const outgoing = { messageId, chat, message, generation }
    const timestamp = await this.#transmit(connection, outgoing, repeated)
    this.#noteAcked({ ...outgoing, state: "acked", timestamp })
    return { messageId, timestamp, repeated }
  }

  async #transmit(
    connection: Connection,
    outgoing: Outgoing & { generation: number },
    again: boolean,
  ): Promise<number> {
    const { messageId } = outgoing
    const start = performance.now()
    try {
      const { timestamp } = await connection.send(outgoing, again)
      measured({ isUnknown: false })
      Metrics.add("SendAckMs", Math.round(performance.now() - start))
      this.#log.info({ messageId, again }, "message acknowledged")
      return timestamp
    } catch (error) {
      if (error instanceof NetworkRejected) {
        measured({ isUnknown: false })
        Metrics.add("SendRejected")
        this.#log.warn({ messageId, again, networkCode: error.networkCode }, "message refused by the network")
        // A refusal of the repeated stanza says nothing about the first one.
        if (again) throw unknown()
        await this.#write({ ...outgoing, state: "failed", network_code: error.networkCode })
        throw rejected(error.networkCode)
      }
      if (error instanceof NotSent && !again) throw sessionUnavailable()
      if (error instanceof NotSent || error instanceof OutcomeUnknown) {
        measured({ isUnknown: true })
        this.#log.warn({ messageId, again }, "a message's outcome is unknown")
        throw unknown()
      }
      throw error
    }
  }

  /** If the note is lost, a retry sends the same bytes under the same id, which are shown only once. */
  #noteAcked(sent: Sent): void {
    const { store, commits } = this.#memory
    try {
      commits.note([sentRow(store, sent)])
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error
    }
  }

  async #write(sent: Sent): Promise<void> {
    const { store, commits } = this.#memory
    try {
      await commits.write([sentRow(store, sent)])
    } catch (error) {
      // The network has answered, but the bridge's next holder does not know.
      if (error instanceof SessionEnded) throw unknown()
      throw error
    }
  }
}

/** Both at once, also where one is none: an alarm looks at the part of the one in the other. */
function measured(outcome: { isUnknown: boolean }): void {
  Metrics.add("Sends")
  Metrics.add("SendUnknown", outcome.isUnknown ? 1 : 0)
}

function unknown(): ApiError {
  return new ApiError(
    "send_outcome_unknown",
    "the network did not answer in time, so the message may still arrive: retry with the same Idempotency-Key to find out",
  )
}
