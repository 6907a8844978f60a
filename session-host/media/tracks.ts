import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { within } from "../concurrency/call-deadline.ts"
import { readMovie } from "./boxes.ts"
import { containerOf } from "./kind-and-content-type.ts"

/** What a sound or a video says about itself. */
export interface Tracks {
  /** Whether files of this format can be read here. If not, all else is empty. */
  isKnown: boolean
  /** 0: nothing plays. Undefined: the file does not say. */
  seconds: number | undefined
  hasVideo?: boolean
  /** The size in pixels. */
  size?: { width: number; height: number } | undefined
}

const withinMs = 5000
const megabytes = 128

/** Reads what a sound or a video of this type says about itself. In a damaged file, nothing plays. */
export async function readTracks(path: string, mimetype: string): Promise<Tracks> {
  const nothing = { isKnown: true, seconds: 0 }
  if (containerOf(mimetype) === "mp4") {
    const movie = await readMovie(path)
    return movie ? { isKnown: true, ...movie } : nothing
  }
  const thread = new Worker(new URL("tracks-thread.ts", import.meta.url), {
    workerData: path,
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  })
  try {
    const [tracks] = (await within(withinMs, once(thread, "message"), () => [nothing])) as [Tracks]
    return tracks
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") return nothing
    throw error
  } finally {
    await thread.terminate()
  }
}
