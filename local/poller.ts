import { setTimeout as sleep } from "node:timers/promises"
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda"
import { log } from "#core/log.ts"

/** Stands in for Lambda's own poller: the same event, batch size 1, reported failures are left in the queue. */
export function startPoller(input: {
  queueUrl: string
  handler: (event: SQSEvent) => Promise<SQSBatchResponse>
  /** Deliveries at once. */
  concurrency: number
}): { stop: () => Promise<void> } {
  const queue = new SQSClient()
  const stopping = new AbortController()
  const pollers = Array.from({ length: input.concurrency }, poll)

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const message = await receive()
      if (message) await pass(message)
    }
  }

  async function receive(): Promise<Message | undefined> {
    try {
      const received = await queue.send(
        new ReceiveMessageCommand({
          QueueUrl: input.queueUrl,
          MaxNumberOfMessages: 1,
          WaitTimeSeconds: 20,
          MessageSystemAttributeNames: ["All"],
        }),
        { abortSignal: stopping.signal },
      )
      return received.Messages?.[0]
    } catch (error) {
      if (stopping.signal.aborted) return undefined
      log.error({ error }, "doorbells cannot be received")
      await sleep(1000)
      return undefined
    }
  }

  async function pass(message: Message): Promise<void> {
    try {
      const answer = await input.handler({ Records: [toRecord(message)] })
      if (answer.batchItemFailures.length > 0) return
      await queue.send(
        new DeleteMessageCommand({ QueueUrl: input.queueUrl, ReceiptHandle: message.ReceiptHandle }),
      )
    } catch (error) {
      // As with Lambda: the doorbell comes back when its visibility ends.
      log.error({ error }, "a delivery ended with an error")
    }
  }

  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(pollers)
      queue.destroy()
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
