import { randomUUID } from "node:crypto"
import { afterEach, describe, expect, test } from "vitest"
import { Host } from "#core/lease/host.ts"
import {
  batchGet,
  batchWrite,
  getRow,
  isPassing,
  putRow,
  removeRow,
  StoreAway,
  transact,
  updateRow,
  type Write,
} from "#core/store/store.ts"
import { dynamoDb } from "#test/support/store.ts"

afterEach(() => dynamoDb.faults.clear())

/** Counts how often it was applied. */
function increment(pk: string): Write {
  return {
    Update: {
      TableName: "Requests",
      Key: { pk, sk: "N" },
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": 1 },
    },
  }
}

function put(pk: string, value: number): Write {
  const Item = { pk, sk: "N", value }
  return { Put: { TableName: "Requests", Item, ConditionExpression: "attribute_not_exists(pk)" } }
}

describe("a transaction", () => {
  test.for([
    ["its answer was lost", { fault: "lost-answer" }],
    ["the request was lost", { fault: "lost-request" }],
    ["it was throttled", { fault: "throttling" }],
    ["it was in conflict", { fault: "transaction-conflict" }],
    ["it was still in progress", { fault: "transaction-in-progress" }],
    ["it exceeded its throughput", { fault: "throughput-exceeded" }],
  ] as const)("is applied exactly once, though at first %s", async ([, { fault }]) => {
    const pk = randomUUID()
    dynamoDb.faults.add({ fault, operation: "TransactWriteItems", times: 3 })
    expect(await transact([increment(pk)])).toBeUndefined()
    expect(await getRow("Requests", { pk, sk: "N" })).toMatchObject({ n: 1 })
  })

  test("without any answer is asked again after 5 seconds, not waited for", async () => {
    dynamoDb.faults.add({ fault: "slow", ms: 60_000, operation: "TransactWriteItems", times: 1 })
    expect(await transact([increment(randomUUID())])).toBeUndefined()
  })

  test("that no caller waits for any more ends at once", async () => {
    dynamoDb.faults.add({ fault: "slow", ms: 60_000, operation: "TransactWriteItems", times: 1 })
    const leaving = new AbortController()
    const written = transact([increment(randomUUID())], { signal: leaving.signal })
    leaving.abort()
    await expect(written).rejects.toBeInstanceOf(StoreAway)
  })

  test("that is refused says by position which row refused it, and writes nothing", async () => {
    const [taken, other] = [randomUUID(), randomUUID()]
    await transact([put(taken, 1)])
    const refused = await transact([put(other, 2), put(taken, 2)])
    expect(refused).toEqual([undefined, { pk: taken, sk: "N", value: 1 }])
    expect(await getRow("Requests", { pk: other, sk: "N" })).toBeUndefined()
  })

  test("whose outcome stays unknown ends as such, in time", async () => {
    dynamoDb.faults.add({ fault: "throttling" })
    const ended = await transact([increment(randomUUID())], { withinMs: 100 }).catch(
      (error: unknown) => error,
    )
    expect(ended).toBeInstanceOf(StoreAway)
    expect(isPassing(ended)).toBe(true)
  })

  test("that is wrong in itself is an error, not a refusal", async () => {
    const wrong: Write = {
      Put: { TableName: "Requests", Item: { pk: "x", sk: "x" }, ConditionExpression: "nonsense(" },
    }
    const ended = await transact([wrong]).catch((error: unknown) => error)
    expect(ended).toMatchObject({ name: "ValidationException" })
    expect(isPassing(ended)).toBe(false)
  })
})

test("an update that meets a transaction on its row is repeated", async () => {
  const Key = { pk: randomUUID(), sk: "N" }
  dynamoDb.faults.add({ fault: "transaction-conflict", operation: "UpdateItem", times: 3 })
  const updated = await updateRow({
    TableName: "Requests",
    Key,
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": 1 },
  })
  expect(updated).toEqual({ now: { ...Key, n: 1 } })
})

test("a row that was put is replaced unless it refuses, and is there until it is removed", async () => {
  const key = { pk: randomUUID(), sk: "N" }
  const isNew = { TableName: "Requests", ConditionExpression: "attribute_not_exists(pk)" }
  expect(await putRow({ ...isNew, Item: { ...key, value: 1 } })).toBeUndefined()
  expect(await putRow({ ...isNew, Item: { ...key, value: 2 } })).toEqual({ ...key, value: 1 })
  expect(await putRow({ TableName: "Requests", Item: { ...key, value: 3 } })).toBeUndefined()
  const isFour = { ConditionExpression: "#value = :four", ExpressionAttributeNames: { "#value": "value" } }
  const refused = await removeRow({
    TableName: "Requests",
    Key: key,
    ...isFour,
    ExpressionAttributeValues: { ":four": 4 },
  })
  expect(refused).toEqual({ ...key, value: 3 })
  expect(await removeRow({ TableName: "Requests", Key: key })).toBeUndefined()
  expect(await getRow("Requests", key)).toBeUndefined()
})

test("a batch reads and writes rows of several tables, more than one request may ask for", async () => {
  const pk = randomUUID()
  const places = Array.from({ length: 130 }, (_, i) => ({
    table: i % 2 ? "Requests" : "Events",
    key: { pk, sk: `ROW#${i}` },
  }))
  await batchWrite(places.map(({ table, key }, i) => ({ table, row: { ...key, i } })))
  const found = await batchGet([...places, { table: "Leases", key: { pk, sk: "NONE" } }])
  expect(found.map((row) => row?.i)).toEqual([...places.keys(), undefined])
  await batchWrite(places.slice(1).map(({ table, key }) => ({ table, remove: key })))
  expect((await batchGet(places)).filter(Boolean)).toEqual([{ ...places[0]!.key, i: 0 }])
})

test("a batch reads more than one answer holds, 16 MB", async () => {
  const pk = randomUUID()
  const places = Array.from({ length: 45 }, (_, i) => ({ table: "Events", key: { pk, sk: `ROW#${i}` } }))
  const text = "x".repeat(390_000)
  await batchWrite(places.map(({ table, key }, i) => ({ table, row: { ...key, i, text } })))
  expect((await batchGet(places)).map((row) => row?.i)).toEqual([...places.keys()])
})

test.for([
  { name: "a name server that is away", code: "EAI_AGAIN" },
  { name: "a connection that was reset", code: "ECONNRESET" },
])("$name says nothing of what was asked for", ({ code }) => {
  expect(isPassing(Object.assign(new Error("no answer"), { code }))).toBe(true)
})

test("an error about wrong arguments is our own mistake, and not repeated", () => {
  const mistake = Object.assign(new TypeError("not bytes"), { code: "ERR_INVALID_ARG_TYPE" })
  expect(isPassing(mistake)).toBe(false)
})

test("a sign of life does not wait for the reads that were asked for before it", async () => {
  dynamoDb.faults.add({ fault: "slow", ms: 1000, operation: "GetItem" })
  const reads = Array.from({ length: 300 }, () => getRow("Requests", { pk: randomUUID(), sk: "N" }))
  const order: string[] = []
  const read = Promise.allSettled(reads).then(() => order.push("read"))
  const beat = Host.beat({ id: randomUUID(), addr: "", capacity: 1, sessions: 0, network: "simulated" })
  await Promise.all([read, beat.then(() => order.push("beat"))])
  expect(order).toEqual(["beat", "read"])
})
