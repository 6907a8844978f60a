import { Uploads } from "#core/uploads.ts"

/** How often old uploads are removed from the disk, in ms. */
const everyMs = 3_600_000

/** Removes uploads that nobody can send any more, now and every hour. @returns how to stop */
export function startRemovingUploads(): () => void {
  remove()
  const removing = setInterval(remove, everyMs).unref()
  return () => clearInterval(removing)
}

function remove(): void {
  Uploads.removeOld().catch((error: unknown) => console.error("old uploads were not removed", error))
}
