import { setTimeout as sleep } from "node:timers/promises"
import { Delivery } from "#core/event/delivery.ts"
import { EventRow } from "#core/event/event-row.ts"
import { Lease } from "#core/lease/lease.ts"
import { query } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { NetworkClient } from "#one-machine/network/client.ts"
import { eventsIn, type Receiver } from "#test/support/service/start-receiver.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"

/** Waits until no work is under way. @returns the work that still is when nothing has moved for so long. */
export async function untilSettled(input: {
  lines: LinkedBridge[]
  produced: Map<string, string[]>
  receiver: Receiver
  network: NetworkClient
  withinMs: number
}): Promise<string[]> {
  const { arrivals } = input.receiver
  let until = performance.now() + input.withinMs
  let seen = arrivals.length
  for (;;) {
    if (arrivals.length > seen) until = performance.now() + input.withinMs
    seen = arrivals.length
    const open = (await Promise.all(input.lines.map((line) => openOf(line, input)))).flat()
    if (open.length === 0 || performance.now() > until) return open
    await sleep(300)
  }
}

type Input = Omit<Parameters<typeof untilSettled>[0], "lines" | "withinMs">

async function openOf(
  { bridge, id, device, webhooks }: LinkedBridge,
  { produced, receiver, network }: Input,
): Promise<string[]> {
  for (const name of [bridge, ...webhooks]) {
    const arrivals = receiver.arrivals.filter((one) => one.bridge === name).flatMap(eventsIn)
    const arrived = new Set(arrivals.map(({ text }) => text))
    const missing = (produced.get(name) ?? []).filter((text) => !arrived.has(text)).length
    if (missing > 0) return [`${name} (${id}): ${missing} messages have not arrived; ${await delivery(id)}`]
  }
  if (!(await network.settled(device, 0)))
    return [`${bridge} (${id}): the network still has something for it`]
  const waiting = await delivery(id)
  if (waiting !== "") return [`${bridge} (${id}): ${waiting}`]
  return [...(await parkedIn(id)), ...(await gapsIn(id))].map((what) => `${bridge} (${id}): ${what}`)
}

/** Messages that became no event. There should be none, since nothing unreadable is sent here. */
async function parkedIn(bridgeId: string): Promise<string[]> {
  const rows = await rowsOf(tables.sessions, bridgeId, "PARKED#")
  return rows.map(({ sk }) => `${String(sk)} is left`)
}

/** Numbers under which there is no event although there are later ones: rows outlive the run. */
async function gapsIn(bridgeId: string): Promise<string[]> {
  const numbers = (await rowsOf(tables.events, bridgeId, "EVENT#")).map(({ n }) => Number(n))
  return numbers.flatMap((n, i) => (n === i + 1 ? [] : [`event ${i + 1} is missing`])).slice(0, 1)
}

async function rowsOf(table: string, bridgeId: string, prefix: string) {
  return await Array.fromAsync(
    query({
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :bridge AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":bridge": `BRIDGE#${bridgeId}`, ":prefix": prefix },
    }),
  )
}

/** The holder of a bridge, and what one of its deliveries waits for; nothing when none waits for anything. */
async function delivery(bridgeId: string): Promise<string> {
  const rows = (await Delivery.ofBridge(bridgeId)).toSorted((a, b) => a.head - b.head)
  const row = rows.find(({ due, healing }) => due > 0 || healing) ?? rows[0]
  const next = row && (await EventRow.get(bridgeId, row.head + 1))
  if (row && row.due === 0 && !next && !row.healing) return ""
  const lease = await Lease.get(bridgeId)
  return `delivery ${JSON.stringify(row)}, next event ${next?.eventId}, lease ${JSON.stringify(lease)}`
}
