import { setTimeout as sleep } from "node:timers/promises"
import type { Network } from "./network.ts"
import type { Line, Side } from "./sides/side.ts"
import { memoryOf } from "./usage.ts"

/** A bridge that is not back by then counts as lost. */
const withinMs = 600_000

/**
 * Ends a side as planned and starts it again. @returns the seconds from its start until the network heard all
 * bridges
 */
export async function restart(side: Side, network: Network): Promise<number> {
  await side.stop()
  const since = await network.lastNote()
  const at = unixMs()
  const started = side.start()
  const back = await heardAgain(network, new Map(side.lines.map(({ device }) => [device, since])))
  await started
  return (Math.max(...back) - at) / 1000
}

/**
 * Kills the session host with the most memory. @returns for each of its bridges the seconds until the network
 * heard it again
 */
export async function killHost(ours: Side, network: Network): Promise<number[]> {
  const hosts = (await ours.processes()).filter(({ role }) => role === "hosts")
  const [busiest] = hosts.toSorted((a, b) => memoryOf([b]).rss - memoryOf([a]).rss)
  const since = await network.lastNote()
  const at = unixMs()
  process.kill(busiest!.pid, "SIGKILL")
  const back = await heardAgain(network, await disconnected(network, ours.lines, since))
  return back.map((time) => (time - at) / 1000)
}

/** Whose connection has ended, and by which entry of the log; once no more end. */
async function disconnected(network: Network, lines: Line[], since: number): Promise<Map<string, number>> {
  const devices = new Set(lines.map(({ device }) => device))
  let before = 0
  for (;;) {
    const ends = await network.control.log({ after: since, event: "disconnected" })
    const gone = new Map(ends.filter(({ who }) => devices.has(who)).map(({ who, n }) => [who, n]))
    if (gone.size > 0 && gone.size === before) return gone
    before = gone.size
    await sleep(50)
  }
}

/**
 * When each device said its first stanza after its entry of the log, in Unix ms. @throws Error when one stays
 * away
 */
async function heardAgain(network: Network, devices: Map<string, number>): Promise<number[]> {
  const first = new Map<string, number>()
  const end = performance.now() + withinMs
  let after = Math.min(...devices.values())
  while (first.size < devices.size) {
    if (performance.now() > end) throw new Error(`${first.size} of ${devices.size} bridges came back`)
    for (const { n, who, at } of await network.control.log({ after, kind: "in", wait: 1000 })) {
      after = n
      if (n > (devices.get(who) ?? Infinity) && !first.has(who)) first.set(who, at)
    }
  }
  return [...first.values()]
}

function unixMs(): number {
  return performance.timeOrigin + performance.now()
}
