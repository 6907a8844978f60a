import { beforeEach, expect, onTestFinished, test } from "vitest"
import { useDoorbellQueue } from "#core/event/doorbell.ts"
import { tables } from "#core/store/tables.ts"
import { Bells, DoorbellsInMemory, startPoller } from "#one-machine/delivery/doorbells.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

let bells: Bells
dynamoDb.watch(tables.events, (item) => bells.ringForRow(item))

beforeEach(() => {
  bells = new Bells()
  const doorbells = new DoorbellsInMemory()
  const poller = startPoller({ doorbells, concurrency: 10 })
  const undo = useDoorbellQueue(doorbells)
  onTestFinished(async () => {
    bells.end()
    await poller.stop()
    undo()
  })
})

test("events are delivered as they are written, though no host rings for them, one time after the other", async () => {
  const receiver = await aReceiver()
  const outbox = await anOutbox(await aBridge(receiver.url))
  for (const text of ["1", "2", "3"]) {
    await outbox.write(anEvent(text))
    await receiver.atLeast(Number(text))
  }
  const bodies = receiver.arrivals.map(({ body }) => (JSON.parse(body.toString()) as { body: string }).body)
  expect(bodies).toEqual(["1", "2", "3"])
})
