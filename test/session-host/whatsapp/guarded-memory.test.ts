import { expect, test } from "vitest"
import { RowTooLarge } from "#session-host/memory/rows.ts"
import { guardedBy, newLifetime } from "#session-host/whatsapp/lifetime.ts"

function aGuard() {
  const order: string[] = []
  const lifetime = newLifetime((happening) => void order.push(happening.kind))
  return { order, lifetime, guarded: guardedBy(lifetime) }
}

test("when the memory fails, the connection is closed before any caller hears of it", async () => {
  const { order, guarded } = aGuard()
  await guarded(() => Promise.reject(new Error("fenced"))).catch(() => order.push("heard"))
  expect(order).toEqual(["closed", "heard"])
})

test("what can never be kept closes no connection", async () => {
  const { order, guarded } = aGuard()
  await guarded(() => Promise.reject(new RowTooLarge("a row"))).catch(() => order.push("heard"))
  expect(order).toEqual(["heard"])
})

test("reads and writes of an ended connection do not reach the memory", async () => {
  const { order, lifetime, guarded } = aGuard()
  lifetime.end()
  await expect(guarded(async () => void order.push("reached"))).rejects.toThrow("ended")
  expect(order).toEqual([])
})
