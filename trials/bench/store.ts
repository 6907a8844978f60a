import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { startChild } from "../child.ts"

const Counts = z.array(z.tuple([z.string(), z.number()]))
const Used = z.object({
  writes: z.number(),
  reads: z.number(),
  /** Write units by what was done to which kind of row. */
  byRow: Counts,
  /** By what they did to which kinds of rows. */
  requests: Counts,
})
export type Used = z.infer<typeof Used>

export type Store = Awaited<ReturnType<typeof startStore>>

/** The embedded store in a process of its own, with a counter in front of it. */
export async function startStore(dir: string) {
  const path = join(dir, "store")
  mkdirSync(path, { recursive: true })
  const child = await startChild(new URL("processes/store.ts", import.meta.url), {
    args: [path],
    env: {},
    logFile: join(dir, "store.log"),
  })
  const { endpoint } = z.object({ endpoint: z.string() }).parse(child.ready)
  return {
    endpoint,
    /** The units used since the last call. */
    used: async (): Promise<Used> => Used.parse(await child.ask(0)),
    stop: child.stop,
  }
}
