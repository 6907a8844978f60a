/**
 * Hosts that only beat, take free leases and give them back: of real ones two thousand do not fit on a
 * machine. What they do not do, the sweep does not see.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { config } from "#core/platform/config.ts"
import { log } from "#core/platform/log.ts"
import { isPassing } from "#core/store/store.ts"
import type { FromHosts, ToHosts } from "../hosts.ts"

process.once("disconnect", () => process.exit(0))

const hosts = new Map<string, LightHost>()

function say(said: FromHosts): void {
  process.send?.(said)
}

/** As often as a host looks at a part of the free leases, in ms, and how many it reads. */
const look = { eachMs: 500, reads: 100 }

class LightHost {
  readonly held = new Map<string, Lease.Info>()
  readonly #id: string
  readonly #capacity: number
  #isStopping = false
  #turn = Math.floor(Math.random() * Lease.looksForAllFree)

  constructor(id: string, capacity: number) {
    this.#id = id
    this.#capacity = capacity
  }

  stop(): void {
    this.#isStopping = true
  }

  /** Resolves when it has ended. */
  async run(): Promise<void> {
    const looking = this.#each(look.eachMs, () => this.#acquire())
    await this.#each(config.LEASE_BEAT_MS, () => this.#beat())
    await looking
    for (const lease of this.held.values()) await Lease.release(lease)
    await Host.remove(this.#id)
  }

  async #beat(): Promise<void> {
    const about = { id: this.#id, addr: "127.0.0.1:1", network: config.HOST_NETWORK }
    const { size } = this.held
    const state = await Host.beat({ ...about, capacity: this.#capacity, sessions: size, up: size })
    if (state === "draining" || state === "dead") this.stop()
  }

  async #acquire(): Promise<void> {
    let shared = 0
    for (let part = 0; part < Lease.looksForAllFree; part++) {
      const room = this.#capacity - this.held.size
      if (room <= 0) return
      const free = await Lease.listSomeFree(this.#turn++, look.reads)
      // The rest of a dead host's leases are left to others.
      const mine = free.filter(({ share }) => share === undefined || shared++ < share).slice(0, room)
      const taken = await Promise.all(
        mine.map((lease) => Lease.acquire(lease, { id: this.#id, addr: "127.0.0.1:1" })),
      )
      for (const lease of taken) if (lease) this.held.set(lease.bridgeId, lease)
    }
  }

  async #each(ms: number, work: () => Promise<void>): Promise<void> {
    while (!this.#isStopping) {
      await work().catch((error: unknown) => {
        if (!isPassing(error)) log.warn({ error, hostId: this.#id }, "a light host failed")
      })
      await sleep(ms)
    }
  }
}

async function start(id: string, capacity: number): Promise<void> {
  const host = new LightHost(id, capacity)
  hosts.set(id, host)
  await host.run()
  hosts.delete(id)
  say({ ended: id })
}

process.on("message", (said: ToHosts) => {
  if ("stop" in said) hosts.get(said.stop)?.stop()
  if ("start" in said) void start(said.start, said.capacity ?? config.HOST_CAPACITY)
  if ("count" in said) say({ up: [...hosts.values()].reduce((sum, host) => sum + host.held.size, 0) })
})
say({ ready: true })
