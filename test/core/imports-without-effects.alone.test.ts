import { execFile } from "node:child_process"
import { globSync } from "node:fs"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { config } from "#core/platform/config.ts"

const modules = globSync("{billing,core,dashboard,functions,session-host}/**/*.ts", {
  exclude: ["**/main.ts", "session-host/sandbox-main.ts"],
})

/**
 * Imports the modules in a process without any environment, and prints the variables that were read and what
 * stayed open.
 */
const script = `
  const read = new Set()
  process.env = new Proxy({}, { get: (_, name) => void read.add(name), has: (_, name) => void read.add(name) })
  // Lambda offers this to functions that stream.
  globalThis.awslambda = { streamifyResponse: (handler) => handler }
  for (const module of JSON.parse(process.argv[1])) await import(module)
  console.log(JSON.stringify({ read: [...read].map(String), open: process.getActiveResourcesInfo() }))
`

/** Compiled before: by other tests, or by the run before. */
const cache = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

test("no import reads a setting or opens anything, so that imports have no order", async () => {
  const paths = modules.map((module) => new URL(`../../${module}`, import.meta.url).href)
  const args = ["--input-type=module", "--eval", script, JSON.stringify(paths)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: cache })
  const { read, open } = JSON.parse(stdout) as { read: string[]; open: string[] } // as the script prints it
  const settings = Object.keys(config)
  expect(settings).toContain("STAGE")
  expect(read.filter((name) => settings.includes(name))).toEqual([])
  // Importing reads files, and pipes lead here.
  expect(open.filter((kind) => kind !== "FSReqCallback" && kind !== "PipeWrap")).toEqual([])
})
