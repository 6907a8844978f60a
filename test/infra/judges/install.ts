import { spawn } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { listen } from "#one-machine/listen.ts"
import { run } from "../install-sst.ts"

/** Where the judges are installed: they are no part of the project, and bigger than it. */
const folder = fileURLToPath(new URL("../../../node_modules/.cache/judges", import.meta.url))
const python = join(folder, "python")
const packages = [
  "moto[server]==5.2.5",
  "cfn-lint==1.58.0",
  "parliament==1.6.4",
  "checkov==3.3.30",
  "setuptools<81",
]
/** For each step; a busy machine takes a quarter of an hour. */
const withinS = 3600
const dynoxide = { version: "3.2.0", features: "native-sqlite,http-server,cli" }

/** The judges' programs. */
export const programs = {
  dynoxide: join(folder, "bin/dynoxide"),
  python: join(python, "bin/python"),
  moto: join(python, "bin/moto_server"),
  cfnLint: join(python, "bin/cfn-lint"),
  parliament: join(python, "bin/parliament"),
  checkov: join(python, "bin/checkov"),
}

/**
 * Installs what is missing, by name and version from PyPI and crates.io. It needs Python 3.10 or newer and
 * Rust's cargo, and ends this process where one is missing.
 */
export function installJudges(): void {
  mkdirSync(folder, { recursive: true })
  if (!existsSync(programs.checkov)) {
    run("python3", ["-m", "venv", "--clear", python], withinS)
    run(join(python, "bin/pip"), ["install", "--quiet", "--no-compile", ...packages], withinS)
  }
  if (existsSync(programs.dynoxide)) return
  const { version, features } = dynoxide
  const only = ["--no-default-features", "--features", features]
  run(
    "cargo",
    ["install", "dynoxide-rs", "--version", version, "--locked", ...only, "--root", folder],
    withinS,
  )
}

/** Starts moto for the account and region that a stage is evaluated for. */
export async function startMoto(): Promise<{ endpoint: string; stop: () => void }> {
  const port = await freePort()
  const server = spawn(programs.moto, ["-H", "127.0.0.1", "-p", String(port)], {
    // The store's requests are signed for a region of their own on one machine.
    env: { ...process.env, MOTO_ACCOUNT_ID: "111122223333", MOTO_ALLOW_NONEXISTENT_REGION: "true" },
    stdio: "ignore",
  })
  const endpoint = `http://127.0.0.1:${port}`
  while (
    !(await fetch(`${endpoint}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`moto ended with ${server.exitCode}`)
    await sleep(100)
  }
  return { endpoint, stop: () => server.kill() }
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  return port
}
