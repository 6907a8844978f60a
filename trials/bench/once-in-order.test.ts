import { expect, test } from "vitest"
import { faultsOf } from "./traffic/once-in-order.ts"

const at = (ids: string) => ids.split("").map((id) => ({ id, at: 0 }))

test.for([
  ["abc", "abc", []],
  ["abc", "ac", ["b1: 1 of 3 messages are lost"]],
  ["abc", "abbc", ["b1: 1 messages came twice"]],
  ["abc", "acb", ["b1: messages came in another order"]],
  ["abc", "abxc", ["b1: 1 messages came that nobody wrote"]],
  ["abc", "aac", ["b1: 1 of 3 messages are lost", "b1: 1 messages came twice"]],
] as const)("of %s that was handed over and %s that came, the bench says %j", ([handed, arrived, said]) => {
  expect(faultsOf("b1", { handed: at(handed), arrived: at(arrived) })).toEqual(said)
})
