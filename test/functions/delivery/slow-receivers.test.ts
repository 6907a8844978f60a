import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { beforeEach, expect, onTestFinished, test } from "vitest"
import { AccountWebhook } from "#core/bridge/account-webhook.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { retryEvent } from "#core/event/retry-and-skip.ts"
import { config } from "#core/platform/config.ts"
import { deliveriesOfAccount, handler } from "#functions/delivery/handler.ts"
import { startPoller } from "#one-machine/delivery/doorbells.ts"
import { doorbellsFrom } from "#test/support/doorbells-from-queue.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aCustomer } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import {
  aDoorbell,
  anEvent,
  anOutbox,
  forgetDoorbells,
  pass,
} from "#test/support/session/events-and-doorbells.ts"
import { sqs } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

config.DELIVERY_CLAIM_S = 20

// A delivery lasts ten seconds at most, and one of a slow receiver a little more than one.

// The doorbells that earlier files have left are many.
beforeEach(forgetDoorbells)

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

/** A new bridge with an event. */
async function begin(accountId: string, ref: string, url: string): Promise<string> {
  const { bridge } = await Bridge.create({ accountId, customerRef: ref, webhookUrl: url })
  await (await anOutbox(bridge)).append(anEvent())
  return bridge.id
}

/** Answers the doorbell of this bridge, once it rings: those of earlier tests may ring as well. */
async function answer(bridgeId: string): Promise<"deleted" | "kept"> {
  for (;;) {
    const doorbell = await aDoorbell()
    if (doorbell?.Body?.includes(bridgeId)) return await pass(doorbell)
  }
}

/** In this test an account may have one delivery at once. */
function oneForEachAccount(): void {
  const { each } = deliveriesOfAccount
  config.STORAGE_DIR = tmpdir()
  deliveriesOfAccount.each = 1
  onTestFinished(() => {
    config.STORAGE_DIR = undefined
    deliveriesOfAccount.each = each
  })
}

test("an account with as many deliveries as it may have waits for its own, and holds up no other account", async () => {
  oneForEachAccount()
  const answers: ServerResponse[] = []
  const held = await startReceiver(() => (response: ServerResponse) => void answers.push(response))
  onTestFinished(held.stop)
  const ordinary = await aReceiver()
  const { account } = await aCustomer()
  const first = answer(await begin(account.id, "one", held.urlOf("one")))
  await until(() => answers.length === 1)
  const two = await begin(account.id, "two", held.urlOf("two"))
  expect(await answer(two)).toBe("kept")
  expect(await answer(await begin((await aCustomer()).account.id, "other", ordinary.url))).toBe("deleted")
  expect([held.arrivals.length, ordinary.arrivals.length]).toEqual([1, 1])
  answers[0]!.end()
  expect(await first).toBe("deleted")
  const second = answer(two)
  await until(() => answers.length === 2)
  answers[1]!.end()
  expect(await second).toBe("deleted")
})

test("a delivery to an account's webhook that hangs takes no place of a bridge's own", async () => {
  oneForEachAccount()
  const answers: ServerResponse[] = []
  const held = await startReceiver(() => (response: ServerResponse) => void answers.push(response))
  onTestFinished(held.stop)
  const ordinary = await aReceiver()
  const { account } = await aCustomer()
  await AccountWebhook.create(account.id, held.url, {})
  const one = await begin(account.id, "one", ordinary.url)
  expect(await answer(one)).toBe("deleted")
  const hanging = answer(one)
  await until(() => answers.length === 1)
  expect(await answer(await begin(account.id, "two", ordinary.url))).toBe("deleted")
  expect([held.arrivals.length, ordinary.arrivals.length]).toEqual([1, 2])
  answers[0]!.end()
  expect(await hanging).toBe("deleted")
})

/** Has the first event of this bridge tried at once. */
async function retry(bridgeId: string): Promise<void> {
  await retryEvent(Delivery.first(bridgeId), (await EventRow.get(bridgeId, 1))!)
}

test("where each delivery has its own process, an account's failing receivers have a share of places", async () => {
  config.FAILING_PLACES = 1
  const hangs: ServerResponse[] = []
  let fails = true
  const failing = await startReceiver(() => (response: ServerResponse) => {
    if (fails) response.writeHead(500).end()
    else hangs.push(response)
  })
  onTestFinished(async () => {
    config.FAILING_PLACES = 100
    await failing.stop()
  })
  const { account } = await aCustomer()
  const ids = [await begin(account.id, "one", failing.urlOf("one"))]
  ids.push(await begin(account.id, "two", failing.urlOf("two")))
  for (const id of ids) expect(await answer(id)).toBe("kept")
  fails = false
  for (const bridgeId of ids) await retry(bridgeId)
  const hanging = answer(ids[0]!)
  await until(() => hangs.length === 1)
  // It rests, and its attempt is not counted.
  expect(await answer(ids[1]!)).toBe("kept")
  expect(await Delivery.get(Delivery.first(ids[1]!))).toMatchObject({ attempt: 1, failures: 1, holder: "" })
  const other = await aReceiver([500])
  const third = await begin((await aCustomer()).account.id, "other", other.url)
  expect(await answer(third)).toBe("kept")
  await retry(third)
  expect(await answer(third)).toBe("deleted")
  hangs[0]!.end()
  expect(await hanging).toBe("deleted")
  await retry(ids[1]!)
  const second = answer(ids[1]!)
  await until(() => hangs.length === 2)
  hangs[1]!.end()
  expect(await second).toBe("deleted")
})
