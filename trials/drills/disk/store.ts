import { fork } from "node:child_process"
import { once } from "node:events"
import { z } from "zod"

/**
 * Rules that can be taken out of the store: each must be noticed.
 *
 * - `early`: a write is confirmed when it is on the disk.
 * - `onward`: a write that the disk refused is refused.
 */
export const breaks = ["early", "onward"] as const
export type Break = (typeof breaks)[number]

/** How many pages its file may have. */
export interface ToStore {
  pages: number
}

const Ready = z.object({ endpoint: z.string() })

export type Store = Awaited<ReturnType<typeof startStore>>

/** Starts a store in a process of its own. @throws NotStarted with the sentence that it ended with */
export async function startStore(input: { folder: string; broken: Break | undefined }) {
  const child = fork(
    new URL("store-process.ts", import.meta.url),
    [input.folder, ...(input.broken ? [input.broken] : [])],
    { stdio: ["ignore", "inherit", "pipe", "ipc"], detached: true },
  )
  let said = ""
  child.stderr!.on("data", (chunk) => (said += String(chunk)))
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const first = await Promise.race([once(child, "message"), ended])
  if (!Array.isArray(first)) throw new NotStarted(said.trim())
  return {
    endpoint: Ready.parse(first[0]).endpoint,
    said: () => said,
    /** The code or the signal that it ended with, asked to or not. */
    ended,
    end: async (signal: NodeJS.Signals) => {
      child.kill(signal)
      return await ended
    },
    /** How many pages its file may have from now on; never fewer than it has. */
    limit: async (pages: number) => {
      const answered = once(child, "message")
      child.send({ pages } satisfies ToStore)
      await Promise.race([answered, ended])
    },
  }
}

export class NotStarted extends Error {}
