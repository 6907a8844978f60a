import { expect, test } from "vitest"
import "#test/support/store.ts"
import { tables } from "#core/store/tables.ts"
import { transactions } from "#test/support/recorded-writes.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aMemory } from "#test/support/session/memory.ts"

const preKey = (id: number, value: string | null = `key ${id}`) => ({
  type: "pre-key",
  id: String(id),
  value,
})
/** As long as a real one. */
const long = (id: number) => preKey(id, `${id} `.padEnd(164, "x"))

test("the prekeys of a first login are one transaction", async () => {
  const { memory, bridgeId } = await aMemory()
  const asked = transactions()
  await memory.vault.change({ keys: Array.from({ length: 812 }, (_, i) => long(i + 1)) })
  await memory.commits.whenKept()
  expect(asked).toHaveLength(1)
  expect(await rowsOf(tables.sessions, bridgeId, "SIGNAL#")).toHaveLength(82)
})

test("one that is taken away is gone, and the others of its row are not, for any reader", async () => {
  const first = await aMemory()
  const { vault } = first.memory
  await vault.change({ keys: [1, 2, 3, 11].map((id) => preKey(id)) })
  await Promise.all([vault.change({ keys: [preKey(2, null)] }), vault.change({ keys: [preKey(4)] })])
  const there = new Map([1, 3, 4, 11].map((id) => [String(id), `key ${id}`]))
  const ids = ["1", "2", "3", "4", "11", "12"]
  expect(await vault.keys("pre-key", ids)).toEqual(there)
  await first.letGo()
  const next = await aMemory({ bridgeId: first.bridgeId })
  expect(await next.memory.vault.keys("pre-key", ids)).toEqual(there)
})

test("a row of which all were taken away is removed", async () => {
  const { memory, bridgeId } = await aMemory()
  await memory.vault.change({ keys: [preKey(21), preKey(22)] })
  await memory.vault.change({ keys: [preKey(21, null)] })
  await memory.vault.change({ keys: [preKey(22, null)] })
  await memory.settled()
  expect(await rowsOf(tables.sessions, bridgeId, "SIGNAL#")).toEqual([])
})
