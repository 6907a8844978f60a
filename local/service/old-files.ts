import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { StoredMedia } from "#core/stored-media.ts"
import { Uploads } from "#core/uploads.ts"

/** How often old files are removed from the disk, in ms. */
const everyMs = 3_600_000

/** Removes uploads, media and lines of bridges' logs that are kept no longer, now and every hour. @returns how to stop */
export function startRemovingFiles(): () => void {
  remove()
  const removing = setInterval(remove, everyMs).unref()
  return () => clearInterval(removing)
}

function remove(): void {
  Promise.all([Uploads.removeOld(), StoredMedia.removeOld(), BridgeLog.removeOld()]).catch((error: unknown) =>
    console.error("old files were not removed", error),
  )
}
