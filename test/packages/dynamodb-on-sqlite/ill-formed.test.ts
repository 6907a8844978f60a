import { expect, test } from "vitest"
import { aStoreOfThings, TableName } from "./things.ts"

/** An object as JSON has it, whose members may be called as those of JavaScript's own. */
const json = (text: string) => JSON.parse(text) as object
const key = { pk: { S: "a" }, sk: { S: "b" } }
const putting = (item: object) => ["PutItem", { TableName, Item: { ...key, ...item } }] as const
const setting = (name: string, path = "#n") =>
  [
    "UpdateItem",
    {
      TableName,
      Key: key,
      UpdateExpression: `SET ${path} = :v`,
      ExpressionAttributeNames: { "#n": name },
      ExpressionAttributeValues: { ":v": { N: "1" } },
    },
  ] as const

test.for([
  ["a type that is a member of every object", putting({ a: { constructor: "x" } })],
  ["a type that is a method of every object", putting({ a: { valueOf: "x" } })],
  ["a type that is the prototype", putting({ a: json('{"__proto__":"x"}') })],
  ["an attribute that is the prototype", putting(json('{"__proto__":{"S":"x"}}'))],
  ["a member of a map that is the prototype", putting({ a: { M: json('{"__proto__":{"S":"x"}}') } })],
  ["an update of the prototype", setting("__proto__")],
  ["an update within what every object has", setting("constructor", "#n.a")],
  ["half a character in a key", putting({ sk: { S: "\ud800" } })],
  ["half a character in an index's key", putting({ host: { S: "\ud800" } })],
] as const)("%s is refused, and nothing is written", async ([, [operation, request]]) => {
  const { answer } = await aStoreOfThings()
  expect(await answer(operation, request)).toMatchObject({
    status: 400,
    body: { __type: expect.stringContaining("#ValidationException") },
  })
  expect(await answer("Scan", { TableName })).toMatchObject({ body: { Count: 0 } })
})

test("an attribute may be called as what every object has", async () => {
  const { answer } = await aStoreOfThings()
  const Item = { ...key, constructor: { M: { toString: { S: "x" } } } }
  await answer("PutItem", { TableName, Item })
  expect(await answer("GetItem", { TableName, Key: key })).toEqual({ status: 200, body: { Item } })
})

test.for(["null", "5", '"text"', "{", ""])("a body that is `%s` is no request", async (body) => {
  const { endpoint } = await aStoreOfThings()
  const headers = { "x-amz-target": "DynamoDB_20120810.GetItem" }
  const answer = await fetch(endpoint, { method: "POST", headers, body })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ __type: expect.stringContaining("#SerializationException") })
})
