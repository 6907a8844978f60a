import { randomUUID } from "node:crypto"
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs"
import { expect, onTestFinished, test } from "vitest"
import { type Options, startSqs } from "./sqs.ts"

/** The queues, and shortcuts for these tests' requests. */
async function queues(options: Options = {}) {
  const sqs = await startSqs(options)
  const credentials = { accessKeyId: "local", secretAccessKey: "local" }
  const client = new SQSClient({ endpoint: sqs.endpoint, region: "us-east-1", credentials, maxAttempts: 1 })
  onTestFinished(async () => {
    client.destroy()
    await sqs.close()
  })

  const ring = (group: string, body = group) =>
    client.send(
      new SendMessageCommand({
        QueueUrl: sqs.doorbellUrl,
        MessageGroupId: group,
        MessageDeduplicationId: randomUUID(),
        MessageBody: body,
      }),
    )

  async function receive(QueueUrl = sqs.doorbellUrl, WaitTimeSeconds = 0) {
    const MessageSystemAttributeNames = ["ApproximateReceiveCount" as const, "MessageGroupId" as const]
    const answer = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds,
        MessageSystemAttributeNames,
      }),
    )
    return answer.Messages ?? []
  }

  const hideFor = (seconds: number, ReceiptHandle?: string) =>
    client.send(
      new ChangeMessageVisibilityCommand({
        QueueUrl: sqs.doorbellUrl,
        ReceiptHandle,
        VisibilityTimeout: seconds,
      }),
    )
  const remove = (ReceiptHandle?: string) =>
    client.send(new DeleteMessageCommand({ QueueUrl: sqs.doorbellUrl, ReceiptHandle }))
  return { ...sqs, client, ring, receive, hideFor, remove }
}

const bodies = (messages: { Body?: string }[]) => messages.map((message) => message.Body)

test("the queues have the attributes of those on AWS", async () => {
  const { client, doorbellUrl, deadUrl, endpoint } = await queues()
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: doorbellUrl, AttributeNames: ["All"] }),
  )
  expect(Attributes).toMatchObject({
    FifoQueue: "true",
    VisibilityTimeout: "120",
    DeduplicationScope: "messageGroup",
    FifoThroughputLimit: "perMessageGroupId",
  })
  const redrive: unknown = JSON.parse(Attributes!.RedrivePolicy!)
  expect(redrive).toMatchObject({
    maxReceiveCount: 50,
    deadLetterTargetArn: expect.stringMatching(/:DeadDoorbells\.fifo$/),
  })
  expect(doorbellUrl).toBe(`${endpoint}/000000000000/Doorbell.fifo`)
  expect(deadUrl).toBe(`${endpoint}/000000000000/DeadDoorbells.fifo`)
})

test("a group with a doorbell in work is hidden, others are not", async () => {
  const { ring, receive, remove } = await queues()
  await ring("one", "first")
  await ring("one", "second")
  await ring("two", "other")

  const held = [...(await receive()), ...(await receive())]
  expect(new Set(bodies(held))).toEqual(new Set(["first", "other"]))
  expect(await receive()).toEqual([])

  await remove(held.find((message) => message.Body === "first")!.ReceiptHandle)
  expect(bodies(await receive())).toEqual(["second"])
})

test("a doorbell that is handed back comes again, and counts its receives", async () => {
  const { ring, receive, hideFor } = await queues()
  await ring("one")
  const [first] = await receive()
  expect(first!.Attributes).toMatchObject({ ApproximateReceiveCount: "1", MessageGroupId: "one" })
  await hideFor(1, first!.ReceiptHandle)
  expect(await receive()).toEqual([])

  const [second] = await receive(undefined, 5)
  expect(second!.Attributes).toMatchObject({ ApproximateReceiveCount: "2" })
})

test("a doorbell that was received too often ends in the dead-letter queue", async () => {
  const { ring, receive, hideFor, deadUrl } = await queues({ maxReceiveCount: 2 })
  await ring("one")
  for (let count = 0; count < 2; count++) await hideFor(0, (await receive())[0]!.ReceiptHandle)
  expect(await receive()).toEqual([])
  expect(await receive(deadUrl)).toMatchObject([{ Body: "one" }])
})

test("closing ends the listeners that are left", async () => {
  const { receive, close } = await queues()
  const [listening] = await Promise.all([
    receive(undefined, 20).catch((error: unknown) => error),
    new Promise((resolve) => setImmediate(resolve)).then(close),
  ])
  expect(listening).toBeInstanceOf(Error)
})

test("a taken port is refused", async () => {
  const { endpoint } = await queues()
  await expect(startSqs({ port: Number(new URL(endpoint).port) })).rejects.toMatchObject({
    code: "EADDRINUSE",
  })
})
