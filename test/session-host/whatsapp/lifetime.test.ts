import { setImmediate as nextTurn } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterEach, expect, test, vi } from "vitest"
import type { Happening } from "#session-host/network/happening.ts"
import { newAnswerOrEnd } from "#session-host/whatsapp/answer-unless-ended.ts"
import { newLifetime } from "#session-host/whatsapp/lifetime.ts"

afterEach(() => void vi.useRealTimers())

const lost = { reason: "lost", detail: "too late" } as const
const me = { jid: "1@s.whatsapp.net", lid: "2@lid", phone: "1", name: "Ada" }

function aLifetime() {
  const told: Happening[] = []
  return { lifetime: newLifetime((happening) => told.push(happening)), told }
}

test("an end is told once, last, when all that ends with it has ended", () => {
  const { lifetime, told } = aLifetime()
  const ended: number[] = []
  lifetime.atEnd(() => ended.push(told.length))
  const stop = lifetime.atEnd(() => ended.push(-1))
  stop()
  lifetime.open(me)
  expect([lifetime.isOpen, lifetime.isOver]).toEqual([true, false])
  lifetime.end(lost)
  lifetime.end({ ...lost, detail: "once more" })
  lifetime.emit({ kind: "qr", text: "", expiresAt: 0 })
  expect(told).toEqual([
    { kind: "open", me },
    { kind: "closed", ...lost },
  ])
  expect(ended).toEqual([1])
  expect([lifetime.isOpen, lifetime.isOver]).toEqual([false, true])
})

test("a connection that does not go on in time ends, and only then", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  const { lifetime, told } = aLifetime()
  lifetime.mustGoOn(1000, { ...lost, detail: "the first" })
  vi.advanceTimersByTime(900)
  lifetime.mustGoOn(1000, { ...lost, detail: "the second" })
  vi.advanceTimersByTime(900)
  lifetime.goesOn()
  vi.advanceTimersByTime(2000)
  expect(told).toEqual([])
  lifetime.mustGoOn(1000, lost)
  vi.advanceTimersByTime(1000)
  expect(told).toEqual([{ kind: "closed", ...lost }])
})

test("callers that wait for an answer hear of the end, and so do those that ask after it", async () => {
  const { lifetime } = aLifetime()
  const answerOrEnd = newAnswerOrEnd(lifetime, { isOpen: true })
  const waiting = answerOrEnd(new Promise(() => {}))
  lifetime.end()
  await expect(waiting).rejects.toThrow("the connection ended")
  await expect(answerOrEnd(new Promise(() => {}))).rejects.toThrow("the connection ended")
})

test("a connection does not keep what it was answered", async () => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as () => void // the flag has made it
  // Under other flags Node would refuse, and keep anew, all compiled code that the files after this one load.
  setFlagsFromString("--no-expose-gc")
  const { lifetime } = aLifetime()
  const answerOrEnd = newAnswerOrEnd(lifetime, { isOpen: true })
  const ask = async () => new WeakRef(await answerOrEnd(Promise.resolve({ a: "long answer" })))
  const answer = await ask()
  await nextTurn()
  gc()
  expect(answer.deref()).toBeUndefined()
  expect(lifetime.isOver).toBe(false)
})
