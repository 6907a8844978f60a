import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { statusOf } from "#test/support/service/service.ts"
import { startReceiver } from "#test/support/service/start-receiver.ts"
import { startQuota } from "../quota.ts"
import { linkNeighbours, startTraffic } from "./link-large-account.ts"
import type { Options } from "./options.ts"
import type { Street } from "./street.ts"

/** The targets, in ms: how late an event may be in a host that is full, and while its sessions move. */
const targets = { lateMs: 5000, movedMs: 120_000 }

/**
 * A host that is full, under the quota that its container has on AWS: what its bridges feel while each gets
 * messages, and when the host is taken back (SIGTERM, as Spot sends it) and the next one has to take them
 * all.
 */
export async function fillHost(street: Street, options: Options) {
  const { service, neighbour } = street
  const receiver = await startReceiver()
  const quota = startQuota(options.share, options.memory)
  try {
    const neighbours = await linkNeighbours(street, options.neighbours, receiver.urlOf("street"))
    const [first] = await sessionHostPids(service)
    quota.add(first!)
    const traffic = startTraffic(street, neighbours, 1000 * options.each)
    await sleep(options.seconds * 1000)
    const full = traffic.take(receiver.arrivals)
    const used = { rss_mb: rssMb(first!), cpu_s: cpuSeconds(first!) }

    const takenAt = performance.now()
    process.kill(first!, "SIGTERM")
    const known = new Set([first!])
    const limitNew = async () => {
      for (const pid of await sessionHostPids(service))
        if (!known.has(pid)) {
          known.add(pid)
          quota.add(pid)
        }
    }
    const watch = setInterval(() => void limitNew(), 100)
    // The last of them is up once a message has come to each.
    while ((await statusOf(neighbour.call, "shop")) !== "connected") await sleep(200)
    const firstUpMs = performance.now() - takenAt
    await sleep(Math.max(options.linking * 1000 - (performance.now() - takenAt), 0))
    const taken = traffic.take(receiver.arrivals)
    traffic.stop()
    clearInterval(watch)
    const isWell = full.latestMs < targets.lateMs && taken.latestMs < targets.movedMs
    const first_up_s = Number((firstUpMs / 1000).toFixed(1))
    return { isWell, quota: quota.by, used, full, taken, first_up_s }
  } finally {
    await receiver.stop()
    await quota.end()
  }
}

function rssMb(pid: number): number {
  const [, kb = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Math.round(Number(kb) / 1024)
}

/** Since it began, linking included. */
function cpuSeconds(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ").slice(11, 13)
  return (Number(user) + Number(system)) / 100
}
