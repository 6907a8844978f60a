import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Service } from "../../support/service/service.ts"

const root = new URL("../../../", import.meta.url).pathname

/** A Python that the SDK runs on, if this machine has one. */
export function findPython(): string | undefined {
  const is3Point10 = "import sys; sys.exit(sys.version_info < (3, 10))"
  return ["python3", "python3.13", "python3.12", "python3.11", "python3.10"].find(
    (name) => spawnSync(name, ["-c", is3Point10]).status === 0,
  )
}

/** Installs the SDK and what its tests need with pip, in this folder. @returns the Python that has them */
export async function installPython(python: string, folder: string): Promise<string> {
  const own = join(folder, "python/bin/python")
  await run(python, ["-m", "venv", join(folder, "python")])
  await run(own, [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "./packages/sdk-python[test]",
  ])
  return own
}

/** Checks the SDK's types, and tests it against the service. */
export async function checkPython(own: string, folder: string, service: Service): Promise<void> {
  const { key, linked } = await service.customer("python")
  const owner = (await service.network.create("Owner")).number
  const friend = (await service.network.create("Friend")).number
  await linked("shop", owner)
  const env = {
    BRIDGE_URL: service.baseUrl,
    BRIDGE_KEY: key,
    PHONES_URL: service.phonesUrl,
    OWNER: owner,
    FRIEND: friend,
    PYTHONDONTWRITEBYTECODE: "1",
  }
  const cache = join(folder, "mypy")
  await run(own, ["-m", "mypy", "--strict", "--cache-dir", cache, "packages/sdk-python/src"])
  await run(own, ["-m", "mypy", "--strict", "--cache-dir", cache, "test/packages/clients/python"])
  await run(own, ["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "test/packages/clients/python"], env)
}

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 600_000,
  })
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`${args.slice(1, 3).join(" ")} failed: the lines above say why`)
}
