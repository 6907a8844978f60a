import type { SQSEvent } from "aws-lambda"
import { expect, onTestFinished, test } from "vitest"
import { DoorbellsInMemory } from "#one-machine/delivery/doorbells-in-memory.ts"
import { type Doorbells, startPoller } from "#one-machine/delivery/poller.ts"
import { until } from "#test/support/until.ts"

/** A queue and its poller. `answer` stands for the delivery; true keeps the doorbell. */
async function aPoller(
  answer: (group: string) => Promise<boolean | void>,
  options: { concurrency?: number; hiddenMs?: number } = {},
) {
  const doorbells = new DoorbellsInMemory(options.hiddenMs)
  let asked = 0
  const counted: Doorbells = {
    receive: (...input) => {
      asked++
      return doorbells.receive(...input)
    },
    remove: (doorbell) => doorbells.remove(doorbell),
  }
  const handler = async ({ Records: [record] }: SQSEvent) => {
    const isKept = await answer(record!.body)
    return { batchItemFailures: isKept ? [{ itemIdentifier: record!.messageId }] : [] }
  }
  const { concurrency = 100 } = options
  const poller = startPoller({ doorbells: counted, handler, concurrency })
  onTestFinished(poller.stop)
  return {
    asked: () => asked,
    ring: (group: string) => doorbells.send({ group, body: group }),
  }
}

const groups = (count: number) => Array.from({ length: count }, (_, i) => `bridge ${i}`)

test("receivers that do not answer hold up their own bridges, and no other", async () => {
  const never = Promise.withResolvers<void>()
  const answered: string[] = []
  const { ring } = await aPoller(async (group) => {
    if (group !== "the last") await never.promise
    answered.push(group)
  })
  for (const group of groups(50)) await ring(group)
  await ring("the last")
  await until(() => answered.length > 0)
  expect(answered).toEqual(["the last"])
  never.resolve()
})

test("no more deliveries are under way than may be; the others wait for their turn", async () => {
  const turns: (() => void)[] = []
  const { ring } = await aPoller(() => new Promise((resolve) => turns.push(resolve)), { concurrency: 2 })
  for (const group of groups(5)) await ring(group)
  for (let answered = 0; answered < 5; answered++) {
    await until(() => turns.length >= Math.min(2, 5 - answered))
    expect(turns.length).toBeLessThanOrEqual(2)
    turns.shift()!()
  }
})

test("a bridge's next doorbell waits until the last one is answered", async () => {
  const turns: { group: string; end: () => void }[] = []
  const { ring } = await aPoller((group) => new Promise((resolve) => turns.push({ group, end: resolve })))
  await ring("a bridge")
  await until(() => turns.length === 1)
  for (const group of ["a bridge", "another"]) await ring(group)
  await until(() => turns.length === 2)
  expect(turns.map(({ group }) => group)).toEqual(["a bridge", "another"])
  turns[0]!.end()
  await until(() => turns.length === 3)
  for (const { end } of turns) end()
})

test("a doorbell that is kept, or whose delivery throws, rings again", async () => {
  const times = new Map<string, number>()
  const { ring } = await aPoller(
    async (group) => {
      const time = (times.get(group) ?? 0) + 1
      times.set(group, time)
      if (time === 1 && group === "throws") throw new Error("a bug")
      return time === 1
    },
    { hiddenMs: 100 },
  )
  for (const group of ["kept", "throws"]) await ring(group)
  await until(() => times.get("kept") === 2 && times.get("throws") === 2)
  expect(times.size).toBe(2)
})

test("a doorbell is received once, however many deliveries could be under way", async () => {
  const answered: string[] = []
  const { asked, ring } = await aPoller(async (group) => void answered.push(group))
  for (const [i, group] of groups(5).entries()) {
    await ring(group)
    // The request that brought it, and the one that waits for the next.
    await until(() => answered.length === i + 1 && asked() >= i + 2)
  }
  expect(asked()).toBe(6)
})
