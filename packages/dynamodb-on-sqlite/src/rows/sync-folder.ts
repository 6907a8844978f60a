import { closeSync, fsyncSync, openSync } from "node:fs"

/** What was made or moved in the folder is still there after a power cut. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
