import { parentPort, workerData } from "node:worker_threads"
import { parseFile, UnsupportedFileTypeError } from "music-metadata"
import type { Tracks } from "./tracks.ts"

// Runs as a thread: a stranger's file might keep its reader busy for ever, and the caller that waits for this
// thread ends it.

async function read(path: string): Promise<Tracks> {
  try {
    const { format } = await parseFile(path, { duration: true, skipCovers: true })
    const { duration: seconds, hasVideo = false, container = "" } = format
    const video = format.trackInfo.find((track) => track.video)?.video
    const { pixelWidth: width, pixelHeight: height } = video ?? {}
    return {
      isKnown: true,
      // A live recording in this container does not say how long it is.
      seconds: seconds ?? (container.startsWith("EBML") ? undefined : 0),
      hasVideo,
      size: width && height ? { width, height } : undefined,
    }
  } catch (error) {
    return { isKnown: !(error instanceof UnsupportedFileTypeError), seconds: 0 }
  }
}

parentPort?.postMessage(await read(String(workerData)))
