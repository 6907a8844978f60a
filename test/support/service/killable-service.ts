import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { noRateLimits } from "#one-machine/service/spawn-service.ts"
import { bareEnvironment } from "#test/support/bare-environment.ts"

export interface Running {
  baseUrl: string
  /** Makes an account for so many bridges. @returns its key */
  newAccount: (bridges: number) => Promise<string>
  /** SIGKILL, if it is not asked to end by another. Its session hosts end with it. */
  kill: (signal?: "SIGTERM" | "SIGKILL") => Promise<void>
}

const program = new URL("./killable-service-main.ts", import.meta.url)

/**
 * The service as `npm start` runs it on this folder, in processes of its own. @throws Error with what it
 * printed
 */
export async function start(
  network: object,
  {
    dataDir,
    beat,
    output,
    environment,
  }: {
    dataDir: string
    beat: number
    output: string
    environment?: Record<string, string> | undefined
  },
): Promise<Running> {
  const log = openSync(output, "a")
  const child = fork(program, [JSON.stringify({ network })], {
    env: {
      ...process.env,
      ...noRateLimits,
      DATA_DIR: dataDir,
      PORT: "0",
      SANDBOX: "0",
      LEASE_BEAT_MS: String(beat),
      NODE_NO_WARNINGS: "1",
      // Node compiles the modules once for all starts. It would make the data folder, open to everybody.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? `${output}.compiled`,
      ...environment,
    },
    stdio: ["ignore", log, log, "ipc"],
    detached: true,
  })
  closeSync(log)
  const ended = once(child, "exit")
  const { baseUrl } = z.object({ baseUrl: z.string() }).parse(await answerOf(child, ended, output))
  return {
    baseUrl,
    newAccount: async (bridges) => {
      child.send(bridges)
      return z.object({ apiKey: z.string() }).parse(await answerOf(child, ended, output)).apiKey
    },
    kill: async (signal = "SIGKILL") => {
      child.kill(signal)
      await ended
    },
  }
}

async function answerOf(child: ChildProcess, ended: Promise<unknown>, output: string): Promise<unknown> {
  const answer = await Promise.race([once(child, "message"), ended.then(() => undefined)])
  if (!answer) throw new Error(`the service has ended: ${readFileSync(output, "utf8").slice(-2000)}`)
  return answer[0]
}

const main = fileURLToPath(new URL("../../../admin/main.ts", import.meta.url))

/** `npm run admin -- --json` with these words. It may be killed; its code is then null. */
export function admin(environment: Record<string, string>, ...words: string[]) {
  const child = spawn(process.execPath, [main, "--json", ...words], {
    env: { ...bareEnvironment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const ended = Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)])
  return {
    kill: () => child.kill("SIGKILL"),
    ended: ended.then(([[code], out, said]) => ({ code: code as number | null, out, said })),
  }
}
