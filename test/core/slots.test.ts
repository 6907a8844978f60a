import { expect, test } from "vitest"
import { Slots } from "#core/platform/slots.ts"

test("so many at once; those who wait take over the slots that become free, in order", async () => {
  const slots = new Slots(2)
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  const works = gates.map(({ promise }, i) =>
    slots.use(() => {
      begun.push(i)
      return promise
    }),
  )
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  // Both at once, so each slot goes to another waiter.
  gates[0]!.resolve()
  gates[1]!.resolve()
  await Promise.all(works.slice(0, 2))
  await expect.poll(() => begun).toEqual([0, 1, 2, 3])
  gates[2]!.reject(new Error("failed"))
  gates[3]!.resolve()
  await expect(works[2]).rejects.toThrow("failed")
  await works[3]
  // All of them are free again.
  await Promise.all([slots.use(async () => {}), slots.use(async () => {})])
})

test("a wait for a slot ends", async () => {
  const slots = new Slots(1, { ms: 20, sentence: "too many at once" })
  const gate = Promise.withResolvers<void>()
  const first = slots.use(() => gate.promise)
  await expect(slots.use(async () => {})).rejects.toMatchObject({
    code: "session_unavailable",
    message: "too many at once",
  })
  gate.resolve()
  await first
  expect(await slots.use(async () => "free")).toBe("free")
})
