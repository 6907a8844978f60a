import { readdirSync, statSync } from "node:fs"
import { basename } from "node:path"
import { nowMs } from "#core/platform/clock.ts"
import { Unusable } from "#one-machine/backup/unusable.ts"
import { restMs } from "./found-session.ts"

const moved = ".moved"

/** The name of a file once its session is here: the old program does not find it, and it can be renamed. */
export function movedName(file: string): string {
  return `${file}${moved}`
}

/** Whether a file has the name that its session's move gave it. */
export function hasMoved(file: string): boolean {
  return file.endsWith(moved)
}

/** The refusal of a session whose file has moved. @param file by its usual name */
export function alreadyMoved(file: string): Unusable {
  return new Unusable(
    `it has moved already: if no service has it any more, rename ${movedName(file)} to ${basename(file)}`,
  )
}

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

/** Identifies a file by its inode, since a process in a container knows the file by another path. */
function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev} ${ino}`
  } catch {
    // It was closed meanwhile.
    return undefined
  }
}
