import type { ServerResponse } from "node:http"
import { afterEach, describe, expect, onTestFinished, test } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Claim } from "#core/event/claim.ts"
import { Delivery } from "#core/event/delivery.ts"
import { promiseAndRing } from "#core/event/doorbell.ts"
import { EventRow } from "#core/event/event-row.ts"
import { getRow, removeRow, store } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { deliver } from "#functions/delivery/deliver.ts"
import { fakeTime, pass } from "#test/support/faked-lives.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"
import { wrapClientCalls } from "#test/support/wrap-client-calls.ts"

// The clocks of the store and the queue follow this one, too.
fakeTime()
afterEach(forgetDoorbells)

/** Runs `happens` before the query with this number, counted from 1 from now on. */
let beforeQuery: { number: number; happens: () => Promise<unknown> } | undefined
/** Whether the first row of the next query's answer is not visible yet. */
let showsLate = false
wrapClientCalls(store, async (command, go) => {
  if (command.name === "Query" && beforeQuery && --beforeQuery.number === 0) {
    const { happens } = beforeQuery
    beforeQuery = undefined
    await happens()
  }
  const answer = await go()
  if (command.name === "Query" && showsLate) {
    showsLate = false
    ;(answer as { Items: unknown[] }).Items.shift()
  }
  return answer
})

async function aDelivery(script: Parameters<typeof aReceiver>[0] = []) {
  const receiver = await aReceiver(script)
  const bridge = await aBridge(receiver.url)
  return {
    receiver,
    bridge,
    outbox: await anOutbox(bridge),
    row: () => Delivery.get(Delivery.first(bridge.id)),
  }
}

/** Counts the store's requests from now on, by operation. */
function asked() {
  const counts: Record<string, number> = {}
  for (const operation of [
    "GetItem",
    "BatchGetItem",
    "Query",
    "PutItem",
    "UpdateItem",
    "DeleteItem",
    "BatchWriteItem",
    "TransactWriteItems",
  ]) {
    const back = dynamoDb.faults.add({
      fault: "slow",
      operation,
      when: () => {
        counts[operation] = (counts[operation] ?? 0) + 1
        return false
      },
    })
    onTestFinished(back)
  }
  return counts
}

describe("the cost of a delivery", () => {
  test("an event alone: a claim, a look, an update, the log, and going idle", async () => {
    const { outbox, bridge } = await aDelivery()
    await outbox.append(anEvent())
    const counts = asked()
    await deliver(Delivery.first(bridge.id))
    // The second query is for the webhooks of the account.
    expect(counts).toEqual({ UpdateItem: 2, Query: 2, TransactWriteItems: 1, BatchWriteItem: 1 })
    expect(await outbox.states()).toEqual(["delivered"])
  })

  test("each further one of a backlog: one update, and nothing of its own in the log", async () => {
    const { outbox, bridge, receiver } = await aDelivery()
    await outbox.append(...Array.from({ length: 20 }, () => anEvent()))
    const counts = asked()
    await deliver(Delivery.first(bridge.id))
    expect(receiver.arrivals).toHaveLength(20)
    // The second look, with the row beside it, is for what came meanwhile. Two queries more are for the
    // webhooks of the account: before the first event, and before the last.
    expect(counts).toMatchObject({ UpdateItem: 21, Query: 4, GetItem: 1, TransactWriteItems: 1 })
    expect(counts.BatchWriteItem).toBeLessThanOrEqual(2)
    expect(await AttemptLog.latest(Delivery.first(bridge.id))).toHaveLength(20)
  })

  test("in the sweep's index it stands from the promise until nothing waits, through claims and failures", async () => {
    const { outbox, bridge } = await aDelivery([500])
    const since = async () => (await getRow(tables.events, Delivery.key(Delivery.first(bridge.id))))?.since
    expect(await since()).toBeUndefined()
    await outbox.append(anEvent())
    const first = await since()
    expect(first).toEqual(expect.any(Number))
    await answerAll()
    pass(5)
    await outbox.append(anEvent())
    expect(await since()).toBe(first)
    pass(6)
    await answerAll()
    expect(await since()).toBeUndefined()
  })
})

describe("the numbers of attempts", () => {
  test.for([["SET head"], ["SET holder = :me"], ["SET due = :zero"]])(
    "are 1 although the answer to `%s` was lost, and nothing is posted twice",
    async ([expression]) => {
      const { receiver, outbox, row } = await aDelivery()
      const ids = await outbox.append(anEvent(), anEvent())
      const operation = expression === "SET due = :zero" ? "TransactWriteItems" : "UpdateItem"
      const when = (request: object) => JSON.stringify(request).includes(expression!)
      dynamoDb.faults.add({ fault: "lost-answer", operation, when, times: 1 })
      await answerAll()
      expect(receiver.arrivals.map(({ eventId, attempt }) => [eventId, attempt])).toEqual([
        [ids[0], 1],
        [ids[1], 1],
      ])
      expect(await row()).toMatchObject({ head: 2, due: 0, holder: "", attempt: 0 })
    },
  )

  test("of a failed one is listed although the answer to its record was lost", async () => {
    const { outbox, bridge } = await aDelivery([500])
    await outbox.append(anEvent())
    dynamoDb.faults.add({
      fault: "lost-answer",
      operation: "UpdateItem",
      when: (request) => JSON.stringify(request).includes("SET failures"),
      times: 1,
    })
    await answerAll()
    const listed = await AttemptLog.latest(Delivery.first(bridge.id))
    expect(listed.map(({ status_code }) => status_code)).toEqual([500])
  })

  test("are given back where what waits cannot be read, and the doorbell comes again", async () => {
    const { receiver, outbox, bridge, row } = await aDelivery()
    await outbox.append(anEvent())
    dynamoDb.faults.add({ fault: "throughput-exceeded", operation: "Query", times: 4 })
    await expect(deliver(Delivery.first(bridge.id))).rejects.toThrow(/exceeded/i)
    expect(await row()).toMatchObject({ attempt: 0, holder: "" })
    await answerAll()
    expect(receiver.arrivals.map(({ attempt }) => attempt)).toEqual([1])
  })

  test("are given back by a claim that passes on, but not those of a claim that died", async () => {
    const { bridge, row } = await aDelivery()
    await Claim.acquire(Delivery.first(bridge.id), "one")
    pass(91)
    const held = (await Claim.acquire(Delivery.first(bridge.id), "two")) as Delivery.Info // free
    expect(held.attempt).toBe(2)
    await Claim.passOn(held)
    expect(await row()).toMatchObject({ attempt: 1, holder: "" })
  })
})

describe("a deliverer that stood still past its claim, before it read", () => {
  test("does not post what came since under a number that another one uses", async () => {
    const { receiver, outbox, bridge } = await aDelivery()
    const happens = async () => {
      pass(91)
      // No event waits, so the number that the first one counted is forgotten.
      await deliver(Delivery.first(bridge.id))
      await outbox.append(anEvent())
      await answerAll()
    }
    beforeQuery = { number: 1, happens }
    await deliver(Delivery.first(bridge.id))
    expect(receiver.arrivals.map(({ attempt }) => attempt)).toEqual([1])
  })
})

describe("the log", () => {
  test("has an attempt while its claim goes on", async () => {
    const held = Promise.withResolvers<ServerResponse>()
    const { outbox, bridge } = await aDelivery([200, (response) => held.resolve(response)])
    const [first] = await outbox.append(anEvent(), anEvent())
    const delivered = deliver(Delivery.first(bridge.id))
    const response = await held.promise
    await until(async () => (await AttemptLog.latest(Delivery.first(bridge.id))).length > 0)
    expect(await AttemptLog.latest(Delivery.first(bridge.id))).toMatchObject([
      { event_id: first, status_code: 200 },
    ])
    response.end()
    await delivered
    expect(await AttemptLog.latest(Delivery.first(bridge.id))).toHaveLength(2)
  })
})

describe("where a bridge's events go", () => {
  test("is where a PATCH says for an event that came after it, also amid a delivery", async () => {
    const { outbox, bridge, receiver } = await aDelivery()
    const next = await aReceiver()
    await outbox.append(anEvent(), anEvent())
    const happens = async () => {
      await Bridge.setWebhookUrl(bridge, next.url)
      await outbox.append(anEvent())
    }
    beforeQuery = { number: 4, happens }
    await deliver(Delivery.first(bridge.id))
    expect(receiver.arrivals).toHaveLength(2)
    expect(next.arrivals).toMatchObject([{ attempt: 1 }])
  })

  test("cannot be changed for a bridge that is gone: it is 404, and no row is left", async () => {
    const { bridge } = await aDelivery()
    await Bridge.remove(bridge)
    await expect(Bridge.setWebhookUrl(bridge, "https://example.com/")).rejects.toMatchObject({
      code: "not_found",
    })
    expect(await Delivery.get(Delivery.first(bridge.id))).toBeUndefined()
  })

  test("an event for the inbox goes to the address that came while it was being put there", async () => {
    const bridge = await aBridge()
    const outbox = await anOutbox(bridge)
    const receiver = await aReceiver()
    await outbox.append(anEvent())
    let patched: Promise<unknown> | undefined
    dynamoDb.faults.add({
      fault: "slow",
      operation: "TransactWriteItems",
      when: (request) => {
        const isInbox = JSON.stringify(request).includes("webhook_url = :inbox")
        if (isInbox) patched ??= Bridge.setWebhookUrl(bridge, receiver.url)
        return isInbox
      },
      ms: 500,
      times: 1,
    })
    await answerAll()
    await patched
    expect(receiver.arrivals).toMatchObject([{ attempt: 1 }])
    expect(await outbox.states()).toEqual(["delivered"])
  })
})

test("an event whose row becomes visible after the next one's is not passed over", async () => {
  const { outbox, receiver } = await aDelivery()
  const ids = await outbox.append(anEvent(), anEvent())
  showsLate = true
  await answerAll()
  expect(showsLate).toBe(false)
  expect(receiver.arrivals.map(({ eventId }) => eventId)).toEqual(ids)
})

describe("events that expired before their turn", () => {
  test.for([[[1, 2]], [[2, 3]]])("(%j of four) do not hold up those behind them", async ([missing]) => {
    const { outbox, bridge, receiver, row } = await aDelivery()
    const ids = await outbox.write(anEvent(), anEvent(), anEvent(), anEvent())
    for (const n of missing!) await removeRow({ TableName: tables.events, Key: EventRow.key(bridge.id, n) })
    await promiseAndRing(bridge.id)
    await answerAll()
    const left = ids.filter((_, i) => !missing!.includes(i + 1))
    expect(receiver.arrivals.map(({ eventId, attempt }) => [eventId, attempt])).toEqual(
      left.map((id) => [id, 1]),
    )
    expect(await row()).toMatchObject({ head: 4, due: 0, attempt: 0 })
  })
})

test("the account's row of the bridge is not asked for by a delivery", async () => {
  const { outbox, receiver } = await aDelivery()
  await outbox.append(anEvent())
  const back = dynamoDb.faults.add({
    fault: "denied",
    when: (request) => JSON.stringify(request).includes(`"TableName":"${tables.accounts}"`),
  })
  onTestFinished(back)
  await answerAll()
  expect(receiver.arrivals).toHaveLength(1)
})
