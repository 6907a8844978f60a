import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { newCodes } from "#session-host/whatsapp/login/qr.ts"

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

test("the first code lives a minute, each further one 20 seconds", () => {
  const codes = newCodes()
  expect(codes.next("u#ref,n,i,old,1", "s")).toEqual({ text: "u#ref,n,i,s,1", expiresAt: 1_060 })
  vi.setSystemTime(1_060_000)
  expect(codes.next("u#ref2,n,i,old,1", "s").expiresAt).toBe(1_080)
})

test("a new secret changes the code on show and not its end, and there is none before the first", () => {
  const codes = newCodes()
  expect(codes.again("new")).toBeUndefined()
  codes.next("u#2@a,b,n,i,old,1", "old")
  vi.setSystemTime(1_030_000)
  expect(codes.again("new")).toEqual({ text: "u#2@a,b,n,i,new,1", expiresAt: 1_060 })
})
