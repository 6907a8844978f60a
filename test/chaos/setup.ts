import { z } from "zod"
import { until } from "#test/support/until.ts"
import type { Phones } from "./phones.ts"
import type { Receiver } from "./receiver.ts"
import type { Line } from "./traffic.ts"

const Created = z.object({ id: z.string(), webhook_secret: z.string() })
const Status = z.object({ status: z.string() })

/** An account with a key, made as its operator would. */
export async function newAccount(bridges: number): Promise<string> {
  const { Account } = await import("#core/account.ts")
  const { ApiKey } = await import("#core/api-key.ts")
  const { id } = await Account.create({ name: "chaos", subscription: "active" })
  await Account.setBridgeLimit(id, bridges)
  return await ApiKey.create(id, "chaos")
}

const linkedWithinMs = 60_000

/** A bridge, linked to a phone by its QR code, and somebody who writes with it. */
export async function newLine(
  bridge: string,
  { phones, receiver, api, apiKey }: { phones: Phones; receiver: Receiver; api: string; apiKey: string },
): Promise<Line> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${api}/api/instances${path}`, { ...init, headers })
  const body = JSON.stringify({ customer_ref: bridge, webhook_url: receiver.urlOf(bridge) })
  const created = Created.parse(await (await call("", { method: "POST", body })).json())
  receiver.trust(bridge, created.webhook_secret)

  const owner = await phones.create(`Owner ${bridge}`)
  const contact = await phones.create(`Contact ${bridge}`)
  const withinMs = linkedWithinMs
  const scanned = async () => {
    const qr = await call(`/${bridge}/proxy/qr`)
    return qr.ok && (await phones.scan(owner.number, await qr.arrayBuffer()))
  }
  await until(scanned, { what: `${bridge} linked`, withinMs })
  const isConnected = async () => {
    const answer = await call(`/${bridge}/proxy/status`)
    return answer.ok && Status.parse(await answer.json()).status === "connected"
  }
  await until(isConnected, { what: `${bridge} connected`, withinMs })
  const { devices } = await phones.get(owner.number)
  const device = devices.find(({ id }) => id > 0)
  return {
    bridge,
    id: created.id,
    owner: owner.number,
    contact: contact.number,
    device: `${owner.number}:${device!.id}`, // linked above
  }
}
