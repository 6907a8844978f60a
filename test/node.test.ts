import { expect, test } from "vitest"

test("the project runs on the Node that it brings", () => {
  expect(Number(process.versions.node.split(".")[0])).toBeGreaterThanOrEqual(24)
})
