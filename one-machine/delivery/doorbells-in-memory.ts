import { randomUUID } from "node:crypto"
import { EventEmitter, once } from "node:events"
import type { Message } from "@aws-sdk/client-sqs"
import type { DoorbellQueue } from "#core/event/doorbell.ts"
import type { Doorbells } from "./poller.ts"

interface Rung {
  group: string
  body: string
  received: number
  /** The handle that its last receiver got. */
  handle: string
  /** The doorbell waits for a later time, and a new ring wakes it at once. */
  rests?: boolean
  /** Shows the doorbell again, while it is hidden. */
  timer?: NodeJS.Timeout
}

/**
 * The doorbells of one machine, in memory: one process rings and answers them. When it starts again, it rings
 * for all that waits.
 */
export class DoorbellsInMemory implements DoorbellQueue, Doorbells {
  /**
   * By group: the doorbell that is received first, or was received, and at most one more, for all rings
   * since.
   */
  readonly #groups = new Map<string, [Rung, Rung?]>()
  readonly #received = new Map<string, Rung>()
  readonly #visible = new Set<Rung>()
  readonly #changes = new EventEmitter()
  readonly #hiddenMs: number

  /** @param hiddenMs how long a received doorbell is hidden, unless it is answered; as on AWS if absent */
  constructor(hiddenMs = 120_000) {
    this.#hiddenMs = hiddenMs
  }

  async send({ group, body }: { group: string; body: string }): Promise<void> {
    const rung: Rung = { group, body, received: 0, handle: "" }
    const before = this.#groups.get(group)
    if (!before) this.#begin(rung)
    else if (before[0].rests) this.#show(before[0])
    else if (!this.#visible.has(before[0])) before[1] ??= rung
  }

  async receive(atMost: number, signal: AbortSignal): Promise<Message[]> {
    while (this.#visible.size === 0 && !signal.aborted)
      await once(this.#changes, "visible", { signal }).catch(ignored)
    if (signal.aborted) return []
    return [...this.#visible].slice(0, atMost).map((rung) => this.#receive(rung))
  }

  async remove({ ReceiptHandle: handle = "" }: Pick<Message, "ReceiptHandle">): Promise<void> {
    const rung = this.#received.get(handle)
    // The doorbell was received anew since, or shows again: then it also serves those who have rung since.
    if (!rung || this.#visible.has(rung)) return
    clearTimeout(rung.timer)
    this.#received.delete(handle)
    const [, next] = this.#groups.get(rung.group)! // it is in its group until here
    if (next) this.#begin(next)
    else this.#groups.delete(rung.group)
  }

  /**
   * Lets the doorbell rest for so long. If a producer has rung since it was received, or rings meanwhile, it
   * shows at once: there may be something to do.
   * @throws Error if it was received anew since, or removed
   */
  async hide(handle: string, seconds: number): Promise<void> {
    const rung = this.#received.get(handle)
    if (!rung) throw new Error("the doorbell was received anew, or removed")
    if (this.#visible.has(rung)) return
    const [, next] = this.#groups.get(rung.group)! // it is in its group until it is removed
    if (next || seconds === 0) return this.#begin(rung)
    this.#hideFor(rung, seconds * 1000)
    rung.rests = true
  }

  #begin(rung: Rung): void {
    this.#groups.set(rung.group, [rung])
    this.#show(rung)
  }

  #show(rung: Rung): void {
    clearTimeout(rung.timer)
    rung.rests = false
    this.#visible.add(rung)
    this.#changes.emit("visible")
  }

  #receive(rung: Rung): Message {
    this.#received.delete(rung.handle)
    rung.received++
    rung.handle = randomUUID()
    this.#received.set(rung.handle, rung)
    this.#hideFor(rung, this.#hiddenMs)
    const { body: Body, handle: ReceiptHandle, received } = rung
    const Attributes = { ApproximateReceiveCount: String(received) }
    return { MessageId: ReceiptHandle, ReceiptHandle, Body, Attributes }
  }

  #hideFor(rung: Rung, ms: number): void {
    clearTimeout(rung.timer)
    this.#visible.delete(rung)
    rung.timer = setTimeout(() => this.#show(rung), ms).unref()
  }
}

function ignored(): void {
  // The wait is over.
}
