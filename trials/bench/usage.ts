import { readFileSync } from "node:fs"

/** A process of a side, and what it is there for: `gateway`, `hosts`, `baileys`. */
export interface Process {
  role: string
  pid: number
}

/** The unit of `/proc/<pid>/stat`: a hundredth of a second on every Linux that Node runs on. */
const tickMs = 10

/** Processor time that these processes have used, user and system, in ms, by role. */
export function processorMs(processes: Process[]): Map<string, number> {
  return byRole(processes, (pid) => {
    // The name in parentheses may have spaces in it; user and system time are the 14th and 15th field.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  })
}

function byRole(processes: Process[], of: (pid: number) => number): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { role, pid } of processes) sums.set(role, (sums.get(role) ?? 0) + of(pid))
  return sums
}

export interface Memory {
  /** Resident, in MB: a page that several processes share counts in each. */
  rss: number
  /** The same, shared pages divided among those who share them. */
  pss: number
}

export function memoryOf(processes: Process[]): Memory {
  return { rss: megabytes(processes, "Rss"), pss: megabytes(processes, "Pss") }
}

function megabytes(processes: Process[], field: string): number {
  const pattern = new RegExp(`^${field}: +(\\d+) kB`, "m")
  const kilobytes = byRole(processes, (pid) =>
    Number(pattern.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]),
  )
  return [...kilobytes.values()].reduce((sum, one) => sum + one, 0) / 1024
}
