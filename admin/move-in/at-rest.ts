import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { nowMs } from "#core/platform/clock.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { restMs } from "./found-session.ts"

/** @throws Unusable when a file has changed in the last minute, or a process of this machine has it open */
export function mustBeAtRest(files: string[]): void {
  for (const file of files)
    if (nowMs() - statSync(file).mtimeMs < restMs)
      throw new Unusable(
        `${file} has changed within the last minute: stop the gateway, and wait for a minute`,
      )
  const paths = new Set(files.map((file) => realpathSync(file)))
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    for (const path of openIn(pid))
      if (paths.has(path)) throw new Unusable(`process ${pid} has ${path} open: stop the gateway first`)
}

function openIn(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  } catch {
    // It has ended, or belongs to somebody else.
    return []
  }
}
