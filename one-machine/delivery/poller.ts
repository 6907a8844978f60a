import { setTimeout as sleep } from "node:timers/promises"
import type { Message } from "@aws-sdk/client-sqs"
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import { log } from "#core/platform/log.ts"

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
   * `stopping` is aborted by `stop`, which then waits for what is under way: a delivery may stay for 45 s.
   */
  handler: (event: SQSEvent, stopping: AbortSignal) => Promise<SQSBatchResponse>
  /**
   * How many deliveries run at once, each for another bridge. A slow receiver occupies one for as long as an
   * invocation lasts.
   */
  concurrency: number
}): { stop: () => Promise<void> } {
  const { doorbells, concurrency } = input
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
      const answer = await input.handler({ Records: [toRecord(doorbell)] }, stopping.signal)
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
