import "#test/support/store.ts"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { ringAnew, promiseAndRing } from "#core/event/doorbell.ts"
import { Resend } from "#core/event/resend.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { ringAll, ringOverdue } from "#functions/sweep/bells.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  answerAll,
  forgetDoorbells,
} from "#test/support/session/events-and-doorbells.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(async () => {
  vi.useRealTimers()
  await forgetDoorbells()
})

function later(seconds: number) {
  vi.setSystemTime(Date.now() + seconds * 1000)
}

async function aDelivery(script: Parameters<typeof aReceiver>[0] = []) {
  const receiver = await aReceiver(script)
  const bridge = await aBridge(receiver.url)
  return { receiver, bridge, outbox: await anOutbox(bridge) }
}

describe("the start of the whole service on one machine", () => {
  test("rings for what was held by an invocation that died with it, and that holds it no more", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    await outbox.append(anEvent())
    await Claim.acquire(Delivery.first(bridge.id), "dies with the service")
    await forgetDoorbells()
    await ringAll()
    await answerAll()
    expect(receiver.arrivals).toMatchObject([{ attempt: 2 }])
  })

  test("rings for a failed event, which then waits for its time and no longer", async () => {
    const { receiver, outbox } = await aDelivery([500])
    await outbox.append(anEvent())
    await answerAll()
    later(3)
    await forgetDoorbells()
    await ringAll()
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
    later(8)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(2)
  })

  test("rings for what was written right before the end, when no host had promised to look yet", async () => {
    const [written, idle] = [await aDelivery(), await aDelivery()]
    await idle.outbox.append(anEvent())
    await answerAll()
    await written.outbox.write(anEvent())
    await ringAll()
    expect(await answerAll()).toBe(1)
    expect(written.receiver.arrivals).toMatchObject([{ attempt: 1 }])
  })

  test("rings for what is to be sent once more", async () => {
    const [again, idle] = [await aDelivery(), await aDelivery()]
    for (const { outbox } of [again, idle]) await outbox.append(anEvent())
    await answerAll()
    await Resend.ask(Delivery.first(again.bridge.id), 1)
    await forgetDoorbells()
    await ringAll()
    expect(await answerAll()).toBe(1)
    const counts = [again, idle].map(({ receiver }) => receiver.arrivals.length)
    expect(counts).toEqual([2, 1])
  })
})

describe("a host that takes a bridge over", () => {
  test("rings although the owner before has promised, and died before the doorbell", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    await outbox.write(anEvent())
    await Delivery.promise(Delivery.first(bridge.id), 0)
    await promiseAndRing(bridge.id)
    expect(await aDoorbell()).toBeUndefined()
    await ringAnew(bridge.id)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
  })

  test("promises where no owner before has", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    await outbox.write(anEvent())
    await ringAnew(bridge.id)
    expect((await Delivery.get(Delivery.first(bridge.id)))!.due).toBeGreaterThan(0)
    await answerAll()
    expect(receiver.arrivals).toHaveLength(1)
  })
})

describe("the sweep", () => {
  test("does nothing for a row that is in its index although its time has not come", async () => {
    const { outbox, bridge } = await aDelivery()
    await outbox.append(anEvent())
    await forgetDoorbells()
    later(100)
    // The deliverer has extended its claim, and `since` is old.
    await updateRow({
      TableName: tables.events,
      Key: Delivery.key(Delivery.first(bridge.id)),
      UpdateExpression: "SET due = due + :more",
      ExpressionAttributeValues: { ":more": 100 },
    })
    later(140)
    await ringOverdue()
    expect(await aDoorbell()).toBeUndefined()
  })
})
