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

/** The files that processes of this machine have open, by inode, each with the id of one such process. */
export type OpenFiles = ReadonlyMap<string, string>

/**
 * The files that are open now, as far as this user may see. On a machine with many processes this takes some
 * tenths of a second.
 */
export function openFiles(): OpenFiles {
  const found = new Map<string, string>()
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    for (const fd of openIn(pid)) found.set(inodeOf(`/proc/${pid}/fd/${fd}`) ?? "", pid)
  return found
}

/** @throws Unusable when a file has changed in the last minute, or is open */
export function mustBeAtRest(files: string[], open: OpenFiles): void {
  for (const file of files) {
    // Another clock wrote a file whose time lies far ahead.
    if (Math.abs(nowMs() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? nowMs())) < restMs)
      throw new Unusable(
        `${file} has changed within the last minute: stop the gateway, and wait for a minute`,
      )
    const inode = inodeOf(file)
    const pid = inode && open.get(inode)
    if (pid) throw new Unusable(`process ${pid} has ${file} open: stop the gateway first`)
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
    // It was closed or removed meanwhile.
    return undefined
  }
}
