import { expect, test } from "vitest"
import { drillDisk } from "./drill.ts"
import { judge, type Known } from "./judge.ts"
import { breaks } from "./store.ts"

const before = new Map([
  ["COUNTER", "1"],
  ["a", "old"],
  ["b", "old"],
])
const after = new Map([
  ["COUNTER", "2"],
  ["a", "new"],
])
const judged = (found: Record<string, string>, more: Partial<Known> = {}) =>
  judge(new Map(Object.entries(found)), {
    confirmed: before,
    tried: after,
    isOpen: true,
    counter: "COUNTER",
    ...more,
  })

test("a write whose outcome is unknown may be there or not, and a refused one may not", () => {
  expect(judged(Object.fromEntries(before))).toBeUndefined()
  expect(judged(Object.fromEntries(after))).toBeUndefined()
  expect(judged(Object.fromEntries(before), { isOpen: false })).toBeUndefined()
  expect(judged(Object.fromEntries(after), { isOpen: false })).toBe("unrefused")
})

test("half of a write, one that came twice, and a confirmed one that is gone are told apart", () => {
  expect(judged({ COUNTER: "2", a: "new", b: "old" })).toBe("half")
  expect(judged({ COUNTER: "1", a: "old" })).toBe("half")
  expect(judged({ COUNTER: "3", a: "new" })).toBe("twice")
  expect(judged({ COUNTER: "1", a: "older", b: "old" })).toBe("lost")
  expect(judged({}, { tried: undefined })).toBe("lost")
})

test("the store keeps what it confirmed, however its disk fills and it ends", async () => {
  const { faults, refused } = await drillDisk(
    { times: 3, whole: 0, seed: 1, broken: undefined, pages: true },
    console.log,
  )
  expect(Object.values(faults).every((count) => count === 0)).toBe(true)
  expect(refused).toBeGreaterThan(0)
})

test.for(breaks)("a store without the rule %s is caught", async (broken) => {
  let lost = 0
  // A trial strikes at random moments, and the first may strike where the rule is not needed.
  for (let seed = 1; lost === 0 && seed <= 10; seed++) {
    const { faults } = await drillDisk({ times: 1, whole: 0, seed, broken, pages: true }, () => {})
    lost += faults.confirmed_lost
  }
  expect(lost).toBeGreaterThan(0)
})
