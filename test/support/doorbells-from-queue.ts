import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import { serviceAt } from "#core/platform/aws-client-options.ts"
import type { Doorbells } from "#one-machine/delivery/doorbells.ts"

/** The request for doorbells, with how long the queue waits for one. */
const asked = (queueUrl: string, atMost: number) => ({
  QueueUrl: queueUrl,
  MaxNumberOfMessages: atMost,
  WaitTimeSeconds: 20,
  MessageSystemAttributeNames: ["All" as const],
})

/** The doorbells of a queue in another process. */
export function doorbellsFrom(queueUrl: string): Doorbells {
  const queue = new SQSClient(serviceAt(new URL(queueUrl).origin))
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
