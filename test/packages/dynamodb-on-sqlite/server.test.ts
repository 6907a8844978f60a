import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DescribeTableCommand, ListBackupsCommand } from "@aws-sdk/client-dynamodb"
import { expect, onTestFinished, test } from "vitest"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { aDynamoDb, aTable, clientOf } from "#test/support/dynamodb.ts"
import { adding, aStoreOfThings, putting, TableName, wordsFor } from "./things.ts"

async function aFolder() {
  const path = await mkdtemp(join(tmpdir(), "dynamodb-"))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

test("a store on disk keeps tables, items and indexes over a restart", async () => {
  const path = await aFolder()
  const first = await startDynamoDb({ at: { port: 0 }, path })
  const client = clientOf(first.endpoint)
  await aTable(client)
  const { put, transact } = wordsFor(client)
  await put("a", { host: "one", bytes: new Uint8Array([1, 2]) })
  await transact([putting("b", { host: "one" }), adding("c", 3)])
  client.destroy()
  await first.close()

  const second = await aDynamoDb({ path })
  const { get, ofHost } = wordsFor(second.client)
  expect(await get("a")).toMatchObject({ bytes: new Uint8Array([1, 2]) })
  expect(await get("c")).toMatchObject({ n: 3 })
  expect(await ofHost("one")).toEqual(["a", "b"])
})

test("writes that an index was still to learn of are on disk when the store has closed", async () => {
  const path = await aFolder()
  const first = await startDynamoDb({ at: { port: 0 }, path })
  first.faults.add({ fault: "stale-index", ms: 60_000 })
  const client = clientOf(first.endpoint)
  await aTable(client)
  await wordsFor(client).put("a", { host: "one" })
  client.destroy()
  await first.close()

  const second = await aDynamoDb({ path })
  expect(await wordsFor(second.client).ofHost("one")).toEqual(["a"])
})

test("data that is in use is refused, and the process that uses it goes on", async () => {
  const path = await aFolder()
  const { client } = await aDynamoDb({ path })
  await expect(startDynamoDb({ at: { port: 0 }, path })).rejects.toThrow(
    `${path} is in use by another process`,
  )
  await aTable(client)
})

test("a taken port is refused, and the data is free again", async () => {
  const path = await aFolder()
  const { endpoint } = await aDynamoDb()
  const port = Number(new URL(endpoint).port)
  await expect(startDynamoDb({ path, at: { port } })).rejects.toMatchObject({ code: "EADDRINUSE" })
  await aDynamoDb({ path })
})

test("a table is active when its creation is answered", async () => {
  const { client } = await aDynamoDb()
  const { TableDescription } = await aTable(client)
  const active = { TableStatus: "ACTIVE", GlobalSecondaryIndexes: [{ IndexStatus: "ACTIVE" }] }
  expect(TableDescription).toMatchObject(active)
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  expect(Table).toMatchObject(active)
  await expect(aTable(client)).rejects.toMatchObject({ name: "ResourceInUseException" })
})

test("requests that are not DynamoDB's, or not supported here, are refused", async () => {
  const { client, endpoint } = await aStoreOfThings()
  await expect(client.send(new ListBackupsCommand())).rejects.toMatchObject({
    name: "UnknownOperationException",
  })
  const answer = await fetch(endpoint, { method: "POST", body: "not JSON" })
  expect(answer.status).toBe(400)
})
