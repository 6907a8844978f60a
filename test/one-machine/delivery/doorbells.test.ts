import { SQSClient, ChangeMessageVisibilityCommand, SendMessageCommand } from "@aws-sdk/client-sqs"
import type { SQSEvent } from "aws-lambda"
import { expect, onTestFinished, test } from "vitest"
import { serveDoorbells } from "#one-machine/aws/serve-doorbells.ts"
import { type Doorbells, DoorbellsInMemory, startPoller } from "#one-machine/delivery/doorbells.ts"
import { until } from "#test/support/until.ts"

const never = new AbortController().signal

const bodies = (messages: { Body?: string | undefined }[]) => messages.map(({ Body }) => Body)

/** The doorbells that are visible now. */
async function visible(doorbells: DoorbellsInMemory, atMost = 10) {
  const now = new AbortController()
  const received = doorbells.receive(atMost, now.signal)
  now.abort()
  return await received
}

test("a poller that waits gets a doorbell as soon as a producer rings, and no more than it asked for", async () => {
  const doorbells = new DoorbellsInMemory()
  const received = doorbells.receive(2, never)
  for (const group of ["one", "two", "three"]) await doorbells.send({ group, body: group })
  expect(bodies(await received)).toEqual(["one", "two"])
  expect(bodies(await doorbells.receive(2, never))).toEqual(["three"])
})

test("while a doorbell is answered, its group is hidden, and others are not", async () => {
  const doorbells = new DoorbellsInMemory()
  await doorbells.send({ group: "one", body: "first" })
  const [first] = await doorbells.receive(1, never)
  await doorbells.send({ group: "one", body: "second" })
  await doorbells.send({ group: "two", body: "other" })
  expect(bodies(await doorbells.receive(10, never))).toEqual(["other"])
  expect(await visible(doorbells)).toEqual([])
  await doorbells.remove(first!)
  expect(bodies(await doorbells.receive(10, never))).toEqual(["second"])
})

test("a doorbell that is not received yet serves for all that ring, and so does one behind it", async () => {
  const doorbells = new DoorbellsInMemory()
  const ring = () => doorbells.send({ group: "one", body: "look" })
  for (let i = 0; i < 3; i++) await ring()
  const [first, ...none] = await doorbells.receive(10, never)
  expect(none).toEqual([])
  for (let i = 0; i < 3; i++) await ring()
  await doorbells.remove(first!)
  const [second] = await doorbells.receive(10, never)
  await doorbells.remove(second!)
  expect(await visible(doorbells)).toEqual([])
})

test("a hidden doorbell rings again in time, counts its receives, and obeys its last receiver alone", async () => {
  const doorbells = new DoorbellsInMemory()
  await doorbells.send({ group: "one", body: "look" })
  const [first] = await doorbells.receive(1, never)
  await doorbells.hide(first!.ReceiptHandle!, 0.05)
  expect(await visible(doorbells)).toEqual([])
  const [second] = await doorbells.receive(1, never)
  expect(second!.Attributes).toMatchObject({ ApproximateReceiveCount: "2" })
  await expect(doorbells.hide(first!.ReceiptHandle!, 0)).rejects.toThrow("received anew")
  await doorbells.remove(first!)
  await doorbells.hide(second!.ReceiptHandle!, 0)
  expect(bodies(await visible(doorbells))).toEqual(["look"])
})

test("a poller that answers after the doorbell shows again takes away no ring that came since", async () => {
  const doorbells = new DoorbellsInMemory(1)
  const ring = () => doorbells.send({ group: "one", body: "look" })
  await ring()
  const [late] = await doorbells.receive(1, never)
  // It asks for none, and hears when there is one.
  await doorbells.receive(0, never)
  await ring()
  await doorbells.hide(late!.ReceiptHandle!, 60)
  await doorbells.remove(late!)
  expect(bodies(await visible(doorbells))).toEqual(["look"])
})

test("a doorbell that rests is woken by a producer that rings, also by one that rang while it was answered", async () => {
  const doorbells = new DoorbellsInMemory()
  const ring = () => doorbells.send({ group: "one", body: "look" })
  await ring()
  const [first] = await doorbells.receive(1, never)
  await doorbells.hide(first!.ReceiptHandle!, 60)
  expect(await visible(doorbells)).toEqual([])
  await ring()
  const [second] = await doorbells.receive(1, never)
  await ring()
  await doorbells.hide(second!.ReceiptHandle!, 60)
  const [third] = await doorbells.receive(1, never)
  await doorbells.hide(third!.ReceiptHandle!, 60)
  expect(await visible(doorbells)).toEqual([])
})

test("a doorbell that is not answered rings again", async () => {
  const doorbells = new DoorbellsInMemory(50)
  await doorbells.send({ group: "one", body: "look" })
  await doorbells.receive(1, never)
  expect(bodies(await doorbells.receive(1, never))).toEqual(["look"])
})

test("a poller that waits no longer takes nothing that comes then", async () => {
  const doorbells = new DoorbellsInMemory()
  const waits = new AbortController()
  const received = doorbells.receive(1, waits.signal)
  waits.abort()
  expect(await received).toEqual([])
  await doorbells.send({ group: "one", body: "look" })
  expect(bodies(await doorbells.receive(1, never))).toEqual(["look"])
})

test("other processes ring, and wake a doorbell that rests, in SQS's words", async () => {
  const doorbells = new DoorbellsInMemory()
  const queue = await serveDoorbells(doorbells, { port: 0 })
  const credentials = { accessKeyId: "local", secretAccessKey: "local" }
  const client = new SQSClient({ endpoint: queue.endpoint, region: "us-east-1", credentials, maxAttempts: 1 })
  onTestFinished(async () => {
    client.destroy()
    await queue.close()
  })
  const QueueUrl = queue.doorbellUrl
  const ring = { QueueUrl, MessageBody: "look", MessageGroupId: "one", MessageDeduplicationId: "any" }
  await client.send(new SendMessageCommand(ring))
  const [received] = await doorbells.receive(1, never)
  expect(received).toMatchObject({ Body: "look" })
  const wake = { QueueUrl, ReceiptHandle: received!.ReceiptHandle, VisibilityTimeout: 0 }
  await client.send(new ChangeMessageVisibilityCommand(wake))
  expect(bodies(await doorbells.receive(1, never))).toEqual(["look"])
  await expect(client.send(new ChangeMessageVisibilityCommand(wake))).rejects.toMatchObject({
    name: "InvalidParameterValueException",
  })
})

/** A queue and its poller. `answer` stands for the delivery; true keeps the doorbell. */
async function aPoller(
  answer: (group: string) => Promise<boolean | void>,
  options: { concurrency?: number; hiddenMs?: number } = {},
) {
  const doorbells = new DoorbellsInMemory(options.hiddenMs)
  let asked = 0
  const counted: Doorbells = {
    receive: (...input) => {
      asked++
      return doorbells.receive(...input)
    },
    remove: (doorbell) => doorbells.remove(doorbell),
  }
  const handler = async ({ Records: [record] }: SQSEvent) => {
    const isKept = await answer(record!.body)
    return { batchItemFailures: isKept ? [{ itemIdentifier: record!.messageId }] : [] }
  }
  const { concurrency = 100 } = options
  const poller = startPoller({ doorbells: counted, handler, concurrency })
  onTestFinished(poller.stop)
  return {
    asked: () => asked,
    ring: (group: string) => doorbells.send({ group, body: group }),
  }
}

const groups = (count: number) => Array.from({ length: count }, (_, i) => `bridge ${i}`)

test("receivers that do not answer hold up their own bridges, and no other", async () => {
  const never = Promise.withResolvers<void>()
  const answered: string[] = []
  const { ring } = await aPoller(async (group) => {
    if (group !== "the last") await never.promise
    answered.push(group)
  })
  for (const group of groups(50)) await ring(group)
  await ring("the last")
  await until(() => answered.length > 0)
  expect(answered).toEqual(["the last"])
  never.resolve()
})

test("no more deliveries are under way than may be; the others wait for their turn", async () => {
  const turns: (() => void)[] = []
  const { ring } = await aPoller(() => new Promise((resolve) => turns.push(resolve)), { concurrency: 2 })
  for (const group of groups(5)) await ring(group)
  for (let answered = 0; answered < 5; answered++) {
    await until(() => turns.length >= Math.min(2, 5 - answered))
    expect(turns.length).toBeLessThanOrEqual(2)
    turns.shift()!()
  }
})

test("a bridge's next doorbell waits until the last one is answered", async () => {
  const turns: { group: string; end: () => void }[] = []
  const { ring } = await aPoller((group) => new Promise((resolve) => turns.push({ group, end: resolve })))
  await ring("a bridge")
  await until(() => turns.length === 1)
  for (const group of ["a bridge", "another"]) await ring(group)
  await until(() => turns.length === 2)
  expect(turns.map(({ group }) => group)).toEqual(["a bridge", "another"])
  turns[0]!.end()
  await until(() => turns.length === 3)
  for (const { end } of turns) end()
})

test("a doorbell that is kept, or whose delivery throws, rings again", async () => {
  const times = new Map<string, number>()
  const { ring } = await aPoller(
    async (group) => {
      const time = (times.get(group) ?? 0) + 1
      times.set(group, time)
      if (time === 1 && group === "throws") throw new Error("a bug")
      return time === 1
    },
    { hiddenMs: 100 },
  )
  for (const group of ["kept", "throws"]) await ring(group)
  await until(() => times.get("kept") === 2 && times.get("throws") === 2)
  expect(times.size).toBe(2)
})

test("a doorbell is received once, however many deliveries could be under way", async () => {
  const answered: string[] = []
  const { asked, ring } = await aPoller(async (group) => void answered.push(group))
  for (const [i, group] of groups(5).entries()) {
    await ring(group)
    // The request that brought it, and the one that waits for the next.
    await until(() => answered.length === i + 1 && asked() >= i + 2)
  }
  expect(asked()).toBe(6)
})
