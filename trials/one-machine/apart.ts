import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Unexpected } from "#one-machine/api-client.ts"

/**
 * Runs `work` in this program, started a second time by the script `apart`: as root, in namespaces of its
 * own. What it needs of Debian is installed first.
 * @param name of its control groups
 * @returns the exit code: 1 when something is not as it should be, 3 when the machine cannot run it
 */
export async function apart(name: string, packages: string[], work: () => Promise<void>): Promise<number> {
  if (process.env.APART !== undefined) return await saying(work)
  const isDebian = process.platform === "linux" && process.getuid?.() === 0 && has("apt-get")
  if (!isDebian) {
    console.error("this machine cannot: it takes root on Debian, or on a Linux made from it")
    return 3
  }
  const wanted = ["iproute2", "iptables", ...packages].filter((one) => !isInstalled(one))
  if (wanted.length > 0) {
    execFileSync("apt-get", ["update", "--quiet=2"], { stdio: "inherit" })
    const how = ["install", "--yes", "--quiet=2", "--no-install-recommends"]
    execFileSync("apt-get", [...how, ...wanted], { stdio: "inherit" })
  }
  const script = fileURLToPath(new URL("apart", import.meta.url))
  const child = spawn(script, [name, process.execPath, ...process.argv.slice(1)], { stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill("SIGTERM"))
  const [code] = (await once(child, "exit")) as [number | null]
  return code ?? 1
}

export async function saying(work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error
    console.error(error.message)
    return 1
  }
}

function has(command: string): boolean {
  try {
    execFileSync("which", [command], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

function isInstalled(name: string): boolean {
  try {
    const said = execFileSync("dpkg-query", ["--show", "--showformat=${db:Status-Status}", name], {
      stdio: ["ignore", "pipe", "ignore"],
    })
    return said.toString() === "installed"
  } catch {
    // It was never there.
    return false
  }
}
