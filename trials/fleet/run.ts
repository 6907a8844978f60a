import { setTimeout as sleep } from "node:timers/promises"
import { Host } from "#core/lease/host.ts"
import { config } from "#core/platform/config.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"
import type { Hosts } from "./hosts.ts"
import type { Options } from "./options.ts"
import type { SweepAsLambda } from "./sweep-as-lambda.ts"

interface Input extends Omit<Options, "hosts"> {
  hosts: Hosts
  /** Starts the processes of hosts, also once more after their loss. */
  startHosts: () => Promise<void>
  /** Hosts that are full, and not the sweep's. */
  standing: Hosts
  /** Absent: the sweep is this process's own code. */
  sweep?: SweepAsLambda
  /** Whether tasks can be started. */
  setRoom: (has: boolean) => void
  used: () => Promise<{ requests: [string, number][]; refused: number }>
  say: (line: object) => void
}

/** In seconds; absent without `quota`. */
interface Result {
  /** The longest look while no bridge has a host and nobody may start one. */
  look_s?: number
  /** Then: from the silence of a host until it was declared dead. */
  declared_dead_s?: number
  /** The longest look of all. */
  longest_look_s?: number
  /** From the loss of all hosts until all bridges were back. */
  all_up_s?: number
}

/**
 * A fleet starts, rests, loses a part of its hosts at once, and is replaced by a deploy; with `quota` it also
 * waits for its first host, and loses all at the end. Says a line of each.
 */
export async function run(input: Input): Promise<Result> {
  const { bridges, rest, deploy, hosts, used, sweep } = input
  await used()
  const stopSweep = sweep ? await started(sweep) : sweepHere()
  const isUp = async () => (await hosts.up()) === bridges
  const result: Result = {}
  let longest = 0

  if (sweep) {
    input.setRoom(false)
    await told("nobody may start a host", () => until(async () => sweep.looks.length >= 6))
    const asked = await told("a host falls silent", () => silence(input))
    Object.assign(result, { look_s: longest, declared_dead_s: asked.seconds })
    input.setRoom(true)
  }
  await told("start", () => until(isUp))
  await told("rest", () => sleep(rest * 1000))
  const lost = await hosts.kill()
  await told(`death of ${lost} hosts at once`, () => until(isUp))
  await told("rest", () => sleep(rest * 1000))
  if (deploy) await told("deploy", () => replaced(isUp, sweep))
  if (sweep) {
    const asked = await told(`death of all ${hosts.size} hosts`, async () => {
      await hosts.end()
      await input.startHosts()
      await until(isUp)
    })
    Object.assign(result, { longest_look_s: longest, all_up_s: asked.seconds })
  }
  await stopSweep()
  return result

  async function told(phase: string, work: () => Promise<unknown>): Promise<{ seconds: number }> {
    await used()
    sweep?.looks.splice(0)
    const start = performance.now()
    await work()
    const seconds = Number(((performance.now() - start) / 1000).toFixed(1))
    const { requests, refused } = await used()
    const sum = requests.reduce((total, [, count]) => total + count, 0)
    const look = Math.max(0, ...(sweep?.looks ?? [])) / 1000
    longest = Math.max(longest, look)
    input.say({
      phase,
      bridges,
      hosts: hosts.size,
      seconds,
      ...(sweep && { looks: sweep.looks.length, longest_look_s: look, ended_by_lambda: sweep.ended }),
      requests: sum,
      a_second: Number((sum / seconds).toFixed(1)),
      refused_by_partitions: refused,
      ...Object.fromEntries(requests.toSorted((a, b) => b[1] - a[1])),
    })
    return { seconds }
  }
}

/** A host that nobody can ask falls silent. Resolves when it is declared dead. */
async function silence({ standing }: Input): Promise<void> {
  standing.silence()
  await until(async () => (await Host.list()).some(({ state }) => state === "dead"))
}

/** Resolves when all hosts are of a new release, and all bridges are up again. */
async function replaced(isUp: () => Promise<boolean>, sweep: SweepAsLambda | undefined): Promise<void> {
  const next = "the-next-one"
  Object.assign(config, { ECS_TASK_DEFINITION: next })
  await sweep?.deploy({ ECS_TASK_DEFINITION: next })
  // Dead ones are remembered for an hour.
  const isNew = (host: Host.Info) => host.state === "dead" || host.definition === next
  await until(async () => (await Host.list()).every(isNew), 5000)
  await until(isUp)
}

async function started(sweep: SweepAsLambda): Promise<() => Promise<void>> {
  await sweep.start()
  return () => sweep.stop()
}

/** Looks at each beat, in this process. @returns what ends that */
function sweepHere(): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const over = (async () => {
    while (!signal.aborted) {
      await lookAtAll()
      await sleep(config.LEASE_BEAT_MS, undefined, { signal }).catch(() => "stopped while asleep")
    }
  })()
  return async () => {
    stopping.abort()
    await over
  }
}

async function until(isSo: () => Promise<boolean>, eachMs = 500): Promise<void> {
  while (!(await isSo())) await sleep(eachMs)
}
