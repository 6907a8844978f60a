import {
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb"
import { expect, test } from "vitest"
import { aStoreOfThings, TableName } from "./things.ts"

const Key = { pk: { S: "a" }, sk: { S: "THING" } }

const update = {
  TableName,
  Key,
  UpdateExpression: "SET #n = if_not_exists(#n, :zero) + :one, word = :word",
  ConditionExpression: "attribute_not_exists(word) OR word <> :other",
  ExpressionAttributeNames: { "#n": "n" },
  ExpressionAttributeValues: {
    ":zero": { N: "0" },
    ":one": { N: "1" },
    ":word": { S: "x" },
    ":other": { S: "y" },
  },
  ReturnValues: "ALL_NEW" as const,
}
const values = update.ExpressionAttributeValues

test("the same request with other values does what these say, each time", async () => {
  const { client, get } = await aStoreOfThings()
  for (const [i, step] of ["1", "2", "4", "1"].entries())
    await client.send(
      new UpdateItemCommand({
        ...update,
        ExpressionAttributeValues: { ...values, ":one": { N: step }, ":word": { S: `w${i}` } },
      }),
    )
  expect(await get("a")).toMatchObject({ n: 8, word: "w3" })
  const refused = client.send(
    new UpdateItemCommand({ ...update, ExpressionAttributeValues: { ...values, ":other": { S: "w3" } } }),
  )
  await expect(refused).rejects.toMatchObject({ name: "ConditionalCheckFailedException" })
})

test("an update that copies attributes copies what they are at the time", async () => {
  const { client, get } = await aStoreOfThings()
  await client.send(new UpdateItemCommand(update))
  for (const word of ["first", "second"]) {
    const UpdateExpression = "SET copied = word, doubled = #n + #n"
    await client.send(
      new UpdateItemCommand({ ...update, ExpressionAttributeValues: { ...values, ":word": { S: word } } }),
    )
    await client.send(
      new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeNames: { "#n": "n" } }),
    )
    const { n } = (await get("a")) as { n: number }
    expect(await get("a")).toMatchObject({ copied: word, doubled: 2 * n })
  }
})

test.for([
  ["a number that is none", { ...update, ExpressionAttributeValues: { ...values, ":one": { N: "one" } } }],
  ["a number of another type", { ...update, ExpressionAttributeValues: { ...values, ":one": { S: "1" } } }],
  ["a value that is not used", { ...update, ExpressionAttributeValues: { ...values, ":more": { S: "1" } } }],
  ["a name that is not defined", { ...update, ExpressionAttributeNames: { "#m": "n" } }],
  ["a key without its second part", { ...update, Key: { pk: Key.pk } }],
  ["a key of another type", { ...update, Key: { ...Key, sk: { N: "1" } } }],
  ["an empty key", { ...update, Key: { ...Key, sk: { S: "" } } }],
  ["a table that is not there", { ...update, TableName: "Nothings" }],
  [
    "an attribute that is none",
    { ...update, ExpressionAttributeValues: { ...values, ":word": { NULL: false } } },
  ],
  [
    "bounds in the wrong order",
    { ...update, ConditionExpression: "word <> :other AND #n BETWEEN :one AND :zero" },
  ],
] as const)("%s is refused as before, also where the same request was right before", async ([, wrong]) => {
  const [cold, warm] = [await aStoreOfThings(), await aStoreOfThings()]
  const right = [
    update,
    { ...update, ConditionExpression: "word <> :other AND #n BETWEEN :zero AND :one" },
    { ...update, ExpressionAttributeNames: { "#n": "m" } },
  ]
  for (const request of right)
    await warm.client.send(new UpdateItemCommand(request)).catch(() => "not its turn")
  const answers = [cold, warm].map(({ client }) =>
    client.send(new UpdateItemCommand(wrong)).then(
      () => "written",
      ({ name, message }: Error) => `${name}: ${message}`,
    ),
  )
  const [expected, answer] = await Promise.all(answers)
  expect(expected).toMatch(/^(ValidationException|ResourceNotFoundException): /)
  expect(answer).toBe(expected)
})

const put = (size: number) => ({ TableName, Item: { ...Key, body: { S: "x".repeat(size) } } })
const transaction = (size: number) => ({
  TransactItems: [{ Put: put(size) }],
  ClientRequestToken: `of ${size}`,
})

test("an item that is too large is refused, as is the transaction that holds it", async () => {
  const { client } = await aStoreOfThings()
  await client.send(new PutItemCommand(put(10)))
  await client.send(new TransactWriteItemsCommand(transaction(10)))
  await client.send(new PutItemCommand(put(399_000)))
  const wrong = { name: "ValidationException", message: expect.stringMatching(/size/) }
  await expect(client.send(new PutItemCommand(put(410_000)))).rejects.toMatchObject(wrong)
  await expect(client.send(new TransactWriteItemsCommand(transaction(410_000)))).rejects.toMatchObject(wrong)
})

test("a written item is independent of its request: a later change of one does not change the other", async () => {
  const { client } = await aStoreOfThings()
  await client.send(new UpdateItemCommand(update))
  const before = await client.send(new GetItemCommand({ TableName, Key }))
  await client.send(new UpdateItemCommand(update))
  const after = await client.send(new GetItemCommand({ TableName, Key }))
  expect([before.Item?.n, after.Item?.n]).toEqual([{ N: "1" }, { N: "2" }])
})
