import type { Side } from "./sides/side.ts"
import { processorMs } from "./usage.ts"

/** What traffic cost and took. */
export interface Measured {
  messages: number
  /** Processor time for each message, in ms, by role and in all. */
  cpu: Map<string, number>
  cpuMs: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** What did not arrive as it should have. */
  faults: string[]
}

/** Processor time of a side while something is done, in ms, by role. */
export async function processorTime(side: Side, work: () => Promise<void>): Promise<Map<string, number>> {
  const processes = await side.processes()
  const before = processorMs(processes)
  await work()
  const after = processorMs(processes)
  return new Map([...after].map(([role, ms]) => [role, ms - (before.get(role) ?? 0)]))
}

/** By role, for each of so many messages. */
export function shared(cpu: Map<string, number>, messages: number): Pick<Measured, "cpu" | "cpuMs"> {
  const each = new Map([...cpu].map(([role, ms]) => [role, ms / messages]))
  return { cpu: each, cpuMs: [...each.values()].reduce((sum, ms) => sum + ms, 0) }
}
