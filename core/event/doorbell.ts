import { randomUUID } from "node:crypto"
import { ChangeMessageVisibilityCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs"
import { z } from "zod"
import { requestTimes, signedUnlessLoopback } from "../platform/aws-client-options.ts"
import { config, need } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"
import { log } from "../platform/log.ts"
import { Metrics } from "../platform/metrics.ts"

const queue = lazily(
  () =>
    new SQSClient({
      maxAttempts: 4,
      cacheMiddleware: true,
      ...requestTimes,
      ...signedUnlessLoopback(config.AWS_ENDPOINT_URL_SQS),
    }),
)

/** The body of a doorbell: "somebody look at this bridge". */
export const Doorbell = z.object({ bridge_id: z.uuid() })

/** Rings. The deduplication id is random, because FIFO would drop a repeated one for five minutes. */
export async function ring(bridgeId: string): Promise<void> {
  const command = new SendMessageCommand({
    QueueUrl: need("DOORBELL_URL"),
    MessageBody: JSON.stringify({ bridge_id: bridgeId } satisfies z.infer<typeof Doorbell>),
    MessageGroupId: bridgeId,
    MessageDeduplicationId: randomUUID(),
  })
  try {
    await queue.send(command)
  } catch (error) {
    Metrics.add("DoorbellFailed")
    throw error
  }
}

/**
 * Makes a received doorbell ring again after this many seconds, unless it is deleted. Until then it holds back the others of
 * its bridge.
 */
export async function hide(receiptHandle: string, seconds: number): Promise<void> {
  await queue.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: need("DOORBELL_URL"),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }),
  )
}

/** Wakes the doorbell that rests until the next attempt, since it holds back all others of its bridge. */
export async function unhide(bridgeId: string, bell: string | undefined): Promise<void> {
  // It rests no more if somebody has received it since.
  if (bell !== undefined)
    await hide(bell, 0).catch((error: unknown) => log.info({ bridgeId, error }, "a doorbell rests no more"))
}
