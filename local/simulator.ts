import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { z } from "zod"

const Ready = z.object({
  url: z.string(),
  control_url: z.string(),
  root_key: z.string(),
  ca_file: z.string(),
})

export type Simulator = NonNullable<Awaited<ReturnType<typeof startSimulator>>>

/** Starts the simulated network as a process of its own: it ends with this one, however this one ends. */
export async function startSimulator(input: { dataDir: string; controlPort: number }) {
  const log = openSync(join(input.dataDir, "logs", "simulator.log"), "a")
  const child = spawn(process.execPath, [fileURLToPath(new URL("../simulator/main.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", log, "ipc"],
    // Not in our process group: Ctrl-C in a terminal is for us, and this one ends last but for the store.
    detached: true,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: "1",
      NODE_COMPILE_CACHE: join(input.dataDir, "compiled"),
      SIMULATOR_PORT: "0",
      SIMULATOR_CONTROL_PORT: String(input.controlPort),
      SIMULATOR_DATA_DIR: join(input.dataDir, "simulator"),
    },
  })
  closeSync(log)
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([once(lines, "line"), once(child, "exit").then(() => undefined)])
  if (!first) return undefined

  const ready = Ready.parse(JSON.parse(String(first[0])))
  const ended = once(child, "exit")
  return {
    pid: child.pid!, // it runs
    url: ready.url,
    controlUrl: ready.control_url,
    rootKey: ready.root_key,
    /** What a client must trust of TLS: media are fetched under it. */
    caFile: resolve(ready.ca_file),
    /** Resolves when it is over, asked or not. */
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    },
  }
}
