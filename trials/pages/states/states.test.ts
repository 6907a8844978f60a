import { expect, test } from "vitest"
import { states } from "./states.ts"

test("each state has pictures of its own", () => {
  const names = states.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})
