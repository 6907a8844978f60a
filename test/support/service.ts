import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { apiClient } from "#local/api-client.ts"
import { link } from "#local/link.ts"
import { networkClient } from "#local/network-client.ts"
import { noLimits } from "#local/no-limits.ts"
import { find } from "#local/running.ts"

const linkedWithinMs = 60_000

export type Service = Awaited<ReturnType<typeof startService>>
export type Customer = Awaited<ReturnType<Service["customer"]>>

/**
 * The whole service as `npm start` runs it, in processes of its own, on a data folder of its own. Rate limits are out of
 * the way unless `environment` says otherwise. Whoever starts it stops it.
 */
export async function startService(environment: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "messaging-bridge-service-"))
  const env = { ...process.env, ...noLimits, ...environment }
  const said: Buffer[] = []
  const run = (file: string, args: string[]) => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL(`../../local/${file}`, import.meta.url)), ...args],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...env, DATA_DIR: dataDir, PORT: "0", SIMULATOR_CONTROL_PORT: "0" },
      },
    )
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk))
    return child
  }

  const child = run("start.ts", [])
  child.stdout.on("data", (chunk: Buffer) => said.push(chunk))
  // However this process ends, the service does not outlive it.
  const end = () => void child.kill("SIGTERM")
  process.once("exit", end)
  const ended = once(child, "exit").finally(() => process.off("exit", end))
  await Promise.race([once(child.stdout, "data"), ended])
  const running = await find(dataDir)
  if (!running) throw new Error(`the service did not start: ${Buffer.concat(said).toString()}`)
  const network = networkClient({ controlUrl: running.phonesUrl })

  /** `npm run admin --`; what it prints of a key it prints to its caller, not to the service's output. */
  async function admin<Row>(row: z.ZodType<Row>, ...words: string[]): Promise<Row> {
    const verb = run("admin.ts", ["--json", ...words])
    const printed: Buffer[] = []
    verb.stdout.on("data", (chunk: Buffer) => printed.push(chunk))
    const [code] = await once(verb, "close")
    if (code !== 0) throw new Error(`admin ${words.join(" ")} ended with ${String(code)}`)
    return row.parse(JSON.parse(Buffer.concat(printed).toString())[0])
  }

  /** An account with a key, and what its owner can do; with an active subscription if not said otherwise. */
  async function customer(name: string, about: { bridges?: number; subscription?: "active" | "none" } = {}) {
    const { subscription = "active", bridges } = about
    const { id } = await admin(z.object({ id: z.string() }), "account", "create", name, subscription)
    if (bridges !== undefined) await admin(z.unknown(), "account", "limit", id, String(bridges))
    const { key } = await admin(z.object({ key: z.string() }), "key", "create", id)
    const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      await fetch(`${running!.baseUrl}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const bridge = async (ref: string, more: { webhook_url?: string } = {}) =>
      Made.parse(await (await call("POST", "/instances", { customer_ref: ref, ...more })).json())
    /** Links a bridge to this phone. @returns the picture of the code, as latin1 */
    const linkTo = async (ref: string, number: string): Promise<string> => {
      let qr = ""
      await link(ref, {
        api: apiClient(running!.baseUrl, key),
        scan: (png) => {
          qr = Buffer.from(png).toString("latin1")
          return network.scan(number, png)
        },
        signal: AbortSignal.timeout(linkedWithinMs),
      })
      return qr
    }
    /** A bridge, linked to this phone. */
    const linked = async (ref: string, number: string, more: { webhook_url?: string } = {}) => ({
      ...(await bridge(ref, more)),
      qr: await linkTo(ref, number),
    })
    return { id, key, name, call, bridge, linkTo, linked }
  }

  return {
    dataDir,
    ...running,
    network,
    admin,
    customer,
    pid: child.pid!,
    /** All that its processes printed. */
    said: () => Buffer.concat(said).toString(),
    /** Ends it, and keeps what it wrote until `remove`. */
    async stop(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
      await ended
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

const Made = z.object({
  id: z.string(),
  customer_ref: z.string(),
  webhook_secret: z.string(),
  webhook_url: z.string(),
})

type Call = (method: string, path: string) => Promise<Response>

export async function statusOf(call: Call, ref: string): Promise<string> {
  const answer = await call("GET", `/instances/${ref}/proxy/status`)
  const { status } = z.object({ status: z.string().optional() }).parse(await answer.json())
  return status ?? String(answer.status)
}
