import { expect, test } from "vitest"
import { sessionUnavailable } from "#core/error.ts"
import { Slots } from "#core/platform/slots.ts"

test("so many at once; those who wait take over the slots that become free, in order", async () => {
  const slots = new Slots({ most: 2 })
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
  const slots = new Slots({ most: 1 }, { ms: 20, refusal: () => sessionUnavailable("too many at once") })
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

test("no owner has more than its share, and owners take turns, however much one of them has queued", async () => {
  const slots = new Slots({ most: 2, each: 1 })
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const begin = (name: string) =>
    slots.use(async () => {
      begun.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
    }, name[0])
  const all = ["a1", "a2", "a3", "b1", "c1"].map(begin)
  await expect.poll(() => begun).toEqual(["a1", "b1"])
  gates.get("a1")!()
  await expect.poll(() => begun).toEqual(["a1", "b1", "a2"])
  gates.get("a2")!()
  await expect.poll(() => begun).toEqual(["a1", "b1", "a2", "c1"])
  gates.get("b1")!()
  await expect.poll(() => begun.at(-1)).toBe("a3")
  for (const name of ["c1", "a3"]) gates.get(name)!()
  await Promise.all(all)
})

test("a caller that does not wait is refused at once, and a slot that is left twice is free once", async () => {
  const slots = new Slots({ most: 1 }, { ms: 0, refusal: () => new Error("none is free") })
  const leave = await slots.enter()
  await expect(slots.enter()).rejects.toThrow("none is free")
  leave()
  leave()
  await slots.enter()
  await expect(slots.enter()).rejects.toThrow("none is free")
})

test("once there are more slots, those who wait take them before those who come", async () => {
  const limits = { most: 1 }
  const slots = new Slots(limits)
  const leave = await slots.enter()
  const entered: number[] = []
  const waiting = [1, 2].map(async (n) => {
    await slots.enter()
    entered.push(n)
  })
  limits.most = 3
  const late = slots.enter().then(() => entered.push(3))
  await Promise.resolve()
  expect(entered).toEqual([])
  leave()
  await Promise.all([...waiting, late])
  expect(entered).toEqual([1, 2, 3])
})
