import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { findPython } from "#test/packages/clients/python.ts"
import type { Made } from "./judge.ts"
import type { Stage } from "./stage.ts"

/**
 * The folder of an environment that has these packages.
 * @returns undefined without a Python of at least 3.10
 */
export async function homeOf({ folder }: Stage, packages: string[]): Promise<string | undefined> {
  const python = findPython()
  if (python === undefined) return undefined
  const home = join(folder, packages[0]!.replaceAll(/\W/g, "-"))
  if (existsSync(home)) return home
  await run(python, ["-m", "venv", home])
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
  await run(join(home, "bin/python"), [...pip, ...packages])
  return home
}

/**
 * Runs a judge in Python, in an environment that has its client. The script finds what it needs in `STAGE`,
 * as JSON, and prints a line of JSON for each call: `{"call": "...", "why": "..."}`.
 * @returns undefined without a Python of at least 3.10
 */
export async function runPython(
  stage: Stage,
  { packages, script, about }: { packages: string[]; script: URL; about: object },
): Promise<Made[] | undefined> {
  const home = await homeOf(stage, packages)
  if (home === undefined) return undefined
  const made: Made[] = []
  await run(
    join(home, "bin/python"),
    [script.pathname],
    { STAGE: JSON.stringify(about), HOME: stage.folder, PYTHONDONTWRITEBYTECODE: "1" },
    (line) => made.push(JSON.parse(line) as Made),
  )
  return made
}

async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  hear: (line: string) => void = () => {},
): Promise<void> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 600_000,
  })
  createInterface({ input: child.stdout }).on("line", hear)
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${args.slice(0, 3).join(" ")} failed: the lines above say why`)
}
