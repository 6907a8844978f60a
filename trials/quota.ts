import { mkdirSync, rmdirSync, writeFileSync } from "node:fs"
import { limitCpuShare } from "./neighbours/limit-cpu-share.ts"

/** As long as a period of the kernel's quotas, in µs. */
const periodUs = 100_000

/**
 * From now on a process has this share of a processor: by a cgroup, as a function of Lambda has, or where
 * this machine allows none, by stopping it for the rest of the time.
 * @returns how, and what ends that once the process has ended
 */
export function limitCpu(pid: number, share: number): { by: "cgroup" | "signals"; end: () => Promise<void> } {
  const quota = String(Math.round(periodUs * share))
  const name = `trial-${pid}`
  for (const [folder, file, limit] of [
    [`/sys/fs/cgroup/cpu/${name}`, "cpu.cfs_quota_us", quota],
    [`/sys/fs/cgroup/${name}`, "cpu.max", `${quota} ${periodUs}`],
  ] as const)
    try {
      mkdirSync(folder)
      writeFileSync(`${folder}/${file}`, limit)
      writeFileSync(`${folder}/cgroup.procs`, String(pid))
      return { by: "cgroup", end: async () => rmdirSync(folder) }
    } catch {
      // Another version of cgroups, or none that we may use.
    }
  return { by: "signals", end: limitCpuShare(pid, share) }
}
