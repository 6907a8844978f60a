import { randomUUID } from "node:crypto"
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import { z } from "zod"
import { requestTimeouts, serviceAt } from "../platform/aws-client-options.ts"
import { config, need } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"
import { log } from "../platform/log.ts"
import { Metrics } from "../platform/metrics.ts"
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
