import { execFileSync } from "node:child_process"
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** A file system that can be filled. */
export interface SmallDisk {
  /** A folder on it. */
  folder: string
  /** Takes all of its room but this many bytes. */
  fill: (left: number) => void
  /** Gives the room back. */
  free: () => void
  remove: () => void
}

/** Whether this process may mount file systems. */
export function canMount(): boolean {
  try {
    mountSmallDisk(1).remove()
    return true
  } catch {
    // Only root may, and not in every container.
    return false
  }
}

/** A file system of its own in memory, of this many MB. @throws Error if this process may not mount any */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const at = mkdtempSync(join(tmpdir(), "messaging-bridge-disk-"))
  const remove = () => {
    process.off("exit", remove)
    execFileSync("umount", ["--lazy", at])
    rmSync(at, { recursive: true })
  }
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", at], { stdio: "pipe" })
  } catch (error) {
    rmSync(at, { recursive: true })
    throw error
  }
  process.once("exit", remove)
  const folder = join(at, "data")
  mkdirSync(folder, { mode: 0o700 })
  const ballast = join(at, "ballast")
  return {
    folder,
    fill: (left) => writeBallast(ballast, left),
    free: () => rmSync(ballast, { force: true }),
    remove,
  }
}

/** Nothing can be written there any more, by root neither. */
export function remountReadOnly({ folder }: SmallDisk): void {
  execFileSync("mount", ["-o", "remount,ro", dirname(folder)])
}

/** Writes until nothing fits any more, then takes back what is to be left. */
function writeBallast(path: string, left: number): void {
  const handle = openSync(path, "w")
  let written = 0
  try {
    for (const block of [1_000_000, 4096]) {
      const bytes = Buffer.alloc(block, 1)
      try {
        for (;;) written += writeSync(handle, bytes)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
      }
    }
    ftruncateSync(handle, Math.max(0, written - left))
  } finally {
    closeSync(handle)
  }
}
