import { sqs } from "#test/support/store.ts"
import type { ServerResponse } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { handler } from "#functions/delivery/handler.ts"
import { doorbellsFrom } from "#local/delivery/doorbells-from-queue.ts"
import { startPoller } from "#local/delivery/poller.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { anEvent, anOutbox, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { config } from "#core/platform/config.ts"

config.DELIVERY_CLAIM_S = 20

// A delivery lasts ten seconds at most, and one of a slow receiver a little more than one.

test("slow receivers with a backlog take turns, so that another bridge waits for few of their events", async () => {
  const answerMs = 400
  const slow = await startReceiver(
    () => (response: ServerResponse) => void setTimeout(() => response.end(), answerMs),
  )
  onTestFinished(slow.stop)
  for (let n = 0; n < 4; n++) {
    const outbox = await anOutbox(await aBridge(slow.urlOf(`slow-${n}`)))
    await outbox.append(...Array.from({ length: 20 }, () => anEvent()))
  }
  const ordinary = await aReceiver()
  const outbox = await anOutbox(await aBridge(ordinary.url))
  await outbox.append(anEvent())

  const poller = startPoller({ doorbells: doorbellsFrom(sqs.doorbellUrl), handler, concurrency: 2 })
  onTestFinished(async () => {
    await forgetDoorbells()
    await poller.stop()
  })
  await ordinary.atLeast(1)
  const counts = [...Map.groupBy(slow.arrivals, ({ bridge }) => bridge).values()].map((all) => all.length)
  expect(counts).toHaveLength(4)
  expect(Math.max(...counts)).toBeLessThan(10)
})
