import { BatchWriteCommand, DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { expect, test } from "vitest"
import { adding, aStoreOfThings, creating, keyOf, TableName } from "./things.ts"

const onlyMine = {
  TableName,
  ConditionExpression: "#owner = :me",
  ExpressionAttributeNames: { "#owner": "owner" },
  ExpressionAttributeValues: { ":me": "me" },
}
const update = { UpdateExpression: "SET #owner = :me" }

test.for([
  ["put", new PutCommand({ ...onlyMine, Item: keyOf("a"), ReturnValuesOnConditionCheckFailure: "ALL_OLD" })],
  [
    "update",
    new UpdateCommand({
      ...onlyMine,
      ...update,
      Key: keyOf("a"),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    }),
  ],
  [
    "delete",
    new DeleteCommand({ ...onlyMine, Key: keyOf("a"), ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
  ],
] as const)("a refused %s returns the item it failed on, if asked", async ([, command]) => {
  const { put, get, client } = await aStoreOfThings()
  await put("a", { owner: "somebody" })
  // Each overload takes one of the three.
  await expect(client.send(command as PutCommand)).rejects.toMatchObject({
    name: "ConditionalCheckFailedException",
    Item: { owner: { S: "somebody" } },
  })
  expect(await get("a")).toMatchObject({ owner: "somebody" })
})

test("a refused write returns no item if not asked, or if there is none", async () => {
  const { put, client } = await aStoreOfThings()
  await put("a", { owner: "somebody" })
  const unasked = await client
    .send(new PutCommand({ ...onlyMine, Item: keyOf("a") }))
    .catch((error: unknown) => error)
  expect(unasked).toMatchObject({ name: "ConditionalCheckFailedException", Item: undefined })

  const nothing = new DeleteCommand({
    ...onlyMine,
    Key: keyOf("b"),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  })
  const absent = await client.send(nothing).catch((error: unknown) => error)
  expect(absent).toMatchObject({ name: "ConditionalCheckFailedException", Item: undefined })
})

test("30 callers create the same item, and one succeeds", async () => {
  const { client } = await aStoreOfThings()
  const racers = Array.from({ length: 30 }, () => client.send(new PutCommand(creating("a").Put!)))
  const outcomes = await Promise.allSettled(racers)
  expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1)
})

test("a write returns what it is asked for", async () => {
  const { put, client } = await aStoreOfThings()
  await put("a", { n: 1 })
  const updated = await client.send(new UpdateCommand({ ...adding("a", 2).Update!, ReturnValues: "ALL_NEW" }))
  expect(updated.Attributes).toEqual({ ...keyOf("a"), n: 3 })
  const removed = await client.send(
    new DeleteCommand({ TableName, Key: keyOf("a"), ReturnValues: "ALL_OLD" }),
  )
  expect(removed.Attributes).toEqual({ ...keyOf("a"), n: 3 })
})

test("a batch puts and deletes, and its index rows follow", async () => {
  const { put, get, ofHost, client } = await aStoreOfThings()
  await put("old", { host: "one" })
  const batch = [
    { PutRequest: { Item: { ...keyOf("new"), host: "one" } } },
    { DeleteRequest: { Key: keyOf("old") } },
  ]
  const answer = await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: batch } }))
  expect(answer.UnprocessedItems).toEqual({})
  expect(await get("old")).toBeUndefined()
  expect(await ofHost("one")).toEqual(["new"])

  const twice = [batch[1]!, batch[1]!]
  await expect(
    client.send(new BatchWriteCommand({ RequestItems: { [TableName]: twice } })),
  ).rejects.toMatchObject({ name: "ValidationException", message: expect.stringContaining("duplicates") })
})
