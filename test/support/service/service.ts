import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { apiClient } from "#one-machine/api-client.ts"
import { networkClient } from "#one-machine/network/client.ts"
import { link } from "#one-machine/network/link.ts"
import { noRateLimits, spawnService } from "#one-machine/service/spawn-service.ts"

const linkedWithinMs = 60_000

export type Service = Awaited<ReturnType<typeof startService>>
export type Customer = ReturnType<typeof customerOf>

/**
 * The whole service as `npm start` runs it, in processes of its own, on a data folder of its own. Rate limits
 * are lifted unless `environment` sets them. The caller must stop it.
 */
export async function startService(environment: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "messaging-bridge-service-"))
  const service = await spawnService({ dataDir, environment: { ...noRateLimits, ...environment } })
  const network = networkClient({ controlUrl: service.phonesUrl })

  return {
    ...service,
    network,
    customer: customersOf({ ...service, network }),
    /** Removes its data, once it is stopped. */
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

/** What customers are made with: the operator of a service, its address, and the phones of its network. */
interface Means {
  admin: Awaited<ReturnType<typeof spawnService>>["admin"]
  baseUrl: string
  network: Pick<ReturnType<typeof networkClient>, "scan">
}

type Owner = { id: string; key: string; name: string } & Omit<Means, "admin">

/** Makes accounts with a key, and their owners' actions. They have an active subscription by default. */
export function customersOf({ admin, baseUrl, network }: Means) {
  return async (name: string, about: { bridges?: number; subscription?: "active" | "none" } = {}) => {
    const { subscription = "active", bridges } = about
    const { id, key } = await admin(NewAccount, "account", "create", name, subscription, "--key")
    if (bridges !== undefined) await admin(z.unknown(), "account", "limit", id, String(bridges))
    return customerOf({ id, key, name, baseUrl, network })
  }
}

/** What an account's owner does, with their key. */
export function customerOf({ id, key, name, baseUrl, network }: Owner) {
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    await fetch(`${baseUrl}/api${path}`, {
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
      api: apiClient(baseUrl, key),
      scan: (png) => {
        qr = Buffer.from(png).toString("latin1")
        return network.scan(number, png)
      },
      signal: AbortSignal.timeout(linkedWithinMs),
    })
    return qr
  }
  /** A bridge linked to this phone. */
  const linked = async (ref: string, number: string, more: { webhook_url?: string } = {}) => ({
    ...(await bridge(ref, more)),
    qr: await linkTo(ref, number),
  })
  return { id, key, name, call, bridge, linkTo, linked }
}

const NewAccount = z.object({ id: z.string(), key: z.string() })

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
