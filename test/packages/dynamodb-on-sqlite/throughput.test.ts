import { QueryCommand } from "@aws-sdk/lib-dynamodb"
import { beforeEach, afterEach, expect, test, vi } from "vitest"
import { aStoreOfThings, putting, TableName } from "./things.ts"

/** Throughput comes back only when a test says so. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

const exceeded = { name: "ProvisionedThroughputExceededException" }

test("a partition key takes so much in a second and no more, and others do not feel it", async () => {
  const { put, get } = await aStoreOfThings({ partitionLimits: { writes: 1, reads: 1 } })
  await put("a")
  await expect(put("a")).rejects.toMatchObject(exceeded)
  await put("b")
  expect(await get("a")).toMatchObject({ pk: "a" })
  await expect(get("a")).rejects.toMatchObject(exceeded)
  expect(await get("b")).toMatchObject({ pk: "b" })
  vi.advanceTimersByTime(1000)
  await put("a")
  expect(await get("a")).toMatchObject({ pk: "a" })
})

test("a larger item takes more, and a transaction twice as much", async () => {
  const { put, transact } = await aStoreOfThings({ partitionLimits: { writes: 3, reads: 3 } })
  await put("small")
  await put("small")
  await put("large", { text: "x".repeat(3000) })
  await put("small")
  await expect(put("large")).rejects.toMatchObject(exceeded)
  await transact([putting("twice")])
  await transact([putting("twice")])
  await expect(transact([putting("other"), putting("twice")])).rejects.toMatchObject({
    CancellationReasons: [{ Code: "None" }, { Code: "ThrottlingError" }],
  })
})

test("a write is refused where its index takes no more: rows of many keys, that share one of the index", async () => {
  const { put, ofHost } = await aStoreOfThings({ partitionLimits: { writes: 3, reads: 0.5 } })
  for (const pk of ["a", "b", "c"]) await put(pk, { host: "FREE" })
  await expect(put("d", { host: "FREE" })).rejects.toMatchObject(exceeded)
  await put("e", { host: "elsewhere" })
  expect(await ofHost("FREE")).toHaveLength(3)
  await expect(ofHost("FREE")).rejects.toMatchObject(exceeded)
  expect(await ofHost("elsewhere")).toHaveLength(1)
})

test("a query takes what it looks at, and says nothing of that unless it is asked", async () => {
  const { put, client } = await aStoreOfThings({ partitionLimits: { writes: 1000, reads: 3 } })
  await put("a", { text: "x".repeat(20_000) })
  const query = new QueryCommand({
    TableName,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": "a" },
    ProjectionExpression: "pk",
  })
  expect(await client.send(query)).not.toHaveProperty("ConsumedCapacity")
  await expect(client.send(query)).resolves.toMatchObject({ Count: 1 })
  await expect(client.send(query)).rejects.toMatchObject(exceeded)
})
