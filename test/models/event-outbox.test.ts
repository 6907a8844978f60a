import { expect, test } from "vitest"
import { explore } from "./explore.ts"
import { outbox, type Reads } from "./event-outbox.ts"

const asDesigned: Reads = { exactly: true, afterHead: true, afterCommits: true }

test("dense numbers read one by one lose nothing, over two owners", () => {
  expect(explore(outbox(asDesigned, 1)).violation).toBeUndefined()
})

test.for<[string, Partial<Reads>]>([
  ["a query above a cursor passes over rows of a half-visible commit", { exactly: false }],
  ["numbering after the last row alone starts over once delivered rows have expired", { afterHead: false }],
  ["an owner that starts while a commit is half visible writes over the rest of it", { afterCommits: false }],
])("%s", ([, reads]) => {
  const { violation } = explore(outbox({ ...asDesigned, ...reads }, 1))
  expect(violation?.harm).toBe("lost event")
  expect(violation?.trace).not.toEqual([])
})
