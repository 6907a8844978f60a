import { expect, test } from "vitest"
import { aMemory } from "#test/support/session/memory.ts"

test("a restart that is asked for while a take-over is being noted has the last word", async () => {
  const first = await aMemory()
  const { standing, connectionEvents, outbox } = first.memory
  const before = Promise.withResolvers<void>()
  void outbox.inTurn(() => before.promise)
  const at = { epoch: first.lease.epoch, connection: 1 }
  const replaced = standing.setReplaced(true, (writes) =>
    connectionEvents.over(at, { reason: "stream_replaced" }, writes),
  )
  const restarted = standing.setReplaced(false)
  before.resolve()
  await Promise.all([replaced, restarted])
  expect(standing.isReplaced).toBe(false)
  await first.letGo()
  const { memory } = await aMemory({ bridgeId: first.bridgeId })
  expect(memory.standing.isReplaced).toBe(false)
})
