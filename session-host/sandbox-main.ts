import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { spawnSimulator } from "#simulator/spawn.ts"

/**
 * The main program of a sandbox's only task: the simulated network, kept in DATA_DIR, and the host of all
 * bridges on it. The two reach each other within the task, and no other process reaches the network. When one
 * of them ends, the task ends.
 */
const dataDir = resolve(z.string().min(1).parse(process.env.DATA_DIR))
mkdirSync(join(dataDir, "logs"), { recursive: true })
const network = await spawnSimulator({
  dataDir,
  controlPort: 0,
  imports: [import.meta.resolve("#core/platform/faster-node-crypto.ts")],
})
if (!network) throw new Error(`the simulated network did not start: ${dataDir}/logs/simulator.log says why`)

const host = spawn(process.execPath, [fileURLToPath(new URL("main.ts", import.meta.url))], {
  stdio: ["ignore", "inherit", "inherit", "ipc"],
  env: {
    ...process.env,
    HOST_NETWORK: "simulated",
    SIMULATOR_URL: network.url,
    SIMULATOR_ROOT_KEY: network.rootKey,
    NODE_EXTRA_CA_CERTS: network.caFile,
    LOCAL_PARENT: "1",
  },
})
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => host.kill("SIGTERM"))
const [code] = (await Promise.race([once(host, "exit"), network.ended])) as [number | null]
host.kill("SIGTERM")
await network.stop()
process.exit(code ?? 1)
