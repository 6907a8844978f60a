import { setTimeout as sleep } from "node:timers/promises"
import type { NetworkClient } from "#one-machine/network/client.ts"
import type { Random } from "#test/support/random.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import type { StoreFault, Store } from "../cluster/store.ts"

/** The store's faults that happen now and then, each for a while. */
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
  // Rights that IAM has not heard of yet, or has withdrawn for a while.
  { fault: "denied", chance: 0.5, times: random.between(5, 40) },
]

/**
 * The faults of one device. Only a refused connection may hit any device: its login has not
 * begun.
 */
const networkFaults = (random: Random, device: string): Parameters<NetworkClient["fault"]>[0][] => [
  { kind: "cut_before_receipt", device, times: 1 },
  { kind: "cut_after_receipt", device, times: 1 },
  { kind: "cut_mid_frame", device, times: 1 },
  { kind: "twice", device, times: random.between(1, 4) },
  { kind: "delay", device, ms: random.between(10, 500), times: random.between(1, 20) },
  { kind: "refuse_upgrade", code: 503, times: 1 },
  { kind: "no_offline", device, times: 1 },
  { kind: "unmarked", device, times: random.between(1, 10) },
  { kind: "lose_acks", device, times: 1 },
]

/** Bad weather until it is stopped. */
export function startWeather(input: {
  room: Store
  network: NetworkClient
  lines: LinkedBridge[]
  /** Process ids of the session hosts that live. */
  hosts: () => number[]
  random: Random
  beat: number
}) {
  const { room, network, lines, hosts, random, beat } = input
  const stopping = new AbortController()
  let pass: (() => Promise<void>) | undefined
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
    if (roll < 0.8) return await change(random.pick(networkFaults(random, device))!)
    if (roll < 0.95) return await network.cut(device)
    release(random.pick(hosts()))
  }

  /** One fault at a time: what is left of the last one ends. */
  async function change(fault: Parameters<NetworkClient["fault"]>[0]): Promise<void> {
    await pass?.()
    pass = await network.fault(fault)
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

/** A new release begins with this host: it is told to hand over what it holds and to end. */
function release(pid: number | undefined): void {
  try {
    if (pid) process.kill(pid, "SIGTERM")
  } catch {
    // It has ended by itself.
  }
}
