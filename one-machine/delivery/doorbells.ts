import { randomUUID } from "node:crypto"
import { EventEmitter, once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Message } from "@aws-sdk/client-sqs"
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import { LRUCache } from "lru-cache"
import { Bell, type DoorbellQueue, ringUnlessDue } from "#core/event/doorbell.ts"
import { EventRow } from "#core/event/event-row.ts"
import { log } from "#core/platform/log.ts"
import { type Item, toRow } from "#core/store/dynamodb-json.ts"
import type { Key } from "#core/store/store.ts"
import { answerDoorbells } from "#functions/delivery/handler.ts"

// On one machine one process rings, keeps the doorbells, and answers them.

/** How many bridges have a bell that is kept. Any other bridge gets a new bell, which looks at once. */
const most = 10_000

/**
 * Rings for events as the store in this process writes them: session hosts need not (`leaveRingingToOthers`).
 */
export class Bells {
  #isEnded = false
  readonly #bells = new LRUCache<string, Bell>({ max: most })

  /** A row of the events table was written. */
  ringForRow({ pk, sk }: Item): void {
    const event = EventRow.ofKey(toRow({ pk: pk!, sk: sk! }) as Key)
    if (!event || this.#isEnded) return
    const bell = this.#bells.get(event.bridgeId) ?? new Bell(event.bridgeId, ringUnlessDue)
    this.#bells.set(event.bridgeId, bell)
    bell.want()
  }

  /** Ends all bells. The next start rings for what waits. */
  end(): void {
    this.#isEnded = true
    for (const bell of this.#bells.values()) bell.end()
  }
}

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

/** The source of doorbells. A doorbell that has done its duty is deleted from it. */
export interface Doorbells {
  /**
   * Waits for doorbells and returns at most `atMost`; none when no producer rang for a while or `signal`
   * ended the wait.
   */
  receive: (atMost: number, signal: AbortSignal) => Promise<Message[]>
  remove: (doorbell: Message) => Promise<void>
}

/** How many doorbells are received at once: as many as a queue returns. */
const receivedAtOnce = 10

/**
 * Stands in for Lambda's poller: the same event, batches of one, and reported failures stay in the queue. One
 * loop receives and hands out doorbells. The queue holds back a bridge's next doorbell until its last one is
 * answered.
 */
export function startPoller(input: {
  doorbells: Doorbells
  /**
   * Delivers by default. `stopping` is aborted by `stop`, which then waits for what is under way: a delivery
   * may stay for 45 s.
   */
  handler?: (event: SQSEvent, stopping: AbortSignal) => Promise<SQSBatchResponse>
  /**
   * How many deliveries run at once, each for another bridge. A slow receiver occupies one for as long as an
   * invocation lasts.
   */
  concurrency: number
}): { stop: () => Promise<void> } {
  const { doorbells, handler = answerDoorbells, concurrency } = input
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const polling = poll()

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const free = concurrency - underWay.size
      if (free === 0) await Promise.race(underWay)
      else for (const doorbell of await receive(Math.min(free, receivedAtOnce))) begin(doorbell)
    }
    await Promise.all(underWay)
  }

  async function receive(atMost: number): Promise<Message[]> {
    try {
      return await doorbells.receive(atMost, stopping.signal)
    } catch (error) {
      if (stopping.signal.aborted) return []
      log.error({ error }, "doorbells cannot be received")
      await sleep(1000)
      return []
    }
  }

  function begin(doorbell: Message): void {
    const passed = pass(doorbell).finally(() => underWay.delete(passed))
    underWay.add(passed)
  }

  async function pass(doorbell: Message): Promise<void> {
    try {
      const answer = await handler({ Records: [toRecord(doorbell)] }, stopping.signal)
      if (answer.batchItemFailures.length === 0) await doorbells.remove(doorbell)
    } catch (error) {
      // As with Lambda, the doorbell returns when its visibility time-out ends.
      log.error({ error }, "a delivery ended with an error")
    }
  }

  return {
    stop: async () => {
      stopping.abort()
      await polling
    },
  }
}

function toRecord(message: Message): SQSRecord {
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    attributes: message.Attributes as unknown as SQSRecord["attributes"], // all were asked for
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? "",
    eventSource: "aws:sqs",
    eventSourceARN: "arn:aws:sqs:local:000000000000:Doorbell",
    awsRegion: "local",
  }
}
