import { expect, test } from "vitest"
import "#test/support/store.ts"
import { log } from "#core/log.ts"
import { type Version, WebVersion } from "#session-host/host/web-version.ts"

async function started(latest: () => Promise<Version>, pinned?: string) {
  const version = new WebVersion({ pinned, latest, log })
  await version.start()
  return version.current
}
const unreachable = () => Promise.reject(new Error("no way there"))

test("the current version is asked for; without an answer the last good one is used, whoever heard of it", async () => {
  expect(await started(unreachable)).toBeUndefined()
  expect(await started(async () => [2, 3000, 1_030_000_000])).toEqual([2, 3000, 1_030_000_000])
  expect(await started(unreachable)).toEqual([2, 3000, 1_030_000_000])
  await started(async () => [2, 3000, 1_040_000_000])
  expect(await started(unreachable)).toEqual([2, 3000, 1_040_000_000])
})

test("an operator's choice is taken, and nobody asked", async () => {
  expect(await started(unreachable, "2.3000.1029999999")).toEqual([2, 3000, 1_029_999_999])
})
