import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const infra = fileURLToPath(new URL("../../infra", import.meta.url))

/** SST would look for Docker and bun, call home, and ask a machine's metadata for credentials. */
const quiet = {
  SST_SKIP_DEPENDENCY_CHECK: "1",
  SST_NO_BUN: "1",
  SST_TELEMETRY_DISABLED: "1",
  SST_STAGE: "check",
  AWS_EC2_METADATA_DISABLED: "true",
}

/** `sst install` writes SST's components to `.sst/platform`, with npm alone and without an account. */
export function installSst(): void {
  installBundler()
  run("npx", ["--no", "--", "sst", "install"], 300, infra)
}

/** The bundler that SST's program has built into it comes with SST's package. */
export function installBundler(): void {
  if (!existsSync(`${infra}/node_modules/esbuild`)) run("npm", ["ci", "--ignore-scripts"], 300, infra)
}

/** Ends this process where the command fails, or takes longer. */
export function run(command: string, args: string[], seconds: number, cwd = root): void {
  console.log(`> ${command} ${args.join(" ")}`)
  const env = { ...process.env, ...quiet }
  const { status, signal } = spawnSync(command, args, { cwd, env, stdio: "inherit", timeout: seconds * 1000 })
  if (status === 0) return
  console.error(signal ? `not done within ${seconds} s` : `failed: ${command} ${args.join(" ")}`)
  process.exit(1)
}
