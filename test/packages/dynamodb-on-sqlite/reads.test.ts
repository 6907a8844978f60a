import { expect, test } from "vitest"
import type { Item } from "#dynamodb-on-sqlite/values/value.ts"
import { aStoreOfThings, TableName } from "./things.ts"

const count = 10_000
const names = Array.from({ length: count }, (_, n) => String(n).padStart(6, "0"))
const text = { S: "x".repeat(300) }
const put = (n: number) => ({
  Put: { TableName, Item: { pk: { S: "all" }, sk: { S: names[n % count] }, host: { S: "one" }, text } },
})

const ofTable = {
  KeyConditionExpression: "pk = :key",
  ExpressionAttributeValues: { ":key": { S: "all" } },
}
// All of them have one key in the index.
const ofIndex = {
  IndexName: "byHost",
  KeyConditionExpression: "host = :key",
  ExpressionAttributeValues: { ":key": { S: "one" } },
}

test("10,000 rows of one key come once each and in order, in large pages and small ones", async () => {
  const { answer } = await aStoreOfThings()
  const pagesOf = async (query: object) => {
    const pages: string[][] = []
    let from: unknown
    do {
      const { body } = await answer("Query", { TableName, ...query, ExclusiveStartKey: from })
      pages.push((body.Items as Item[]).map(({ sk }) => String(sk?.S)))
      from = body.LastEvaluatedKey
    } while (from)
    return pages
  }
  for (let n = 0; n < count; n += 100) {
    const TransactItems = Array.from({ length: 100 }, (_, i) => put((n + i) * 7919))
    expect(await answer("TransactWriteItems", { TransactItems })).toMatchObject({ status: 200 })
  }

  for (const asked of [ofTable, ofIndex]) {
    const large = await pagesOf(asked)
    const small = await pagesOf({ ...asked, Limit: 97 })
    const backwards = await pagesOf({ ...asked, Limit: 97, ScanIndexForward: false })
    // Large ones have 1 MB.
    expect([large.length, small.length, backwards.length]).toEqual([4, 104, 104])
    expect(large.flat()).toEqual(names)
    expect(small.flat()).toEqual(names)
    expect(backwards.flat().toReversed()).toEqual(names)
  }
}, 30_000)

/** As AWS documents it: `ScannedCount` is what was read, `Count` what is left; `Limit` is of what is read. */
test("a filter leaves out rows that were read, and may look at what is not given", async () => {
  const { answer } = await aStoreOfThings()
  for (const [sk, n] of Object.entries({ a: 1, b: 2, c: 3, d: 4 }))
    await answer("PutItem", { TableName, Item: { pk: { S: "all" }, sk: { S: sk }, n: { N: String(n) } } })
  const filtered = {
    TableName,
    KeyConditionExpression: "pk = :key",
    FilterExpression: "n >= :n OR absent = :sk",
    ProjectionExpression: "sk",
    ExpressionAttributeValues: { ":key": { S: "all" }, ":n": { N: "3" }, ":sk": { S: "none" } },
  }
  const { body } = await answer("Query", filtered)
  expect(body).toEqual({ Items: [{ sk: { S: "c" } }, { sk: { S: "d" } }], Count: 2, ScannedCount: 4 })
  expect((await answer("Query", { ...filtered, Limit: 2 })).body).toEqual({
    Items: [],
    Count: 0,
    ScannedCount: 2,
    LastEvaluatedKey: { pk: { S: "all" }, sk: { S: "b" } },
  })
  const wrong = { ...filtered, FilterExpression: "n >= :n OR", ProjectionExpression: undefined }
  expect(await answer("Query", wrong)).toMatchObject({ status: 400 })
})
