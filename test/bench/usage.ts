import { readFileSync } from "node:fs"

/** A process of a side, and what it is there for: `gateway`, `hosts`, `store`, `baileys`. */
export interface Process {
  role: string
  pid: number
}

/** Of `/proc/<pid>/stat`: hundredths of a second on every Linux that Node runs on. */
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
