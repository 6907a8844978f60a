import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** As long as a period of the quotas that containers have, in ms. */
const periodMs = 100
const root = "/sys/fs/cgroup"

/** A share of a processor, and perhaps of the memory, for the processes that are put into it. */
export interface Quota {
  /** Whether the kernel keeps it. With `signals`, processes are stopped for the rest of the time. */
  by: "cgroup" | "signals"
  add: (pid: number) => void
  end: () => Promise<void>
}

/**
 * A quota like a container's: the kernel's where this machine lets us (cgroups, as root), or else the next
 * best, without a limit of memory.
 */
export function startQuota(share: number, memoryGb?: number): Quota {
  const limits = limitsOf(share, memoryGb)
  const folders = [...new Set(limits.map(({ folder }) => folder))]
  try {
    if (limits.length === 0) throw new Error("this machine has no cgroups")
    for (const folder of folders) mkdirSync(folder)
    for (const { folder, file, limit } of limits) writeFileSync(`${folder}/${file}`, limit)
  } catch (error) {
    console.error(
      `the kernel keeps no quota here (${String(error)}): processes are stopped for a part of the time`,
    )
    const ends: (() => Promise<void>)[] = []
    return {
      by: "signals",
      add: (pid) => void ends.push(limitCpuShare(pid, share)),
      end: async () => void (await Promise.all(ends.map((end) => end()))),
    }
  }
  return {
    by: "cgroup",
    add: (pid) => folders.forEach((folder) => writeFileSync(`${folder}/cgroup.procs`, String(pid))),
    end: async () => folders.forEach((folder) => rmdirUnlessUsed(folder)),
  }
}

/** The files of cgroups that hold these limits, in the version that this machine has. */
function limitsOf(share: number, memoryGb: number | undefined) {
  const name = `messaging-bridge-${process.pid}-${Math.round(performance.now())}`
  const us = String(Math.round(1000 * periodMs * share))
  const at = (folder: string, file: string, limit: string) => ({
    folder: `${root}/${folder}${name}`,
    file,
    limit,
  })
  const bytes = memoryGb === undefined ? [] : [String(memoryGb * 2 ** 30)]
  if (existsSync(`${root}/cpu/cpu.cfs_quota_us`))
    return [
      at("cpu/", "cpu.cfs_quota_us", us),
      ...bytes.map((limit) => at("memory/", "memory.limit_in_bytes", limit)),
    ]
  if (!existsSync(`${root}/cgroup.controllers`)) return []
  return [at("", "cpu.max", `${us} ${1000 * periodMs}`), ...bytes.map((limit) => at("", "memory.max", limit))]
}

/** A group that still has processes stays; they go on under its limits until they end. */
function rmdirUnlessUsed(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EBUSY") throw error
  }
}

/**
 * From now on a process runs for this share of the time: it is stopped for the rest of each tenth of a
 * second, as a container is that has used up its quota.
 * @returns what ends that
 */
export function limitCpuShare(pid: number, share: number): () => Promise<void> {
  if (share === 1) return async () => {}
  let isOver = false
  const over = (async () => {
    while (!isOver) {
      process.kill(pid, "SIGSTOP")
      await sleep(periodMs * (1 - share))
      process.kill(pid, "SIGCONT")
      await sleep(periodMs * share)
    }
  })()
  return async () => {
    isOver = true
    await over
  }
}
