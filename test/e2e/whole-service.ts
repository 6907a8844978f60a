import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { z } from "zod"
import { apiClient } from "#local/api-client.ts"
import { link } from "#local/link.ts"
import { networkClient, type Phone } from "#local/network-client.ts"
import { noLimits } from "#local/no-limits.ts"
import { startService } from "#local/service.ts"
import { Settings } from "#local/settings.ts"
import { startWebhook } from "./webhook.ts"

// Read once, when the first module of core is loaded: nobody may be refused for asking too often.
Object.assign(process.env, noLimits)
process.env.LEASE_BEAT_MS ??= "1000"

const run = promisify(execFile)
const adminFile = fileURLToPath(new URL("../../local/admin.ts", import.meta.url))

const Created = z.object({ id: z.string(), webhook_secret: z.string() })
const linkedWithinMs = 50_000

/** The whole service as `npm start` runs it, a customer's account, and the customer's webhook receiver. */
export async function startWhole() {
  const dataDir = mkdtempSync(join(tmpdir(), "messaging-bridge-whole-"))
  const service = await startService(
    Settings.parse({ PORT: 0, SIMULATOR_CONTROL_PORT: 0, DATA_DIR: dataDir }),
  )
  const webhook = await startWebhook()
  const network = networkClient({ controlUrl: service.phonesUrl })
  const callWith =
    (apiKey: string) =>
    async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      await fetch(`${service.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
  const apiKey = await newKey("active")
  const call = callWith(apiKey)

  /** A bridge whose events come to the webhook. */
  async function bridge(ref: string): Promise<{ id: string }> {
    const answer = await call("POST", "/api/instances", {
      customer_ref: ref,
      webhook_url: webhook.urlOf(ref),
    })
    const created = Created.parse(await answer.json())
    webhook.trust(ref, created.webhook_secret)
    return created
  }

  const statusOf = async (ref: string) => {
    const answer = await call("GET", `/api/instances/${ref}/proxy/status`)
    const { status } = z.object({ status: z.string().optional() }).parse(await answer.json())
    return status ?? `HTTP ${answer.status}`
  }

  return {
    ...service,
    dataDir,
    webhook,
    /** What the first customer asks of the API. */
    call,
    /** Another customer: what he asks of the API. */
    customer: async (subscription: "active" | "none") => callWith(await newKey(subscription)),
    bridge,
    statusOf,
    idOf: async (ref: string) => Created.parse(await (await call("GET", `/api/instances/${ref}`)).json()).id,
    /** What the operator does: `npm run admin -- <verb>`. */
    admin: async (...verb: string[]) =>
      await run(process.execPath, [adminFile, ...verb], { env: { ...process.env, DATA_DIR: dataDir } }),
    network,
    /** Writes as this phone; the network has it when this resolves. */
    write: async (from: Phone, to: string, content: object) =>
      (await network.post(from.number, to, content)).id,
    /** Links a bridge to a phone by its QR code. */
    link: async (ref: string, phone: Phone) =>
      await link(ref, {
        api: apiClient(service.baseUrl, apiKey),
        scan: (png) => network.scan(phone.number, png),
        signal: AbortSignal.timeout(linkedWithinMs),
      }),
    stop: async () => {
      webhook.stop()
      await service.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
export type Whole = Awaited<ReturnType<typeof startWhole>>

/** As the operator makes it. Loaded late: what is imported reads the environment of the service. */
async function newKey(subscription: "active" | "none"): Promise<string> {
  const { Account } = await import("#core/account.ts")
  const { ApiKey } = await import("#core/api-key.ts")
  const { id } = await Account.create({ name: "customer", subscription })
  return await ApiKey.create(id, "test")
}
