import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { findRunning, type Running } from "#one-machine/service/running.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"
import { until } from "../until.ts"

/** The settings that have no default. */
export const fitting = { PUBLIC_URL: "https://wa.example.com", OPERATOR_EMAIL: "operator@example.com" }

/** `npm run serve` without npm, on the simulated network. It is stopped when the test ends. */
export function serve(
  environment: Record<string, string>,
  { sources = process.cwd(), folder = mkdtempSync(join(tmpdir(), "bridge-serve-")) } = {},
) {
  const child = spawn(process.execPath, ["one-machine/serve.ts"], {
    cwd: sources,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...bareEnvironment,
      DATA_DIR: folder,
      LISTEN: "127.0.0.1:0",
      SIMULATOR_CONTROL_PORT: "0",
      HOST_NETWORK: "simulated",
      ...environment,
    },
  })
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
  return { child, folder, ended, said: () => said }
}

/** Resolves once it answers. @throws when it ends instead, with what it said */
export async function runs(service: ReturnType<typeof serve>): Promise<Running> {
  let running: Running | undefined
  await until(async () => {
    if (service.child.exitCode !== null) throw new Error(service.said())
    running = await findRunning(service.folder)
    return running !== undefined
  })
  return running!
}
