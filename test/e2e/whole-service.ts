import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { z } from "zod"
import { startService } from "#local/service.ts"
import { Settings } from "#local/settings.ts"
import { phonesAt } from "#test/chaos/phones.ts"
import { until } from "#test/support/until.ts"
import { startWebhook } from "./webhook.ts"

// Read once, when the first module of core is loaded: nobody may be refused for asking too often.
for (const scope of ["PROVISION", "PROXY", "OTHER", "ADDRESS"]) process.env[`RATE_LIMIT_${scope}`] = "1000000"
process.env.LEASE_BEAT_MS ??= "1000"

const run = promisify(execFile)
const adminFile = fileURLToPath(new URL("../../local/admin.ts", import.meta.url))

const Created = z.object({ id: z.string(), webhook_secret: z.string() })
const Phone = z.object({ number: z.string(), jid: z.string(), lid: z.string(), name: z.string() })
export type Phone = z.infer<typeof Phone>
const Sent = z.object({ id: z.string(), error: z.string().optional() })

/** The whole service as `npm start` runs it, a customer's account, and the customer's webhook receiver. */
export async function startWhole() {
  const dataDir = mkdtempSync(join(tmpdir(), "messaging-bridge-whole-"))
  const service = await startService(
    Settings.parse({ PORT: 0, SIMULATOR_CONTROL_PORT: 0, DATA_DIR: dataDir }),
  )
  const webhook = await startWebhook()
  /** Another customer: what he asks of the API. */
  async function customer(subscription: "active" | "none") {
    const apiKey = await newKey(subscription)
    return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      await fetch(`${service.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
  }
  const call = await customer("active")

  /** What the people of the simulated network do. */
  async function control(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${service.phonesUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return await answer.json()
  }

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
    customer,
    control,
    bridge,
    statusOf,
    idOf: async (ref: string) => Created.parse(await (await call("GET", `/api/instances/${ref}`)).json()).id,
    /** What the operator does: `npm run admin -- <verb>`. */
    admin: async (...verb: string[]) =>
      await run(process.execPath, [adminFile, ...verb], { env: { ...process.env, DATA_DIR: dataDir } }),
    phones: phonesAt(service.phonesUrl),
    phone: async (name: string) => Phone.parse(await control("POST", "/phones", { name })),
    /** Writes as this phone; the network has it when this resolves. */
    write: async (from: Phone, to: string, content: Record<string, unknown>) =>
      Sent.parse(await control("POST", `/phones/${from.number}/messages`, { to, ...content })).id,
    /** Links a bridge to a phone by its QR code. */
    link: async (ref: string, phone: Phone) => {
      await until(async () => {
        const qr = await call("GET", `/api/instances/${ref}/proxy/qr`)
        if (!qr.ok) return false
        const image = { method: "POST", headers: { "content-type": "image/png" }, body: await qr.blob() }
        return (await fetch(`${service.phonesUrl}/phones/${phone.number}/scan`, image)).ok
      })
      await until(async () => (await statusOf(ref)) === "connected")
    },
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
