import { readdirSync, statSync } from "node:fs"
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
  const wanted = new Map(files.map((file) => [inodeOf(file), file]))
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    for (const fd of openIn(pid)) {
      const file = wanted.get(inodeOf(`/proc/${pid}/fd/${fd}`))
      if (file) throw new Unusable(`process ${pid} has ${file} open: stop the gateway first`)
    }
}

function openIn(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`)
  } catch {
    // It has ended, or belongs to somebody else.
    return []
  }
}

/** What tells a file from all others: in a container it has another path. */
function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    // It was closed meanwhile.
    return undefined
  }
}
