import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { afterEach, expect, test, vi } from "vitest"
import { Due } from "#billing/due-for-a-look.ts"

afterEach(() => vi.useRealTimers())

test("the wait for the next look at a payer ends when the clock is set back by two hours, not by a second", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const accountId = randomUUID()
  const isDue = async () => (await Due.list()).some((mark) => mark.accountId === accountId)
  await Due.mark(accountId)
  await Due.postpone((await Due.list()).find((mark) => mark.accountId === accountId)!)
  vi.setSystemTime(Date.now() - 1000)
  expect(await isDue()).toBe(false)
  vi.setSystemTime(Date.now() - 2 * 3_600_000)
  expect(await isDue()).toBe(true)
})
