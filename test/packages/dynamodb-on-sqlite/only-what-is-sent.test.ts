import { expect, test } from "vitest"
import { aStoreOfThings, TableName } from "./things.ts"

const Key = { pk: { S: "a" }, sk: { S: "b" } }
const values = { ":v": { N: "1" } }

/** What DynamoDB takes and the service never sends. */
test.for([
  ["ConditionExpression", "NOT n = :v"],
  ["ConditionExpression", "n BETWEEN :v AND :v"],
  ["ConditionExpression", "begins_with(n, :v)"],
  ["ConditionExpression", "contains(n, :v)"],
  ["ConditionExpression", "attribute_type(n, :v)"],
  ["ConditionExpression", "tree.a = :v"],
  ["ConditionExpression", "size(pk) = :v"],
  ["UpdateExpression", "SET tree.a = :v"],
  ["UpdateExpression", "SET list[0] = :v"],
  ["UpdateExpression", "SET n = (n + :v)"],
  ["UpdateExpression", "ADD tree.a :v"],
  ["UpdateExpression", "DELETE n :v"],
  ["UpdateExpression", "REMOVE tree.a SET n = :v"],
] as const)("the %s %j is refused, and nothing is written", async ([member, text]) => {
  const { answer } = await aStoreOfThings()
  await answer("PutItem", { TableName, Item: Key })
  const isCondition = member === "ConditionExpression"
  const request = { TableName, Key, [member]: text, ExpressionAttributeValues: values }
  expect(await answer(isCondition ? "DeleteItem" : "UpdateItem", request)).toMatchObject({
    status: 400,
    body: { __type: expect.stringContaining("#ValidationException") },
  })
  expect(await answer("GetItem", { TableName, Key })).toEqual({ status: 200, body: { Item: Key } })
})

test.for(["pk = :v OR sk = :v", "pk = :v AND sk <> :v", "pk = :v AND (sk = :v)", "pk = :v AND sk IN (:v)"])(
  "the KeyConditionExpression %j is refused",
  async (text) => {
    const { answer } = await aStoreOfThings()
    const request = {
      TableName,
      KeyConditionExpression: text,
      ExpressionAttributeValues: { ":v": { S: "a" } },
    }
    expect(await answer("Query", request)).toMatchObject({
      status: 400,
      body: { __type: expect.stringContaining("#ValidationException") },
    })
  },
)
