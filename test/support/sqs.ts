import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs"
import { buildApp } from "fauxqs"

export interface Sqs {
  /** For `AWS_ENDPOINT_URL_SQS`. Any credentials will do. */
  endpoint: string
  doorbellUrl: string
  /** The dead-letter queue, for doorbells that were received too often. */
  deadUrl: string
  close: () => Promise<void>
}

export interface Options {
  /** Any free port if absent. */
  port?: number
  visibilitySeconds?: number
  maxReceiveCount?: number
}

/**
 * An SQS on 127.0.0.1 with the doorbell queue and its dead-letter queue, configured as on AWS. It is in
 * memory: doorbells are lost with it, and the sweep rings again. The same endpoint answers as an empty S3.
 * Rejects if the port is taken.
 *
 * Deduplication ids must be unique across all groups, since fauxqs ignores the scope.
 */
export async function startSqs(options: Options = {}): Promise<Sqs> {
  // Its own startFauxqs would listen on every address of the machine.
  const app = buildApp({ logger: false })
  const endpoint = await app.listen({ port: options.port ?? 0, host: "127.0.0.1" })
  return { endpoint, ...(await makeQueues(endpoint, options)), close: () => app.close() }
}

/** Makes the doorbell queue and its dead-letter queue, as on AWS, at what stands for SQS. */
export async function makeQueues(
  endpoint: string,
  { visibilitySeconds = 120, maxReceiveCount = 50, region = "us-east-1" }: Options & { region?: string } = {},
): Promise<Pick<Sqs, "doorbellUrl" | "deadUrl">> {
  const client = new SQSClient({
    endpoint,
    region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  })

  async function fifo(QueueName: string, attributes: Record<string, string>) {
    const Attributes = { FifoQueue: "true", ...attributes }
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName, Attributes }))
    // It names a host under localhost, which some machines cannot resolve; only the path counts.
    return `${endpoint}${new URL(QueueUrl!).pathname}`
  }

  const deadUrl = await fifo("DeadDoorbells.fifo", {})
  const dead = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadUrl, AttributeNames: ["QueueArn"] }),
  )
  const doorbellUrl = await fifo("Doorbell.fifo", {
    VisibilityTimeout: String(visibilitySeconds),
    DeduplicationScope: "messageGroup",
    FifoThroughputLimit: "perMessageGroupId",
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.Attributes?.QueueArn, maxReceiveCount }),
  })
  client.destroy()
  return { doorbellUrl, deadUrl }
}
