import { expect, test } from "vitest"
import { Tokens } from "#dynamodb-on-sqlite/tokens.ts"

const minutes = (count: number) => count * 60_000

test("a token is good for 10 minutes after its transaction", async () => {
  let now = 0
  let runs = 0
  const tokens = new Tokens(() => now)
  const use = () => tokens.once("token", "content", async () => void (runs += 1))

  await use()
  now = minutes(10) - 1
  await use()
  expect(runs).toBe(1)
  now = minutes(10)
  await use()
  expect(runs).toBe(2)
})

test("a token whose transaction is under way is in progress for others", async () => {
  const tokens = new Tokens()
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const first = tokens.once("token", "content", () => end)
  await expect(tokens.once("token", "content", () => end)).rejects.toMatchObject({
    body: { __type: expect.stringContaining("#TransactionInProgressException") },
  })
  resolve()
  await first
})
