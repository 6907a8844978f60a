import { afterEach, expect, onTestFinished, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { Bell } from "#core/event/doorbell.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { anEvent, anOutbox, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

afterEach(forgetDoorbells)

/** Counts from now on how often a producer looks whether deliveries are due. */
function looks(): () => number {
  let count = 0
  const when = (request: object) => {
    if (JSON.stringify(request).includes('"DELIVERY"')) count++
    return false
  }
  onTestFinished(dynamoDb.faults.add({ fault: "slow", operation: "GetItem", when }))
  return () => count
}

test("while a deliverer is at work, one look serves many events that are committed soon after one another", async () => {
  const bridge = await aBridge("http://127.0.0.1:9/")
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent())
  expect(await Claim.acquire(Delivery.first(bridge.id), "somebody")).toMatchObject({ holder: "somebody" })
  const bell = new Bell(bridge.id)
  const count = looks()
  for (let i = 0; i < 30; i++) {
    bell.want()
    await Bridge.byId(bridge.id)
  }
  await bell.quiet()
  expect(count()).toBeGreaterThan(0)
  expect(count()).toBeLessThan(15)
})

test("events that are committed together are looked at once", async () => {
  const bridge = await aBridge("http://127.0.0.1:9/")
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent())
  const bell = new Bell(bridge.id)
  const count = looks()
  for (let i = 0; i < 3; i++) bell.want()
  await bell.quiet()
  expect(count()).toBe(1)
})

test("events that are committed while the bell rests are rung for as soon as no deliverer is at work", async () => {
  const bridge = await aBridge("http://127.0.0.1:9/")
  const outbox = await anOutbox(bridge)
  await outbox.append(anEvent())
  const claimed = await Claim.acquire(Delivery.first(bridge.id), "somebody")
  const bell = new Bell(bridge.id)
  const count = looks()
  bell.want()
  await until(() => count() === 1)
  const held = await Claim.advance(claimed as Delivery.Info)
  expect(await Claim.goIdle(held!)).toBeUndefined()
  await outbox.write(anEvent())
  bell.want()
  expect(await until(async () => ((await Delivery.get(Delivery.first(bridge.id)))?.due ?? 0) > 0)).toBe(true)
})
