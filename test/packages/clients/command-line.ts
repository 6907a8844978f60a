import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, onTestFinished } from "vitest"

/** The folder with the settings of the user who runs the commands. */
export const home = mkdtempSync(join(tmpdir(), "bridge-cli-"))
afterAll(() => rmSync(home, { recursive: true }))

/** What no command may show. */
export const key = "mbk_abcdefghijkl_secretsecretsecretsecretsecret12check1"
export const secret = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U="

/** The command line: from its source, or as `clients:check` has packed it, with a Node of its own. */
const program = process.env.PACKED_CLI?.split(" ") ?? [
  process.execPath,
  new URL("../../../packages/cli/src/main.ts", import.meta.url).pathname,
]

/** Runs a command in a process, signed in to this service. It is killed when its test ends. */
export function run(login: { url: string; key?: string } | undefined, ...args: string[]) {
  const { BRIDGE_URL: _, BRIDGE_KEY: __, WEBHOOK_SECRET: ___, ...env } = process.env
  const [command = "", ...before] = program
  const child = spawn(command, [...before, ...args], {
    env: {
      ...env,
      XDG_CONFIG_HOME: home,
      ...(login && { BRIDGE_URL: login.url, BRIDGE_KEY: login.key ?? key }),
    },
  })
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = endOf(child, said, login?.key ?? key)
  return { child, said, ended }
}

/** Its exit code and what it said, in which there is no secret. */
async function endOf(child: ChildProcess, said: { out: string; err: string }, key: string) {
  const [code] = (await once(child, "close")) as [number | null]
  for (const one of [key, key.slice(-20), secret, "whsec_"]) expect(said.out + said.err).not.toContain(one)
  return { code, ...said }
}
