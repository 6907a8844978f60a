import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Pool } from "undici"
import { z } from "zod"
import { EventType } from "#contract/event.ts"
import { apiClient } from "#one-machine/api-client.ts"
import { link } from "#one-machine/network/link.ts"
import { findRunning } from "#one-machine/service/running.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { noRateLimits } from "#one-machine/service/spawn-service.ts"
import { startChild } from "../../child.ts"
import type { Network } from "../network.ts"
import type { Receiver } from "../receiver.ts"
import type { Process } from "../usage.ts"
import { linkLines } from "./link-lines.ts"
import type { Line, Side } from "./side.ts"

const linkedWithinMs = 120_000

interface Input {
  dir: string
  network: Network
  receiver: Receiver
  /** A store in a process of its own. */
  store?: { endpoint: string }
  /** Tells several apart at network and receiver. */
  name?: string
}

interface Ours extends Side {
  /** The customer wants to know what becomes of this bridge's messages. */
  follow: (ref: string) => Promise<void>
  /** Adds a webhook to this bridge. @returns changes its URL */
  addWebhook: (ref: string, url: string) => Promise<(url: string) => Promise<void>>
}

/**
 * This service as `npm start` runs it: a gateway (API, delivery, sweep, queue and, unless it is elsewhere,
 * store) and session hosts.
 */
export async function startOurs({ dir, network, receiver, store, name = "ours" }: Input): Promise<Ours> {
  const dataDir = join(dir, "ours")
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const { url, controlUrl, rootKey, caFile } = network
  const elsewhere = { network: { url, controlUrl, rootKey, caFile }, store }
  const lines: Line[] = []
  let service: Started
  const start = async () => void (service = await startService(elsewhere, { dir, dataDir }))

  await start()
  const { apiKey } = z.object({ apiKey: z.string() }).parse(await service!.gateway.ask(10_000))
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  const apiNow = () => apiClient(service.baseUrl, apiKey)

  async function newBridge({ ref, owner, path }: Omit<Line, "device">): Promise<void> {
    const api = apiNow()
    await api("POST", "/instances", { customer_ref: ref, webhook_url: receiver.urlOf(path) })
    const signal = AbortSignal.timeout(linkedWithinMs)
    await link(ref, { api, scan: (png) => network.control.scan(owner, png), signal })
  }

  return {
    name: "ours",
    lines,
    start,
    link: async (count, progress) =>
      await linkLines(count, { side: name, network, lines, link: newBridge, progress }),
    async send({ ref, contact }, text, key) {
      const answer = await service.pool.request({
        method: "POST",
        path: `/api/instances/${ref}/proxy/send/text`,
        headers: key === undefined ? headers : { ...headers, "idempotency-key": key },
        body: JSON.stringify({ chat: contact, body: text }),
      })
      const said = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(`a send was answered ${answer.statusCode}: ${said}`)
    },
    async follow(ref) {
      await apiNow()("PATCH", `/instances/${ref}`, { events: EventType.options })
    },
    async addWebhook(ref, url) {
      const api = apiNow()
      const made = await api("POST", `/instances/${ref}/webhooks`, { url })
      const { id } = z.object({ id: z.string() }).parse(await made.json())
      return async (next) => void (await api("PATCH", `/instances/${ref}/webhooks/${id}`, { url: next }))
    },
    async processes(): Promise<Process[]> {
      const hosts = (await sessionHostPids(service.running)).map((pid) => ({ role: "hosts", pid }))
      return [{ role: "gateway", pid: service.gateway.pid }, ...hosts]
    },
    stop: async () => {
      await service.pool.destroy()
      await service.gateway.stop()
    },
  }
}

type Started = Awaited<ReturnType<typeof startService>>

/** Its gateway, which starts the session hosts, with connections to its API. */
async function startService(elsewhere: object, { dir, dataDir }: { dir: string; dataDir: string }) {
  const gateway = await startChild(
    new URL("../../../test/support/service/killable-service-main.ts", import.meta.url),
    {
      args: [JSON.stringify(elsewhere)],
      env: {
        ...noRateLimits,
        SANDBOX: "0",
        DATA_DIR: dataDir,
        PORT: "0",
        HOST_NETWORK: "simulated",
        MALLOC_ARENA_MAX: "2", // as `npm start` sets it
      },
      logFile: join(dir, "ours.log"),
    },
  )
  const { baseUrl } = z.object({ baseUrl: z.string() }).parse(gateway.ready)
  const running = await findRunning(dataDir)
  if (!running) throw new Error("the service does not answer")
  return { gateway, baseUrl, running, pool: new Pool(baseUrl, { connections: 512, headersTimeout: 120_000 }) }
}
