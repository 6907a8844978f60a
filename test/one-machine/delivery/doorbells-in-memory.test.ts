import { SQSClient, ChangeMessageVisibilityCommand, SendMessageCommand } from "@aws-sdk/client-sqs"
import { expect, onTestFinished, test } from "vitest"
import { serveDoorbells } from "#one-machine/aws/serve-doorbells.ts"
import { DoorbellsInMemory } from "#one-machine/delivery/doorbells-in-memory.ts"

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
