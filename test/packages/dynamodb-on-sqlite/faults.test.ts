import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb"
import { expect, test } from "vitest"
import { clientOf } from "#test/support/dynamodb.ts"
import { adding, aStoreOfThings, creating, keyOf, putting, TableName, wordsFor } from "./things.ts"

const reset = { code: "ECONNRESET" }

test("a conflict cancels a transaction, blames its first member and is over after its times", async () => {
  const { transact, get, faults } = await aStoreOfThings()
  faults.add({ fault: "transaction-conflict", times: 1 })
  await expect(transact([putting("a"), putting("b")])).rejects.toMatchObject({
    name: "TransactionCanceledException",
    CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }],
  })
  expect(await get("a")).toBeUndefined()

  await transact([putting("a"), putting("b")])
  expect(await get("a")).toBeDefined()
  expect(faults.injected).toEqual(new Map([["transaction-conflict", 1]]))
})

test("a conflict refuses a single write by its own name, and no read", async () => {
  const { put, get, faults } = await aStoreOfThings()
  faults.add({ fault: "transaction-conflict" })
  await expect(put("a")).rejects.toMatchObject({ name: "TransactionConflictException" })
  expect(await get("a")).toBeUndefined()
})

test.for([
  ["throttling", { name: "ThrottlingException" }],
  [
    "throughput-exceeded",
    {
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "ProvisionedThroughputExceeded" }],
    },
  ],
  ["transaction-in-progress", { name: "TransactionInProgressException" }],
] as const)("%s refuses a transaction and leaves its token free", async ([fault, refused]) => {
  const { transact, get, faults } = await aStoreOfThings()
  faults.add({ fault, times: 1 })
  await expect(transact([adding("a", 1)], "token")).rejects.toMatchObject(refused)

  expect(await get("a")).toBeUndefined()
  await transact([adding("a", 1)], "token")
  expect(await get("a")).toMatchObject({ n: 1 })
})

test("throttled requests are refused by their names", async () => {
  const { put, get, faults } = await aStoreOfThings()
  faults.add({ fault: "throughput-exceeded", operation: "PutItem" })
  faults.add({ fault: "throttling", operation: "GetItem" })
  await expect(put("a")).rejects.toMatchObject({ name: "ProvisionedThroughputExceededException" })
  await expect(get("a")).rejects.toMatchObject({ name: "ThrottlingException" })
})

test("a lost request is not applied", async () => {
  const { transact, get, faults } = await aStoreOfThings()
  faults.add({ fault: "lost-request", operation: "TransactWriteItems", times: 1 })
  await expect(transact([adding("a", 1)], "token")).rejects.toMatchObject(reset)
  expect(await get("a")).toBeUndefined()
  await transact([adding("a", 1)], "token")
  expect(await get("a")).toMatchObject({ n: 1 })
})

test("a lost answer is applied, and its token says so", async () => {
  const { transact, get, faults } = await aStoreOfThings()
  faults.add({ fault: "lost-answer", operation: "TransactWriteItems", times: 1 })
  await expect(transact([adding("a", 1)], "token")).rejects.toMatchObject(reset)
  expect(await get("a")).toMatchObject({ n: 1 })
  await transact([adding("a", 1)], "token")
  expect(await get("a")).toMatchObject({ n: 1 })
})

test("a store that is gone resets every client, and comes back with what it had", async () => {
  const { put, get, faults, endpoint } = await aStoreOfThings()
  await put("a")
  const comeBack = faults.add({ fault: "gone" })
  const stranger = clientOf(endpoint)
  await expect(get("a")).rejects.toMatchObject(reset)
  await expect(wordsFor(stranger).get("a")).rejects.toMatchObject(reset)
  comeBack()
  expect(await get("a")).toBeDefined()
  expect(await wordsFor(stranger).get("a")).toBeDefined()
  stranger.destroy()
})

test("a slow request is overtaken by later ones", async () => {
  const { put, get, faults } = await aStoreOfThings()
  faults.add({ fault: "slow", operation: "PutItem", ms: 1500, times: 1 })
  const slow = put("a", { n: 1 })
  expect(await get("a")).toBeUndefined()
  await put("a", { n: 2 })
  await slow
  expect(await get("a")).toMatchObject({ n: 1 })
})

test("the rows of a half-visible transaction appear one by one, then it is answered", async () => {
  const { transact, get, faults } = await aStoreOfThings()
  faults.add({ fault: "half-visible", ms: 200, times: 1 })
  let answered = false
  const committing = transact(["a", "b", "c"].map((pk) => putting(pk))).then(() => (answered = true))

  const seen = new Set<number>()
  while (!answered) {
    const rows = await Promise.all([get("a"), get("b"), get("c")])
    seen.add(rows.filter(Boolean).length)
  }
  await committing
  expect(seen).toContain(1)
  expect(seen).toContain(2)
  expect(await get("c")).toBeDefined()
})

test("two half-visible transactions on one item still exclude each other", async () => {
  const { transact, get, faults } = await aStoreOfThings()
  faults.add({ fault: "half-visible", ms: 20 })
  const both = await Promise.allSettled([
    transact([creating("a", { by: 1 }), creating("b", { by: 1 })]),
    transact([creating("b", { by: 2 }), creating("a", { by: 2 })]),
  ])
  expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  expect((await get("a"))!.by).toBe((await get("b"))!.by)
})

test("a stale index learns of writes later, in their order", async () => {
  const { put, get, ofHost, faults, transact } = await aStoreOfThings()
  faults.add({ fault: "stale-index", ms: 1500, times: 1 })
  await put("a", { host: "one" })
  expect(await get("a")).toMatchObject({ host: "one" })
  expect(await ofHost("one")).toEqual([])
  await transact([putting("a", { host: "two" }), putting("b", { host: "one" })])
  expect(await ofHost("two")).toEqual([])

  await expect.poll(() => ofHost("two")).toEqual(["a"])
  expect(await ofHost("one")).toEqual(["b"])
})

test("a rule hits only the calls that it is for", async () => {
  const { put, get, client, faults } = await aStoreOfThings()
  faults.add({
    fault: "throttling",
    operation: "UpdateItem",
    when: (request) => JSON.stringify(request).includes('"unlucky"'),
  })
  const update = (pk: string) => client.send(new UpdateCommand(adding(pk, 1).Update!))
  await put("unlucky")
  await update("lucky")
  await expect(update("unlucky")).rejects.toMatchObject({ name: "ThrottlingException" })
  expect(await get("unlucky")).toEqual(keyOf("unlucky"))
  faults.clear()
  await update("unlucky")
})

async function outcomes() {
  const { client, faults } = await aStoreOfThings()
  faults.add({ fault: "throttling", chance: 0.5 })
  const seen: string[] = []
  for (let at = 0; at < 30; at++) {
    const read = client.send(new GetCommand({ TableName, Key: keyOf("a") }))
    seen.push(
      await read.then(
        () => "fine",
        () => "throttled",
      ),
    )
  }
  return seen
}

test("chance is the same at each run", async () => {
  const first = await outcomes()
  expect(new Set(first)).toEqual(new Set(["fine", "throttled"]))
  expect(await outcomes()).toEqual(first)
})
