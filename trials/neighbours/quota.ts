import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { limitCpuShare } from "./limit-cpu-share.ts"

const cpu = "/sys/fs/cgroup/cpu"
const memory = "/sys/fs/cgroup/memory"

/** A container's share of a processor and its memory, for the processes that are put into it. */
export interface Quota {
  /**
   * Whether the kernel keeps it; else processes are stopped for a part of the time, and memory has no
   * limit.
   */
  isKernels: boolean
  add: (pid: number) => void
  end: () => Promise<void>
}

/** A quota of the kernel (cgroups of version 1, as root), or the next best where there is none. */
export function startQuota(share: number, memoryGb: number): Quota {
  const name = `messaging-bridge-${process.pid}`
  const folders = [join(cpu, name), join(memory, name)]
  const ends: (() => Promise<void>)[] = []
  try {
    if (!existsSync(join(cpu, "cpu.cfs_quota_us"))) throw new Error("no cgroups of version 1 here")
    for (const folder of folders) mkdirSync(folder)
    writeFileSync(join(cpu, name, "cpu.cfs_period_us"), "100000")
    writeFileSync(join(cpu, name, "cpu.cfs_quota_us"), String(Math.round(100_000 * share)))
    writeFileSync(join(memory, name, "memory.limit_in_bytes"), String(memoryGb * 2 ** 30))
  } catch (error) {
    console.log(
      `the kernel keeps no quota here (${String(error)}): the host is stopped for a part of the time`,
    )
    return {
      isKernels: false,
      add: (pid) => void ends.push(limitCpuShare(pid, share)),
      end: async () => void (await Promise.all(ends.map((end) => end()))),
    }
  }
  return {
    isKernels: true,
    add: (pid) => folders.forEach((folder) => writeFileSync(join(folder, "cgroup.procs"), String(pid))),
    // A group that still has processes stays; they go on under its limits until they end.
    end: async () => folders.forEach((folder) => rmdirUnlessUsed(folder)),
  }
}

function rmdirUnlessUsed(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error
  }
}
