import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

interface Package {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  /** A package of this repository. */
  link?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Package // of npm's shape
/** The packages of others in a lock file, by path. */
function othersIn(path: string): [string, Package][] {
  const { packages = {} } = read(path) as { packages?: Record<string, Package> }
  return Object.entries(packages).filter(([at, { link }]) => at.startsWith("node_modules/") && !link)
}

/**
 * The licences that a package of the project may have. libsignal, under Baileys, is the one that makes
 * demands on distributors: see SECURITY.md.
 */
const known = new Set([
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 AND LGPL-3.0-or-later",
  "Apache-2.0 AND LGPL-3.0-or-later AND MIT",
  "(MIT OR CC0-1.0)",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "GPL-3.0",
  "ISC",
  "LGPL-3.0-or-later",
  "Unlicense",
  "MIT",
  "MIT-0",
  "MPL-2.0",
])

test.for(["", "infra/"])("each version in %spackage.json is exact", (folder) => {
  const { dependencies, devDependencies, optionalDependencies } = read(`${folder}package.json`)
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(all.length).toBeGreaterThan(0)
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([])
})

test.for(["", "infra/"])("each package of %spackage-lock.json is npm's, and proven by its hash", (folder) => {
  const packages = othersIn(`${folder}package-lock.json`)
  const strange = packages.filter(
    // A package without an address is the registry's: .npmrc leaves it out.
    ([, { resolved, integrity }]) => resolved !== undefined || !integrity?.startsWith("sha512-"),
  )
  expect(strange.map(([path]) => path)).toEqual([])
})

test("no package is under a licence that has not been looked at", () => {
  const packages = othersIn("package-lock.json")
  expect(packages.filter(([, { license }]) => !known.has(license ?? "")).map(([path]) => path)).toEqual([])
  const strict = packages.filter(([, { license }]) => license === "GPL-3.0").map(([path]) => path)
  expect(strict).toEqual(["node_modules/libsignal"])
})

test("LICENSES.md is what the lock file says", () => {
  const made = execFileSync(process.execPath, ["one-machine/tools/licences.ts"], { encoding: "utf8" })
  expect(readFileSync("LICENSES.md", "utf8")).toBe(made)
})

test.for([
  "one-machine/install-once.mjs",
  "session-host/Dockerfile",
  "one-machine/Dockerfile",
  "one-machine/install",
])("%s runs no scripts of packages", (path) => {
  expect(readFileSync(path, "utf8")).toMatch(/npm.{0,20}ci.{0,40}--ignore-scripts/s)
})
