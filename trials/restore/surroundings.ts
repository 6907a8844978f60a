import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { apiClient } from "#one-machine/api-client.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { spawnSimulator } from "#simulator/spawn.ts"
import { type Random, seeded } from "#test/support/random.ts"
import { type Receiver, startReceiver } from "#test/support/service/start-receiver.ts"
import { until } from "#test/support/until.ts"
import type { Evidence } from "../chaos/evidence.ts"
import type { Violation } from "../chaos/oracle.ts"
import type { Traffic } from "../chaos/traffic.ts"
import { type followNetworkLog, inWords } from "../cluster/follow-network-log.ts"
import { type LinkedBridge, newLine } from "../cluster/linked-cluster.ts"
import { type newSeen, openOf, shownBy, unread } from "./seen.ts"

/** The parts of a trial that go on while services come and go: the network, and the customer's receiver. */
export interface Surroundings {
  /** A folder for all of it. */
  dir: string
  random: Random
  simulator: NonNullable<Awaited<ReturnType<typeof spawnSimulator>>>
  network: ReturnType<typeof networkClient>
  receiver: Receiver
  /** Run at the end, the last first. */
  stops: (() => Promise<unknown>)[]
}

/** Runs a trial on a stage of its own, and stops everything when that has ended. */
export async function onStage<Outcome>(
  { seed, dir }: { seed: number; dir: string },
  trial: (stage: Surroundings) => Promise<Outcome>,
): Promise<Outcome> {
  const stops: Surroundings["stops"] = []
  try {
    mkdirSync(join(dir, "logs"), { recursive: true })
    const simulator = await spawnSimulator({ dataDir: dir, controlPort: 0 })
    if (!simulator) throw new Error(`the simulated network did not start: ${dir}/logs says why`)
    stops.push(simulator.stop)
    const receiver = await startReceiver()
    stops.push(receiver.stop)
    const network = networkClient(simulator)
    return await trial({ dir, random: seeded(seed), simulator, network, receiver, stops })
  } catch (error) {
    // The stops below make the traffic fail as well, which would hide this error.
    console.error(error)
    throw error
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

/** Links so many bridges at a service. */
export async function newLines(
  count: number,
  { network, receiver }: Pick<Surroundings, "network" | "receiver">,
  service: { api: string; apiKey: string },
): Promise<LinkedBridge[]> {
  const lines: LinkedBridge[] = []
  const alone = { around: { book: [], members: [] }, hasCompanion: false, hostOf: undefined }
  for (let n = 1; n <= count; n++)
    lines.push(await newLine(`b${n}`, { network, receiver, ...service, ...alone }))
  return lines
}

const settledWithinMs = 120_000

interface Acts {
  lines: LinkedBridge[]
  traffic: Traffic
  seen: ReturnType<typeof newSeen>
  /** Where that is seen. */
  log: ReturnType<typeof followNetworkLog>
  apiOf: (bridge: string) => ReturnType<typeof apiClient>
}

/**
 * Stops the traffic once each bridge has had this many messages. Then waits until nothing is under way and
 * `judged` finds no message lost, but not for ever. @returns what was seen
 */
export async function comeToRest(
  { network, receiver }: Surroundings,
  { lines, traffic, seen, log, apiOf }: Acts,
  { messages, judged }: { messages: number; judged: (evidence: Evidence) => Violation[] },
): Promise<Evidence> {
  await traffic.stop(messages, settledWithinMs)
  const gather = async (unsettled: string[]): Promise<Evidence> => ({
    bridges: lines.map(({ bridge }) => bridge),
    produced: traffic.produced,
    late: traffic.late,
    arrivals: receiver.arrivals,
    refused: new Set(),
    sent: traffic.sent,
    shown: await shownBy(network, lines),
    followed: new Set(),
    read: new Set(),
    ids: traffic.ids,
    kept: new Map(),
    unreadable: await unread(seen.undecryptable(), network),
    keysReused: seen.reused.map(inWords),
    owners: [],
    rows: [],
    unsettled,
    stoppedAttempts: [],
  })
  const isSettled = async () => {
    await sleep(500)
    const open = await openOf(lines, network, apiOf)
    return open.length === 0 && !judged(await gather([])).some(({ kind }) => kind === "lost")
  }
  await until(isSettled, { withinMs: settledWithinMs }).catch(() => "the oracle says so")
  await log.stop()
  return await gather(await openOf(lines, network, apiOf))
}

/** For a person who looks for the cause of a violation. */
export function toldOf(
  { receiver }: Surroundings,
  { traffic, seen }: Pick<Acts, "traffic" | "seen">,
): object {
  return {
    ids: Object.fromEntries(traffic.ids),
    hadMs: Object.fromEntries(seen.hadMs),
    arrivals: receiver.arrivals.map(({ at, bridge, eventId, attempt, text }) => {
      return { at, bridge, eventId, attempt, text }
    }),
    entries: seen.entries,
  }
}
