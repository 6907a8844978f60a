import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type ReceiveMessageResult,
  SQSClient,
} from "@aws-sdk/client-sqs"
import type { Doorbells } from "./poller.ts"

/** The request for doorbells, with how long the queue waits for one. */
const asked = (queueUrl: string, atMost: number) => ({
  QueueUrl: queueUrl,
  MaxNumberOfMessages: atMost,
  WaitTimeSeconds: 20,
  MessageSystemAttributeNames: ["All" as const],
})

/** The doorbells of a queue in another process. */
export function doorbellsAt(queueUrl: string): Doorbells {
  const queue = new SQSClient()
  return {
    async receive(atMost, signal) {
      const command = new ReceiveMessageCommand(asked(queueUrl, atMost))
      const { Messages } = await queue.send(command, { abortSignal: signal })
      return Messages ?? []
    },
    async remove({ ReceiptHandle }) {
      await queue.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }))
    },
  }
}

/** Asks a queue in this process, in SQS's own terms but without the network. `signal` ends a wait for doorbells. */
export type Ask = (action: string, request: object, signal?: AbortSignal) => Promise<unknown>

/** The doorbells of a queue in this process. */
export function doorbellsHere(queueUrl: string, ask: Ask): Doorbells {
  return {
    async receive(atMost, signal) {
      const answer = await ask("ReceiveMessage", asked(queueUrl, atMost), signal)
      return (answer as ReceiveMessageResult).Messages ?? [] // The queue answers as SQS does.
    },
    async remove({ ReceiptHandle }) {
      await ask("DeleteMessage", { QueueUrl: queueUrl, ReceiptHandle })
    },
  }
}
