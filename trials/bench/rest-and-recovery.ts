import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Network } from "./network.ts"
import { linkTo, say } from "./progress.ts"
import type { Receiver } from "./receiver.ts"
import { killHost, restart } from "./restart-and-kill.ts"
import { startBare } from "./sides/bare.ts"
import { startOurs } from "./sides/ours.ts"
import type { Side } from "./sides/side.ts"
import { inbound } from "./traffic/in.ts"
import { type Memory, memoryOf, processorMs } from "./usage.ts"

export interface Fleets {
  ours: Fleet
  /** Absent if ours is measured alone. */
  bare?: Fleet
}

/** What a side with many bridges needs at rest, and how fast it comes back. */
export interface Fleet {
  /** By the state of the side: `0`, `100` (idle bridges), `after a restart of 100`, `after traffic`. */
  memory: Map<string, Memory>
  /** Processor time of `returns` idle bridges, ms a second. */
  atRestMs?: number
  restartSeconds?: number
  /** How long each bridge of a killed host was away. */
  killedSeconds?: number[]
  faults: string[]
}

interface Input {
  dir: string
  network: Network
  receiver: Receiver
  isBareToo: boolean
  /** The numbers of bridges at which memory is measured. */
  sizes: number[]
  /** The number of bridges with which the side is restarted and loses a host. */
  returns: number
  messages: number
  /** How long to wait until the last step has settled. */
  idleMs: number
  /** For how long the processor time at rest is measured. */
  restMs: number
}

/** Both sides or ours alone, one after the other, in processes that have carried no traffic before. */
export async function measureFleets(input: Input): Promise<Fleets> {
  const dir = join(input.dir, "fleet")
  mkdirSync(dir)
  const given = { ...input, dir }
  const bare =
    input.isBareToo && (await measureFleet(await startBare({ ...given, name: "bare-fleet" }), input))
  const ours = await measureFleet(await startOurs({ ...given, name: "ours-fleet" }), input)
  return { ours, ...(bare && { bare }) }
}

async function measureFleet(side: Side, input: Input): Promise<Fleet> {
  const { network } = input
  const fleet: Fleet = { memory: new Map(), faults: [] }
  const look = async (when: string) => {
    await sleep(input.idleMs)
    const memory = memoryOf(await side.processes())
    fleet.memory.set(when, memory)
    say(`${side.name}: memory, ${when}: ${memory.rss.toFixed(0)} MB resident`)
  }
  const rest = async () => {
    const processes = await side.processes()
    const usedMs = () => [...processorMs(processes).values()].reduce((sum, ms) => sum + ms, 0)
    const beforeMs = usedMs()
    await sleep(input.restMs)
    fleet.atRestMs = ((usedMs() - beforeMs) * 1000) / input.restMs
    say(`${side.name}: ${fleet.atRestMs.toFixed(1)} ms of processor time a second at rest`)
  }
  /** Each bridge gets messages: what was done before has lost nothing. */
  const use = async (bridges: number, messages: number) => {
    const { faults } = await inbound({ ...input, side, bridges, messages, progress: () => {} })
    fleet.faults.push(...faults)
  }

  for (const size of input.sizes) {
    await linkTo(side, size)
    await look(String(size))
    if (size !== input.returns) continue
    await rest()
    fleet.restartSeconds = await restart(side, network)
    say(`${side.name}: ${size} bridges were back ${fleet.restartSeconds.toFixed(1)} s after the start`)
    await look(`after a restart of ${size}`)
    await use(size, size)
    if (side.name === "bare") continue
    fleet.killedSeconds = await killHost(side, network)
    say(`${side.name}: ${fleet.killedSeconds.length} bridges of a killed host are back`)
    await use(size, size)
  }
  await use(Math.min(20, side.lines.length), input.messages)
  await look("after traffic")
  await side.stop()
  return fleet
}
