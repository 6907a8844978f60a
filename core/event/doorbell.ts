import { randomUUID } from "node:crypto"
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import { z } from "zod"
import { requestTimeouts, serviceAt } from "../platform/aws-client-options.ts"
import { config, need } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"
import { log } from "../platform/log.ts"
import { Metrics } from "../platform/metrics.ts"
import { Delivery } from "./delivery.ts"
import { Receiver } from "./receiver.ts"

/** A queue of doorbells. What rings for one delivery makes a group: of these, one at a time is received. */
export interface DoorbellQueue {
  send: (doorbell: { group: string; body: string }) => Promise<void>
  /**
   * Makes a received doorbell ring again after this many seconds, unless it is deleted. Until then it holds
   * back the others of its group.
   */
  hide: (receiptHandle: string, seconds: number) => Promise<void>
}

const sqs = lazily(
  () =>
    new SQSClient({
      maxAttempts: 4,
      cacheMiddleware: true,
      ...requestTimeouts,
      ...serviceAt(config.AWS_ENDPOINT_URL_SQS),
    }),
)

/** The body of a doorbell: "look at this delivery". */
export const Doorbell = z.object({ bridge_id: z.uuid(), webhook_id: z.string() })

const atSqs: DoorbellQueue = {
  async send({ group, body }) {
    const command = new SendMessageCommand({
      QueueUrl: need("DOORBELL_URL"),
      MessageBody: body,
      MessageGroupId: group,
      // FIFO would drop a repeated one for five minutes.
      MessageDeduplicationId: randomUUID(),
    })
    await sqs.send(command)
  },

  async hide(receiptHandle, seconds) {
    const command = new ChangeMessageVisibilityCommand({
      QueueUrl: need("DOORBELL_URL"),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    })
    await sqs.send(command)
  },
}

let queue = atSqs

/** From now on, doorbells of this process go through this queue. @returns a function that undoes it */
export function useDoorbellQueue(given: DoorbellQueue): () => void {
  const before = queue
  queue = given
  return () => {
    queue = before
  }
}

/**
 * Rings. Each webhook has a group of its own, so that the doorbell of one that rests holds back no other's.
 */
export async function ring(id: Receiver.Id): Promise<void> {
  const body: z.infer<typeof Doorbell> = { bridge_id: id.bridgeId, webhook_id: id.webhookId }
  const group = Receiver.isFirst(id) ? id.bridgeId : `${id.bridgeId}/${id.webhookId}`
  try {
    await queue.send({ group, body: JSON.stringify(body) })
  } catch (error) {
    Metrics.add("DoorbellFailed")
    throw error
  }
}

/** Makes a received doorbell ring again after this many seconds, unless it is deleted. */
export async function hide(receiptHandle: string, seconds: number): Promise<void> {
  await queue.hide(receiptHandle, seconds)
}

/** Wakes the doorbell that rests until the next attempt, since it holds back all others of its group. */
export async function unhide({ bridgeId }: Receiver.Id, bell: string | undefined): Promise<void> {
  // It rests no more if a deliverer has received it since.
  if (bell !== undefined)
    await hide(bell, 0).catch((error: unknown) => log.info({ bridgeId, error }, "a doorbell rests no more"))
}

let isLeft = false

/**
 * From now on no bell of this process rings. The process that has the store rings for each event that it
 * writes.
 */
export function leaveRingingToOthers(): void {
  isLeft = true
}

/**
 * Notifies a bridge's delivery that events wait: in the background, once for many events, until it succeeds.
 */
export class Bell {
  readonly #bridgeId: string
  readonly #ringWebhooks: typeof promiseAndRing
  readonly #ended = new AbortController()
  /** When aborted, the bell no longer waits for further events. */
  readonly #hurry = new AbortController()
  #wanted = false
  #anew = false
  #ringing: Promise<void> | undefined

  constructor(bridgeId: string, ringWebhooks = promiseAndRing) {
    this.#bridgeId = bridgeId
    this.#ringWebhooks = ringWebhooks
  }

  /** Events were committed. */
  want(): void {
    if (isLeft) return
    this.#wanted = true
    this.#ringing ??= this.#ring()
  }

  /** Rings even if another process has promised to: something seemed to wait when the session started. */
  ringAnew(): void {
    this.#anew = true
    this.want()
  }

  /** Resolves when there is nothing left to ring for. */
  async quiet(): Promise<void> {
    this.#hurry.abort()
    await this.#ringing
  }

  /** Gives up pending rings: the next owner or the sweep will ring. */
  end(): void {
    this.#hurry.abort()
    this.#ended.abort()
  }

  async #ring(): Promise<void> {
    while (this.#wanted && !this.#ended.signal.aborted) {
      // Several events of one commit need one ring.
      await nextTurn()
      const { signal } = this.#ended
      const anew = this.#anew
      this.#wanted = this.#anew = false
      const rang = await (anew ? ringAnew : this.#ringWebhooks)(this.#bridgeId, signal)
      // A deliverer is at work, and sees further events for a while.
      if (!rang) await sleep(config.BELL_TRUSTS_MS, undefined, { signal: this.#hurry.signal }).catch(hurried)
    }
    this.#ringing = undefined
  }
}

function hurried(): void {
  // The loop then looks at once.
}

/**
 * A producer's duty after it has committed an event: for each webhook at which no deliverer is due to look,
 * it promises that one will, and rings. Retries until it succeeds, or until `signal` says that the duty has
 * passed to another process. Never rejects.
 * @returns whether it rang anywhere; if not, every webhook has a deliverer that is due.
 */
export async function promiseAndRing(bridgeId: string, signal?: AbortSignal): Promise<boolean> {
  const rang = await eachOf(bridgeId, signal, async (seen) => {
    // Having promised, we must ring: to every other process it looks as if a deliverer is due.
    let hasPromised = false
    await untilDone(bridgeId, signal, async () => {
      hasPromised ||= await promiseUnlessDue(seen)
      if (hasPromised) await ring(seen)
    })
    return hasPromised
  })
  return rang.includes(true)
}

/**
 * Rings for each webhook at which no deliverer is due to look, without a promise: for the process that also
 * answers the doorbells. If it ends, its next start rings for what waits (`ringAll`).
 * @returns false: a delivery that was rung for goes on for a while.
 */
export async function ringUnlessDue(bridgeId: string, signal?: AbortSignal): Promise<false> {
  await eachOf(bridgeId, signal, (seen) =>
    untilDone(bridgeId, signal, async () => {
      if (!Delivery.isPausedOrMoved(seen) && !Delivery.isPromised(seen)) await ring(seen)
    }),
  )
  return false
}

/**
 * The duty of a host that takes a bridge over, if something waits or `due` is not 0. It rings in any case,
 * since the one who promised may have died before ringing. Retries as `promiseAndRing` does. Never rejects.
 * @returns true: it has rung, unless `signal` came first.
 */
export async function ringAnew(bridgeId: string, signal?: AbortSignal): Promise<true> {
  await eachOf(bridgeId, signal, (seen) =>
    untilDone(bridgeId, signal, async () => {
      if (Delivery.isPausedOrMoved(seen)) return
      await promiseUnlessDue(seen)
      await ring(seen)
    }),
  )
  return true
}

/** Works on all of a bridge's deliveries at once, so that none waits for another. */
async function eachOf<Result>(
  bridgeId: string,
  signal: AbortSignal | undefined,
  work: (seen: Delivery.Info) => Promise<Result>,
): Promise<Result[]> {
  let deliveries: Delivery.Info[] = []
  await untilDone(bridgeId, signal, async () => {
    deliveries = await Delivery.ofBridge(bridgeId)
  })
  return await Promise.all(deliveries.map(work))
}

async function untilDone(
  bridgeId: string,
  signal: AbortSignal | undefined,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 0; !signal?.aborted; tries++) {
    try {
      return await work()
    } catch (error) {
      log.warn({ bridgeId, tries, error }, "a delivery could not be woken")
      await sleep(Math.min(10_000, 100 * 2 ** tries), undefined, { ref: false })
    }
  }
}

/** @returns false when a deliverer is already due to look, or none has to. */
async function promiseUnlessDue(delivery: Delivery.Info): Promise<boolean> {
  let seen: Delivery.Info | undefined = delivery
  // A delivery without a row is deleted.
  while (seen && !Delivery.isPausedOrMoved(seen) && !Delivery.isPromised(seen)) {
    if (await Delivery.promise(seen, seen.due)) return true
    seen = await Delivery.get(seen)
  }
  return false
}
