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
