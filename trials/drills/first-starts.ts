import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { apiClient } from "#one-machine/api-client.ts"
import { accountFile, SeededAccount } from "#one-machine/service/data-folder.ts"
import { type SpawnedService, spawnService } from "#one-machine/service/spawn-service.ts"

const slow = { NODE_OPTIONS: `--import=${new URL("slow-sync.ts", import.meta.url).href}` }
const atOnce = 3

/**
 * The service starts for the first time, three times at once, in a folder on a slow disk; time after time,
 * each in another folder. What the one that runs has stored must be there after the next start.
 * @returns how many rounds had another number of services than one, and in how many something could not be
 * read later
 */
export async function firstStarts(times: number): Promise<{ notOne: number; unreadable: number }> {
  const found = { notOne: 0, unreadable: 0 }
  const folder = mkdtempSync(join(tmpdir(), "messaging-bridge-starts-"))
  for (let n = 1; n <= times; n++) {
    const dataDir = join(folder, String(n))
    // Else a start would make it, and the others of its time with it.
    if (n % 2 === 0) mkdirSync(dataDir, { mode: 0o700 })
    const started = await Promise.allSettled(Array.from({ length: atOnce }, () => start(dataDir, slow)))
    const services = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
    const losers = started.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []))
    if (services.length !== 1 || !losers.every((said) => said.includes(" is in use"))) found.notOne++
    const before = await stored(services[0])
    for (const one of services) await one.stop()
    const again = await start(dataDir).catch(() => undefined)
    if (before === undefined || (await stored(again)) !== before) found.unreadable++
    await again?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  rmSync(folder, { recursive: true })
  return found
}

async function start(dataDir: string, more: Record<string, string> = {}): Promise<SpawnedService> {
  return await spawnService({ dataDir, environment: { HOST_NETWORK: "live", SANDBOX: "0", ...more } })
}

/** What needs each of the service's keys: the answer to an API key, and the secret of a bridge. */
async function stored(service: SpawnedService | undefined): Promise<unknown> {
  if (!service) return undefined
  const { apiKey } = SeededAccount.parse(JSON.parse(readFileSync(accountFile(service.dataDir), "utf8")))
  const api = apiClient(service.baseUrl, apiKey)
  const bridge = (await (await api("GET", "/instances/my-bridge")).json()) as Record<string, unknown>
  return bridge.webhook_secret
}
