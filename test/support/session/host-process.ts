import { type ChildProcess, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { Host } from "#core/lease/host.ts"
import type { Network } from "../network/network.ts"
import { until } from "../until.ts"

const main = fileURLToPath(new URL("../../../session-host/main.ts", import.meta.url))

/** A session host as a process of its own, as in production. */
export async function aHostProcess(network: Network, environment: Record<string, string> = {}) {
  const id = randomUUID()
  const child = fork(main, {
    env: {
      ...process.env,
      NODE_OPTIONS: "",
      HOST_ID: id,
      HOST_NETWORK: "simulated",
      SIMULATOR_URL: network.url,
      SIMULATOR_ROOT_KEY: Buffer.from(network.rootKey).toString("hex"),
      LOG_LEVEL: "info",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const said: string[] = []
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk: Buffer) => said.push(chunk.toString()))
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`the host ended: ${said.join("")}`)
    return (await Host.list()).some((host) => host.id === id && host.addr !== "")
  })
  return { id, child, said: () => said.join("") }
}

/** The exit code, once the process has ended. */
export async function exit(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null) return child.exitCode
  const [code] = (await once(child, "exit")) as unknown[] // its first argument
  return code
}
