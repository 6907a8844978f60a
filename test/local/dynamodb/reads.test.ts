import { paginateQuery } from "@aws-sdk/lib-dynamodb"
import { expect, test } from "vitest"
import { aStoreOfThings, TableName } from "./things.ts"

const count = 10_000
const names = Array.from({ length: count }, (_, n) => String(n).padStart(6, "0"))

const ofTable = { KeyConditionExpression: "pk = :key", ExpressionAttributeValues: { ":key": "all" } }
// All of them have one key in the index.
const ofIndex = {
  IndexName: "byHost",
  KeyConditionExpression: "host = :key",
  ExpressionAttributeValues: { ":key": "one" },
}

const put = (n: number) => ({
  Put: { TableName, Item: { pk: "all", sk: names[n % count], host: "one", text: "x".repeat(300) } },
})

test("10,000 rows of one key come once each and in order, in large pages and small ones", async () => {
  const { client, transact } = await aStoreOfThings()
  for (let n = 0; n < count; n += 100)
    await transact(Array.from({ length: 100 }, (_, i) => put((n + i) * 7919)))

  for (const asked of [ofTable, ofIndex])
    for (const [how, pages] of [
      [{}, 4], // of 1 MB
      [{ Limit: 97 }, 104],
      [{ Limit: 97, ScanIndexForward: false }, 104],
    ] as const) {
      const found = await Array.fromAsync(paginateQuery({ client }, { TableName, ...asked, ...how }))
      expect(found).toHaveLength(pages)
      const seen = found.flatMap(({ Items = [] }) => Items.map(({ sk }) => String(sk)))
      expect("ScanIndexForward" in how ? seen.toReversed() : seen).toEqual(names)
    }
}, 30_000)
