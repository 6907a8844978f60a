import { readFileSync, rmSync } from "node:fs"
import { totalmem } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { writePrivate } from "./private-file.ts"

/** How other commands on this machine find the running service, and what it was started with. */
export const Running = z.object({
  baseUrl: z.string(),
  phonesUrl: z.string(),
  /** The environment for reaching its store and queue as the service itself does. */
  environment: z.record(z.string(), z.string()),
  /** Its process, and what this may take: another command on the machine may have other limits. */
  process: z.object({ pid: z.number(), openFiles: z.number().nullable(), memoryMb: z.number() }),
})
export type Running = z.infer<typeof Running>

/** This process, and what it may take. */
export function thisProcess(): Running["process"] {
  const limits = process.platform === "linux" ? readFileSync("/proc/self/limits", "utf8") : ""
  const openFiles = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.NaN)
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity)
  return {
    pid: process.pid,
    openFiles: Number.isNaN(openFiles) ? null : openFiles,
    memoryMb: Math.floor(memory / 1e6),
  }
}

const path = (dataDir: string) => join(dataDir, "running.json")

export function announceRunning(dataDir: string, running: Omit<Running, "process">): void {
  writePrivate(path(dataDir), { ...running, process: thisProcess() })
}

export function withdrawRunning(dataDir: string): void {
  rmSync(path(dataDir), { force: true })
}

/** The service that runs on this data folder; undefined when none answers. */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  try {
    const running = Running.parse(JSON.parse(readFileSync(path(dataDir), "utf8")))
    const answer = await fetch(`${running.baseUrl}/healthz`, { signal: AbortSignal.timeout(2000) })
    return answer.ok ? running : undefined
  } catch {
    // There is no file, or no server answers: the service that wrote the file died without removing it.
    return undefined
  }
}
