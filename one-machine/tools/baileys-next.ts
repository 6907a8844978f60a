/**
 * `npm run baileys:next`: installs the newest published Baileys into a folder of its own, with a copy of this
 * project, and runs the suites that touch Baileys on it, so that an operator knows before an update. `--
 * <version>` takes that version.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { z } from "zod"

const library = "@whiskeysockets/baileys"
const root = new URL("../../", import.meta.url).pathname
/** Folders that the copy does not need: installed packages, data and history. */
const leftOut = new Set(["node_modules", ".git", ".data", ".sst", ".ci"])

const version = process.argv[2] ?? newest()
const folder = mkdtempSync(join(tmpdir(), "baileys-next-"))
process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
console.log(`${library} ${version}, in ${folder}`)
cpSync(root, folder, { recursive: true, filter: (path) => !leftOut.has(basename(path)) })
run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${library}@${version}`])
process.exitCode = run(
  "npx",
  ["vitest", "run", "test/session-host/whatsapp", "test/session-host/send", "test/session-host/receive"],
  true,
)

/**
 * The highest version, pre-releases included. The tag `latest` names an older line, and the times in
 * registries differ.
 */
function newest(): string {
  const said = execFileSync("npm", ["view", library, "versions", "--json"], { encoding: "utf8" })
  const last = z.array(z.string()).parse(JSON.parse(said)).toSorted(byVersion).at(-1)
  if (last === undefined) throw new Error(`the registry knows no version of ${library}`)
  return last
}

/** `7.0.0-rc.9` comes before `7.0.0-rc14`, and that before `7.0.0`. */
function byVersion(one: string, other: string): number {
  const [parts, others] = [partsOf(one), partsOf(other)]
  const at = parts.findIndex((part, i) => part !== others[i])
  return at < 0 ? 0 : parts[at]! - others[at]!
}

function partsOf(text: string): number[] {
  const [, major, minor, patch, pre] = /^(\d+)\.(\d+)\.(\d+)(?:-\D*(\d*).*)?$/.exec(text) ?? []
  const isFinal = pre === undefined && !text.includes("-")
  return [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0), isFinal ? Infinity : Number(pre ?? 0)]
}

/** @returns how it ended, where that is an outcome. */
function run(command: string, args: string[], mayFail = false): number {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: "inherit" })
  if (status !== 0 && !mayFail) throw new Error(`${command} ${args[0]} failed`)
  return status ?? 1
}
