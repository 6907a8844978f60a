import { GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb"
import { PutCommand } from "@aws-sdk/lib-dynamodb"
import { expect, test } from "vitest"
import { aStoreOfThings, creating, TableName } from "./things.ts"

test("30 callers create the same item, and one succeeds", async () => {
  const { client } = await aStoreOfThings()
  const racers = Array.from({ length: 30 }, () => client.send(new PutCommand(creating("a").Put!)))
  const outcomes = await Promise.allSettled(racers)
  expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1)
})

test("a written item is independent of its request: a later change of one does not change the other", async () => {
  const { client } = await aStoreOfThings()
  const Key = { pk: { S: "a" }, sk: { S: "THING" } }
  const Item = { ...Key, list: { L: [{ N: "1" }, { N: "2" }] } }
  const update = new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: "REMOVE #list[0]",
    ExpressionAttributeNames: { "#list": "list" },
  })
  await client.send(new PutItemCommand({ TableName, Item }))
  const before = await client.send(new GetItemCommand({ TableName, Key }))
  await client.send(update)
  const after = await client.send(new GetItemCommand({ TableName, Key }))
  expect([before.Item?.list?.L?.length, after.Item?.list?.L?.length]).toEqual([2, 1])
})
