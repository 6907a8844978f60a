import {
  DeleteMessageCommand,
  type Message,
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

/** Asks a queue in this process, in SQS's own terms but without the network. */
export type Ask = (action: string, request: object) => Promise<unknown>

/** The doorbells of a queue in this process. */
export function doorbellsHere(queueUrl: string, ask: Ask): Doorbells {
  return {
    async receive(atMost, signal) {
      const ended = Promise.withResolvers<Message[]>()
      const end = () => ended.resolve([])
      signal.addEventListener("abort", end)
      const received = ask("ReceiveMessage", asked(queueUrl, atMost)).then(messagesIn)
      try {
        return await Promise.race([received, ended.promise])
      } finally {
        signal.removeEventListener("abort", end)
      }
    },
    async remove({ ReceiptHandle }) {
      await ask("DeleteMessage", { QueueUrl: queueUrl, ReceiptHandle })
    },
  }
}

function messagesIn(answer: unknown): Message[] {
  return (answer as ReceiveMessageResult).Messages ?? [] // The queue answers as SQS does.
}
