import type { Network } from "./network.ts"
import type { Side } from "./sides/side.ts"
import { processorMs } from "./usage.ts"

/** The cost and the duration of some traffic. */
export interface Measured {
  messages: number
  /** Processor time for each message, in ms, by role and in all. */
  cpu: Map<string, number>
  cpuMs: number
  /** The network's processor time. It is not charged to either side, but a busy network slows both. */
  networkMs: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** Messages that did not arrive as they should have. */
  faults: string[]
}

/** The processor time that a side and the network used during some work. */
export interface Spent {
  side: Map<string, number>
  networkMs: number
}

export async function spentDuring(side: Side, network: Network, work: () => Promise<void>): Promise<Spent> {
  const [own, others] = [await side.processes(), [{ role: "network", pid: network.pid }]]
  const before = { own: processorMs(own), others: processorMs(others) }
  await work()
  const after = { own: processorMs(own), others: processorMs(others) }
  return {
    side: new Map([...after.own].map(([role, ms]) => [role, ms - (before.own.get(role) ?? 0)])),
    networkMs: sum(after.others) - sum(before.others),
  }
}

/** The same for each of so many messages. */
export function shared(
  spent: Spent,
  messages: number,
): Pick<Measured, "messages" | "cpu" | "cpuMs" | "networkMs"> {
  const cpu = new Map([...spent.side].map(([role, ms]) => [role, ms / messages]))
  return { messages, cpu, cpuMs: sum(cpu), networkMs: spent.networkMs / messages }
}

function sum(byRole: Map<string, number>): number {
  return [...byRole.values()].reduce((total, ms) => total + ms, 0)
}
