import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Uploads } from "#core/files/uploads.ts"
import { nowMs } from "#core/platform/clock.ts"

/** How often old files are removed from the disk, in ms. */
const everyMs = 3_600_000
/**
 * How long a file may stay unchanged before it counts as abandoned, in ms: an upload that brings nothing ends
 * sooner.
 */
const abandonedMs = 300_000

/**
 * Removes uploads, media and lines of bridges' logs that are kept no longer, now and every hour. @returns how
 * to stop
 */
export function startRemovingFiles(): () => void {
  remove()
  // What is older than this process was left by one that has ended.
  removeAbandoned(nowMs() - performance.timeOrigin)
  const timers = [
    setInterval(remove, everyMs).unref(),
    setInterval(() => removeAbandoned(abandonedMs), abandonedMs).unref(),
  ]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

function remove(): void {
  Promise.all([Uploads.removeOld(), StoredMedia.removeOld(), BridgeLog.removeOld()]).catch(failed)
}

function removeAbandoned(unchangedForMs: number): void {
  FilesOnDisk.removeAbandoned(unchangedForMs).catch(failed)
}

function failed(error: unknown): void {
  console.error("old files were not removed", error)
}
