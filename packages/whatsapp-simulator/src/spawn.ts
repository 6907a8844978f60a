import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { extname, join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const Ready = z.object({
  url: z.string(),
  tls_url: z.string(),
  control_url: z.string(),
  root_key: z.string(),
  ca_file: z.string(),
})

export type Simulator = NonNullable<Awaited<ReturnType<typeof spawnSimulator>>>

/**
 * Starts the simulated network as a process of its own, under a new secret that only its addresses tell. It
 * ends with this one, however this one ends.
 */
export async function spawnSimulator(input: {
  dataDir: string
  controlPort: number
  /** Modules that it loads first. */
  imports?: string[]
}) {
  const log = openSync(join(input.dataDir, "logs", "simulator.log"), "a")
  const imports = (input.imports ?? []).flatMap((module) => ["--import", module])
  const child = spawn(
    process.execPath,
    [...imports, fileURLToPath(new URL(`main${extname(import.meta.url)}`, import.meta.url))],
    {
      stdio: ["ignore", "pipe", log, "ipc"],
      // In a process group of its own: Ctrl-C in a terminal is meant for us, and the network is stopped last
      // but for the store.
      detached: true,
      env: {
        ...process.env,
        NODE_NO_WARNINGS: "1",
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(input.dataDir, "compiled"),
        SIMULATOR_PORT: "0",
        SIMULATOR_CONTROL_PORT: String(input.controlPort),
        SIMULATOR_SECRET: randomBytes(16).toString("hex"),
        SIMULATOR_DATA_DIR: join(input.dataDir, "simulator"),
      },
    },
  )
  closeSync(log)
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([once(lines, "line"), once(child, "exit").then(() => undefined)])
  if (!first) return undefined

  const ready = Ready.parse(JSON.parse(String(first[0])))
  const ended = once(child, "exit")
  return {
    pid: child.pid!, // it runs
    url: ready.url,
    tlsUrl: ready.tls_url,
    controlUrl: ready.control_url,
    rootKey: ready.root_key,
    /** The certificate authority that a client must trust for TLS, as media are fetched over it. */
    caFile: resolve(ready.ca_file),
    /** Resolves when it has ended, whether asked to or not. */
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    },
  }
}
