import { EventEmitter, once } from "node:events"
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type ReceiveMessageResult,
  SQSClient,
} from "@aws-sdk/client-sqs"
import { buildApp } from "fauxqs"
import { z } from "zod"
import type { Ask } from "../delivery/doorbell-sources.ts"

export interface Sqs {
  /** For `AWS_ENDPOINT_URL_SQS`. Any credentials will do. */
  endpoint: string
  doorbellUrl: string
  /** The dead-letter queue, for doorbells that were received too often. */
  deadUrl: string
  /** For callers in this process: the same answers at an eighth of the processor time, and a wait costs nothing. */
  ask: Ask
  close: () => Promise<void>
}

export interface Options {
  /** Any free port if absent. */
  port?: number
  visibilitySeconds?: number
  maxReceiveCount?: number
}

const Asked = z.looseObject({ WaitTimeSeconds: z.number().default(0) })
const Hidden = z.object({ VisibilityTimeout: z.number() }).catch({ VisibilityTimeout: 0 })

/** Hidden doorbells are looked for so long after they may be seen again: timers and the wall clock differ. */
const afterMs = 5

/**
 * An SQS on 127.0.0.1 with the doorbell queue and its dead-letter queue, configured as on AWS. It is in memory:
 * doorbells are lost with it, and the sweep rings again. Rejects if the port is taken.
 *
 * Deduplication ids must be unique across all groups, since fauxqs ignores the scope.
 */
export async function startSqs(options: Options = {}): Promise<Sqs> {
  // Its own startFauxqs would listen on every address of the machine.
  const app = buildApp({ logger: false })
  const { visibilitySeconds = 120 } = options
  const ask = askerOf(app, visibilitySeconds)
  const endpoint = await app.listen({ port: options.port ?? 0, host: "127.0.0.1" })
  const client = new SQSClient({
    endpoint,
    region: "us-east-1",
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
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: dead.Attributes?.QueueArn,
      maxReceiveCount: options.maxReceiveCount ?? 50,
    }),
  })
  client.destroy()

  return { endpoint, doorbellUrl, deadUrl, ask, close: () => app.close() }
}

/** Asks in this process. The queue itself would look for doorbells fifty times a second while somebody waits. */
function askerOf(app: ReturnType<typeof buildApp>, visibilitySeconds: number): Ask {
  /** Emits when there may be doorbells: after each request, and when those that were hidden are seen again. */
  const changes = new EventEmitter().setMaxListeners(0)
  const notify = () => void changes.emit("change")
  const notifyIn = (seconds: number) => setTimeout(notify, seconds * 1000 + afterMs).unref()
  // Before the answer: a caller that has gone gets none, and its request has been done all the same.
  app.addHook("onSend", async ({ headers, body }, _reply, payload) => {
    const { "x-amz-target": target } = headers
    if (target === "AmazonSQS.ReceiveMessage") {
      if (String(payload).includes('"Messages"')) notifyIn(visibilitySeconds)
    } else notify()
    if (target === "AmazonSQS.ChangeMessageVisibility") notifyIn(Hidden.parse(body).VisibilityTimeout)
    return payload
  })
  app.addHook("onClose", async () => notify())

  async function askNow(action: string, request: object): Promise<unknown> {
    const { statusCode, payload } = await app.inject({
      method: "POST",
      url: "/",
      headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `AmazonSQS.${action}` },
      payload: JSON.stringify(request),
    })
    if (statusCode !== 200) throw new Error(`${action}: ${statusCode} ${payload}`)
    return payload === "" ? {} : JSON.parse(payload)
  }

  async function receive(
    { WaitTimeSeconds, ...request }: z.infer<typeof Asked>,
    signal?: AbortSignal,
  ): Promise<ReceiveMessageResult> {
    const timeOut = AbortSignal.timeout(WaitTimeSeconds * 1000)
    const over = signal ? AbortSignal.any([timeOut, signal]) : timeOut
    do {
      const changed = once(changes, "change", { signal: over }).catch(ignored)
      const answer = await askNow("ReceiveMessage", { ...request, WaitTimeSeconds: 0 })
      const received = answer as ReceiveMessageResult // the queue answers as SQS does
      if (received.Messages) return received
      await changed
    } while (!over.aborted)
    return {}
  }

  return async (action, request, signal) =>
    action === "ReceiveMessage" ? await receive(Asked.parse(request), signal) : await askNow(action, request)
}

function ignored(): void {
  // The wait is over.
}
