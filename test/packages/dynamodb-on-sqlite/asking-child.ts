/**
 * Asks its parent's store for what its argument lists (the name of a call, its input), and prints what each
 * gave.
 */
import { setTimeout } from "node:timers/promises"
import { batchGet, putRow, transact, updateRow } from "#core/store/store.ts"
import { askParent } from "#dynamodb-on-sqlite/over-ipc.ts"

const TableName = "Things"
const keyOf = (pk: string) => ({ pk, sk: "THING" })
const raise = (pk: string, isUrgent: boolean) =>
  updateRow(
    {
      TableName,
      Key: keyOf(pk),
      UpdateExpression: "ADD n :one",
      ExpressionAttributeValues: { ":one": 1 },
    },
    { isUrgent },
  )

const calls = {
  put: putRow,
  transact,
  /** So many writes at once. @returns how many have written what they should. */
  many: async (count: number) => {
    const pks = Array.from({ length: count }, (_, i) => `many ${i}`)
    const written = await Promise.all(pks.map((pk, i) => putRow({ TableName, Item: { ...keyOf(pk), n: i } })))
    const rows = await batchGet(pks.map((pk) => ({ table: TableName, key: keyOf(pk) })))
    return written.filter((refused, i) => refused === undefined && rows[i]?.n === i).length
  },
  /** A sign of life behind so many writes. @returns how many of them were over before it. */
  urgent: async (count: number) => {
    let over = 0
    const flood = Array.from({ length: count }, async (_, i) => {
      await raise(`flood ${i}`, false)
      over++
    })
    await raise("beat", true)
    const before = over
    await Promise.all(flood)
    return before
  },
  disconnect: async () => process.disconnect(),
  /** One request, not repeated, whose answer does not come before the parent is gone. */
  disconnectWhileAsking: async () => {
    const asked = askParent()("DescribeTable", { TableName: "Things" })
    await setTimeout(100)
    process.disconnect()
    return await asked
  },
}

const asked = JSON.parse(process.argv[2]!) as [keyof typeof calls, never][]
for (const [name, input] of asked) {
  const said = await calls[name](input).catch(({ name: error, code }: NodeJS.ErrnoException) => ({
    error,
    code,
  }))
  console.log(JSON.stringify(said ?? null))
}
// It ends then by itself, when all is printed.
if (process.connected) process.disconnect()
