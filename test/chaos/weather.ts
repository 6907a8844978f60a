import { setTimeout as sleep } from "node:timers/promises"
import type { NetworkClient } from "#local/network-client.ts"
import type { Random } from "#local/random.ts"
import type { Line } from "#test/cluster/lines.ts"
import type { StoreFault, StoreRoom } from "#test/cluster/store-room.ts"

/** What happens to store and network now and then, each time for a while. */
const storeFaults = (random: Random, beat: number): StoreFault[] => [
  { fault: "throttling", chance: 0.5, times: random.between(5, 60) },
  { fault: "throughput-exceeded", chance: 0.5, times: random.between(5, 40) },
  { fault: "transaction-conflict", chance: 0.5, times: random.between(5, 40) },
  { fault: "transaction-in-progress", times: random.between(1, 10) },
  { fault: "slow", ms: random.between(20, 400), times: random.between(10, 60) },
  // A stall: longer than a session waits before it closes its socket.
  { fault: "slow", ms: 4 * beat, times: random.between(3, 12) },
  { fault: "lost-request", ms: 50, times: random.between(1, 5) },
  { fault: "lost-answer", ms: 50, times: random.between(1, 8) },
  { fault: "lost-answer", operation: "TransactWriteItems", ms: 50, times: random.between(1, 8) },
  { fault: "half-visible", ms: 50, times: random.between(1, 10) },
  { fault: "stale-index", ms: beat, times: random.between(5, 50) },
  { fault: "gone", times: random.between(5, 40) },
]

const networkFaults = (random: Random): Parameters<NetworkClient["fault"]>[0][] => [
  { kind: "cut_before_receipt", times: 1 },
  { kind: "cut_after_receipt", times: 1 },
  { kind: "cut_mid_frame", times: 1 },
  { kind: "twice", times: random.between(1, 4) },
  { kind: "delay", ms: random.between(10, 500), times: random.between(1, 20) },
  { kind: "refuse_upgrade", code: 503, times: 1 },
  { kind: "no_offline", times: 1 },
  { kind: "lose_acks", times: 1 },
]

/** Bad weather until it is stopped. */
export function startWeather(input: {
  room: StoreRoom
  network: NetworkClient
  lines: Line[]
  random: Random
  beat: number
}) {
  const { room, network, lines, random, beat } = input
  const stopping = new AbortController()
  const running = blow()

  async function blow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(random.between(500, 2500), undefined, { signal: stopping.signal }).catch(() => "stopped")
      if (stopping.signal.aborted) return
      await gust()
    }
  }

  async function gust(): Promise<void> {
    const roll = random.next()
    if (roll < 0.5) return room.add(random.pick(storeFaults(random, beat))!)
    const { device } = random.pick(lines)!
    if (roll < 0.8) return void (await network.fault({ device, ...random.pick(networkFaults(random))! }))
    await network.cut(device)
  }

  return {
    stop: async () => {
      stopping.abort()
      await running
      room.clear()
      await network.clearFaults()
    },
  }
}
