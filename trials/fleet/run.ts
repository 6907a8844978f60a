import { setTimeout as sleep } from "node:timers/promises"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Host } from "#core/lease/host.ts"
import { config } from "#core/platform/config.ts"
import { lookAtAll } from "#functions/sweep/sweep.ts"
import type { Hosts } from "./hosts.ts"

interface Input {
  bridges: number
  rest: number
  deploy: boolean
  hosts: Hosts
  used: () => Promise<{ requests: [string, number][]; refused: number }>
}

/** As many as an account may have. */
const bridgesOfAccount = 10
/** Accounts that are made at once. */
const atOnce = 8
/**
 * A fleet starts, rests, loses a part of its hosts at once, and is replaced by a deploy. Prints a line for
 * each.
 */
export async function run({ bridges, rest, deploy, hosts, used }: Input): Promise<void> {
  await create(bridges)
  await used()
  const stopSweep = sweep()
  const isUp = async () => (await hosts.up()) === bridges

  await told("start", () => until(isUp))
  await told("rest", () => sleep(rest * 1000))
  const lost = await hosts.kill()
  await told(`death of ${lost} hosts at once`, () => until(isUp))
  await told("rest", () => sleep(rest * 1000))
  if (deploy) await told("deploy", () => replaced(isUp))
  await stopSweep()

  async function told(phase: string, work: () => Promise<unknown>): Promise<void> {
    await used()
    const start = performance.now()
    await work()
    const seconds = (performance.now() - start) / 1000
    const { requests, refused } = await used()
    const sum = requests.reduce((total, [, count]) => total + count, 0)
    console.log(
      JSON.stringify({
        phase,
        bridges,
        hosts: hosts.size,
        seconds: Number(seconds.toFixed(1)),
        requests: sum,
        a_second: Number((sum / seconds).toFixed(1)),
        refused_by_partitions: refused,
        ...Object.fromEntries(requests.toSorted((a, b) => b[1] - a[1])),
      }),
    )
  }
}

/** Resolves when all hosts are of a new release, and all bridges are up again. */
async function replaced(isUp: () => Promise<boolean>): Promise<void> {
  const next = "the-next-one"
  Object.assign(config, { ECS_TASK_DEFINITION: next })
  // Dead ones are remembered for an hour.
  const isNew = (host: Host.Info) => host.state === "dead" || host.definition === next
  await until(async () => (await Host.list()).every(isNew), 5000)
  await until(isUp)
}

async function create(bridges: number): Promise<void> {
  let left = Math.ceil(bridges / bridgesOfAccount)
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const of = left * bridgesOfAccount
        const account = await Account.create({ name: "Fleet", subscription: "active" })
        for (let i = of; i < Math.min(bridges, of + bridgesOfAccount); i++)
          await Bridge.create({ accountId: account.id, customerRef: `number-${i}` })
      }
    }),
  )
}

/** Looks at each beat, as on AWS. @returns what ends that */
function sweep(): () => Promise<void> {
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
