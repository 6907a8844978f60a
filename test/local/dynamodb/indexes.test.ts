import {
  CreateTableCommand,
  DescribeTableCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb"
import { expect, test, vi } from "vitest"
import { tableShapes } from "#core/store/tables.ts"
import { createTables } from "#local/dynamodb/create-tables.ts"
import { aDynamoDb } from "#test/support/dynamodb.ts"

const { name: TableName } = tableShapes.find(({ indexes }) => indexes.some(({ name }) => name === "bySince"))!

const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: "HASH" as const },
  { AttributeName: range, KeyType: "RANGE" as const },
]

const row = (pk: string, since?: string) => ({
  pk: { S: pk },
  sk: { S: "DELIVERY" },
  shard: { N: "1" },
  due: { N: "7" },
  ...(since && { since: { N: since } }),
})

test("a table of before gets the index of this release, with what it holds, and loses the one of that", async () => {
  vi.stubEnv("AWS_REGION", "local")
    .stubEnv("AWS_ACCESS_KEY_ID", "local")
    .stubEnv("AWS_SECRET_ACCESS_KEY", "local")
  const { client, endpoint } = await aDynamoDb()
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "sk", AttributeType: "S" },
        { AttributeName: "shard", AttributeType: "N" },
        { AttributeName: "due", AttributeType: "N" },
      ],
      KeySchema: keys("pk", "sk"),
      GlobalSecondaryIndexes: [
        {
          IndexName: "byDue",
          KeySchema: keys("shard", "due"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    }),
  )
  await client.send(new PutItemCommand({ TableName, Item: row("a", "5") }))
  await client.send(new PutItemCommand({ TableName, Item: row("b") }))

  await createTables(endpoint)
  await createTables(endpoint)
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(["bySince"])
  await client.send(
    new UpdateItemCommand({
      TableName,
      Key: { pk: { S: "b" }, sk: { S: "DELIVERY" } },
      UpdateExpression: "SET since = :six",
      ExpressionAttributeValues: { ":six": { N: "6" } },
    }),
  )
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: "bySince",
      ExpressionAttributeNames: { "#shard": "shard" },
      KeyConditionExpression: "#shard = :one AND since <= :six",
      ExpressionAttributeValues: { ":one": { N: "1" }, ":six": { N: "6" } },
    }),
  )
  expect(Items?.map(({ pk }) => pk?.S)).toEqual(["a", "b"])
})
