import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { until } from "#test/support/until.ts"
import { printProfile } from "./print-profile.ts"
import type { Process } from "./usage.ts"

const preload = new URL("processes/profiler.ts", import.meta.url)

export interface Profiler {
  /** Writes `<scenario>-<side>-<role>-<pid>.cpuprofile` for each process, and prints what cost most. */
  around: <Done>(named: Named, work: () => Promise<Done>) => Promise<Done>
}

/**
 * Makes all processes that are started from now on ready to be profiled. Without a folder it profiles
 * nothing.
 */
export function newProfiler(folder: string | undefined): Profiler {
  if (folder === undefined) return { around: async (_, work) => await work() }
  mkdirSync(folder, { recursive: true })
  process.env.NODE_OPTIONS = `--import ${preload.href}?into=${encodeURIComponent(folder)}`
  return {
    async around({ scenario, side, processes }, work) {
      for (const { pid } of processes) process.kill(pid, "SIGUSR2")
      const done = await work()
      for (const { pid } of processes) process.kill(pid, "SIGUSR2")
      for (const { role, pid } of processes) {
        const written = join(folder, `${pid}.cpuprofile`)
        await until(() => existsSync(written), { what: `the profile of ${role} ${pid}` })
        const file = join(folder, `${scenario}-${side}-${role}-${pid}.cpuprofile`)
        renameSync(written, file)
        if (role !== "network") printProfile(file)
      }
      return done
    },
  }
}

interface Named {
  scenario: string
  side: string
  processes: Process[]
}
