import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { until } from "#test/support/until.ts"
import type { LinkedBridge } from "../cluster/linked-cluster.ts"
import { type Service, withinMs } from "./service.ts"

/**
 * How a session host is lost.
 *
 * - `killed`: SIGKILL; the orchestrator reports the exit.
 * - `silent`: it stands still like a hanging machine, and the orchestrator reports nothing.
 * - `replaced`: SIGTERM; it hands its sessions over.
 */
export type Loss = "killed" | "silent" | "replaced"
const signals = { killed: "SIGKILL", silent: "SIGSTOP", replaced: "SIGTERM" } as const

/**
 * Takes away the host with the most sessions. @returns for each of its bridges the seconds until the network
 * heard from it again: from the blow, or, where sessions are handed over, from the end of its old connection.
 */
export async function loseHost(service: Service, loss: Loss): Promise<number[]> {
  const { pid, lines } = await busiest(service)
  const from = service.seen.length
  const at = Date.now()
  process.kill(pid, signals[loss])
  const seconds = await Promise.all(
    lines.map(async ({ device }) => {
      const start = loss === "replaced" ? await disconnected(service, device, from) : at
      const back = await until(
        () =>
          service.seen
            .slice(from)
            .find((entry) => entry.who === device && entry.kind === "in" && entry.at > start),
        { what: `${device} back`, withinMs },
      )
      return (back.at - start) / 1000
    }),
  )
  if (loss === "silent") process.kill(pid, "SIGKILL")
  await recovered(service)
  return seconds
}

/**
 * Resolves when the last loss has left no trace: every bridge has moved a message, and has lived for a
 * minute. A bridge whose hosts fall silent faster than that is a suspect, and is tried alone.
 */
async function recovered(service: Service): Promise<void> {
  for (const line of service.lines) {
    const { text } = await service.write(line)
    await until(() => service.receiver.arrivals.some((one) => one.text === text), {
      what: `${text} delivered`,
      withinMs,
    })
    const isProven = async () => {
      const lease = await Lease.get(line.id)
      return lease?.provenEpoch === lease?.epoch
    }
    await until(isProven, { what: `a minute of ${line.device}`, withinMs })
  }
}

async function disconnected({ seen }: Service, device: string, from: number): Promise<number> {
  const entry = await until(
    () => seen.slice(from).find(({ who, event }) => who === device && event === "disconnected"),
    { what: `${device} gone`, withinMs },
  )
  return entry.at
}

async function busiest({ cluster, lines }: Service): Promise<{ pid: number; lines: LinkedBridge[] }> {
  const withSessions = async () => {
    const hosts = await Promise.all(
      (await Host.list()).map(async ({ id, task }) => {
        const held = new Set((await Lease.listByHost(id)).map(({ bridgeId }) => bridgeId))
        return { pid: cluster.hosts.pids().get(task), lines: lines.filter((line) => held.has(line.id)) }
      }),
    )
    const [first] = hosts.toSorted((a, b) => b.lines.length - a.lines.length)
    return first?.pid !== undefined && first.lines.length > 0 && { pid: first.pid, lines: first.lines }
  }
  return await until(withSessions, { what: "a host with sessions", withinMs })
}
