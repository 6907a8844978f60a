import { setTimeout as sleep } from "node:timers/promises"
import { quantile } from "#test/support/quantile.ts"
import { until } from "#test/support/until.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import { type Service, withinMs } from "./service.ts"

export interface Measured {
  /** The time from the network to the receiver, for bridges with a good receiver, in seconds. */
  p50: number
  p99: number
  /** Sends through the API, for all bridges, and how many of them failed. */
  sends: number
  failed: number
}

/** Messages in and out on every bridge at the same time, this many on each. */
export async function trafficBesideDeadReceivers(
  service: Service,
  good: LinkedBridge[],
  each: number,
): Promise<Measured> {
  const delays: number[] = []
  const statuses: number[] = []
  await Promise.all(
    service.lines.map(async (line) => {
      for (let i = 0; i < each; i++) {
        const [{ text, at }, status] = await Promise.all([service.write(line), service.send(line)])
        statuses.push(status)
        if (good.includes(line)) delays.push((await arrivalOf(service, text)) - at)
        else await sleep(200)
      }
    }),
  )
  const seconds = delays.map((ms) => ms / 1000)
  return {
    p50: quantile(seconds, 0.5),
    p99: quantile(seconds, 0.99),
    sends: statuses.length,
    failed: statuses.filter((status) => status !== 200).length,
  }
}

async function arrivalOf({ receiver }: Service, text: string): Promise<number> {
  const arrival = await until(() => receiver.arrivals.find((one) => one.text === text), {
    what: `${text} delivered`,
    withinMs,
  })
  return arrival.at
}
