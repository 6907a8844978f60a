import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { z } from "zod"

/**
 * Installs the newest published Baileys into a folder of its own, with a copy of this project, and runs the suites of
 * `session-host/baileys` on it: so an operator knows before an update. `npm run baileys:next -- <version>` takes another.
 */
const name = "@whiskeysockets/baileys"
const root = new URL("..", import.meta.url).pathname
/** Folders that the copy does not need: installed packages, data and history. */
const leftOut = new Set(["node_modules", ".git", ".data", ".sst", ".ci"])

const version = process.argv[2] ?? newest()
const folder = mkdtempSync(join(tmpdir(), "baileys-next-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
console.log(`${name} ${version}, in ${folder}`)
cpSync(root, folder, { recursive: true, filter: (path) => !leftOut.has(basename(path)) })
run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`])
process.exitCode = run("npx", ["vitest", "run", "--project", "parts", "test/session-host/baileys"], true)

/** By the time of its publication: the newest need not be what the tag `latest` names. */
function newest(): string {
  const said = execFileSync("npm", ["view", name, "time", "--json"], { encoding: "utf8" })
  const times = z.record(z.string(), z.string()).parse(JSON.parse(said))
  const versions = Object.entries(times).filter(([each]) => /^\d/.test(each))
  const last = versions.toSorted(([, a], [, b]) => Date.parse(b) - Date.parse(a))[0]
  if (!last) throw new Error(`the registry knows no version of ${name}`)
  return last[0]
}

/** @returns how it ended, where that is an outcome. */
function run(command: string, args: string[], mayFail = false): number {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: "inherit" })
  if (status !== 0 && !mayFail) throw new Error(`${command} ${args[0]} failed`)
  return status ?? 1
}
