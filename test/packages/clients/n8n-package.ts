import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Each in its exact version. None of them is a dependency of this project: together they are larger than it.
 */
const tools = {
  "@n8n/node-cli": "0.48.3",
  "@n8n/scan-community-package": "0.32.0",
  "n8n-workflow": "2.41.0",
}

/** What the scanner is asked here: it looks at a folder as it would at what npm serves. */
interface Scanner {
  analyzePackage: (folder: string, patterns?: string[]) => Promise<{ passed: boolean; details?: string }>
  SOURCE_FILE_PATTERNS: string[]
}

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ["ignore", "inherit", "inherit"], timeout: 600_000 })
}

/**
 * Builds and packs n8n's package in this folder, which it keeps, past n8n's own linter and scanner.
 * @returns the folder of what is packed
 */
export async function packForN8n(folder: string): Promise<string> {
  const own = join(folder, "package")
  const packed = join(folder, "packed")
  for (const one of [own, packed]) rmSync(one, { recursive: true, force: true })
  mkdirSync(packed, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: tools }))
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder)
  cpSync(new URL("../../../packages/n8n", import.meta.url), own, { recursive: true })
  symlinkSync("../node_modules", join(own, "node_modules"))
  // What the owner fills in when they publish it.
  const about = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { author: object }
  const author = { ...about.author, email: "owner@example.com" }
  writeFileSync(join(own, "package.json"), JSON.stringify({ ...about, author }))

  for (const command of ["build", "lint"]) run(join(own, "node_modules/.bin/n8n-node"), [command], own)
  run("npm", ["pack", "--silent", "--pack-destination", packed], own)
  run("sh", ["-c", "tar xzf *.tgz"], packed)
  const scanner = "node_modules/@n8n/scan-community-package/scanner/scanner.mjs"
  const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(join(folder, scanner))) as Scanner
  for (const [where, patterns] of [
    [own, SOURCE_FILE_PATTERNS] as const,
    [join(packed, "package")] as const,
  ]) {
    const { passed, details } = await analyzePackage(where, patterns)
    if (!passed) throw new Error(`n8n's scanner: ${details}`)
  }
  return join(packed, "package")
}
