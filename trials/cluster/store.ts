import { fork } from "node:child_process"
import { once } from "node:events"
import { z } from "zod"
import type { Rule } from "#dynamodb-on-sqlite/faults.ts"

/** A rule that can be told to another process. */
export type StoreFault = Omit<Rule, "when"> & {
  /** Only requests that have this in their text. */
  containing?: string
}
export type ToStore = { fault: StoreFault } | { clear: true } | { queue: "away" | "there" } | { report: true }

const Ready = z.object({ TOLD_AT: z.string() }).catchall(z.string())
const Report = z.object({ injected: z.record(z.string(), z.number()), owners: z.array(z.string()) })

/** Starts store, queue and keys in a process of their own. */
export async function startStore(input: { dataDir: string; visibilitySeconds: number }) {
  const child = fork(
    new URL("processes/store.ts", import.meta.url),
    [input.dataDir, String(input.visibilitySeconds)],
    {
      detached: true,
    },
  )
  const [ready] = await once(child, "message")
  const { TOLD_AT: toldAt, ...environment } = Ready.parse(ready)
  const tell = (said: ToStore): void => void child.send(said)
  return {
    /** The settings with which other processes reach the store, the queue and the keys. */
    environment,
    /** The port where it tells of events. */
    toldAt,
    add: (fault: StoreFault) => tell({ fault }),
    clear: () => tell({ clear: true }),
    setQueue: (queue: "away" | "there") => tell({ queue }),
    report: async () => {
      const answered = once(child, "message")
      tell({ report: true })
      return Report.parse((await answered)[0])
    },
    stop: async () => {
      const ended = once(child, "exit")
      child.disconnect()
      await ended
    },
  }
}
export type Store = Awaited<ReturnType<typeof startStore>>
