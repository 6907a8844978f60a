import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { Unexpected } from "../api-client.ts"
import { findRunning } from "./running.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

export type SpawnedService = Awaited<ReturnType<typeof spawnService>>

/**
 * The whole service as `npm start` runs it: in processes of its own, on free ports. The caller must stop it;
 * it does not outlive this process.
 * @throws Unexpected when it does not start, with its output
 */
export async function spawnService(input: { dataDir: string; environment?: Record<string, string> }) {
  const { dataDir } = input
  const env = { ...process.env, ...input.environment }
  const said: Buffer[] = []
  const run = (file: "one-machine/start.ts" | "admin/main.ts", ...args: string[]) => {
    const child = spawn(process.execPath, [join(root, file), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, DATA_DIR: dataDir, PORT: "0", SIMULATOR_CONTROL_PORT: "0", PRETEND_STRIPE_PORT: "0" },
    })
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk))
    return child
  }

  const child = run("one-machine/start.ts")
  child.stdout.on("data", (chunk: Buffer) => said.push(chunk))
  const end = () => void child.kill("SIGTERM")
  process.once("exit", end)
  const ended = once(child, "exit").finally(() => process.off("exit", end))
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
    await ended
  }
  await Promise.race([once(child.stdout, "data"), ended])
  let running = await findRunning(dataDir)
  // On a busy machine the first answer may take longer than `findRunning` waits.
  for (let tries = 1; !running && child.exitCode === null && tries < 10; tries++)
    running = await findRunning(dataDir)
  // Where another service runs in this folder, it is that one that was found.
  if (!running || child.exitCode !== null) {
    await stop()
    throw new Unexpected(`the service did not start: ${Buffer.concat(said).toString()}`)
  }

  return {
    dataDir,
    ...running,
    pid: child.pid!, // it runs
    /**
     * Runs `npm run admin --` and returns the first row that the verb prints. Its output does not count as
     * the service's.
     */
    admin: async <Row>(row: z.ZodType<Row>, ...words: string[]): Promise<Row> => {
      const verb = run("admin/main.ts", "--json", ...words)
      const printed: Buffer[] = []
      verb.stdout.on("data", (chunk: Buffer) => printed.push(chunk))
      const [code] = await once(verb, "close")
      if (code !== 0)
        throw new Unexpected(`npm run admin -- ${words.join(" ")} failed: ${said.at(-1)?.toString()}`)
      return z.tuple([row], z.unknown()).parse(JSON.parse(Buffer.concat(printed).toString()))[0]
    },
    /** Everything that its processes printed. */
    said: () => Buffer.concat(said).toString(),
    /** Ends it, and keeps its data. */
    stop,
    /** Resolves when it has ended, whether asked to or not. */
    ended,
  }
}

/**
 * Settings that lift the rate limits, for a program that asks more than any customer would, from one address.
 */
export const noRateLimits: Record<string, string> = Object.fromEntries(
  ["PROVISION", "PROXY", "OTHER", "ADDRESS"].map((scope) => [`RATE_LIMIT_${scope}`, "1000000"]),
)
