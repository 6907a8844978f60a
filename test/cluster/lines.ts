import { z } from "zod"
import { apiClient } from "#local/api-client.ts"
import { link } from "#local/link.ts"
import { type NetworkClient, networkClient } from "#local/network-client.ts"
import { type Receiver, startReceiver } from "#test/support/start-receiver.ts"
import { type Options, startCluster } from "./cluster.ts"

/** A bridge, with the phone it is linked to and somebody who writes with it. */
export interface Line {
  bridge: string
  id: string
  /** Numbers. */
  owner: string
  contact: string
  /** Both are in it. */
  group: string
  /** `number:device` of the bridge on the network. */
  device: string
}

/** A cluster with linked bridges of one customer, and the customer's receiver, which answers as `usually` says. */
export async function startLines(
  options: Options,
  { dir, usually }: { dir: string; usually?: Parameters<typeof startReceiver>[0] },
) {
  const cluster = await startCluster(options, dir)
  const receiver = await startReceiver(usually)
  const stop = async () => {
    await receiver.stop()
    await cluster.stop()
  }
  try {
    const network = networkClient(cluster.simulator)
    /** Where the API answers now; each of its processes, unless it was just killed. */
    const apis = () => cluster.api.living().map(({ ready }) => ready.url!) // said by each
    const apiKey = await newAccount(options.bridges)
    const lines: Line[] = []
    for (let i = 1; i <= options.bridges; i++)
      lines.push(await newLine(`b${i}`, { network, receiver, apiKey, api: apis()[0]! }))
    return { cluster, receiver, network, apis, apiKey, lines, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
export type Lines = Awaited<ReturnType<typeof startLines>>

/** An account with a key, made as its operator would. Loaded late: what is imported reads the cluster's environment. */
async function newAccount(bridges: number): Promise<string> {
  const { Account } = await import("#core/account.ts")
  const { ApiKey } = await import("#core/api-key.ts")
  const { id } = await Account.create({ name: "customer", subscription: "active" })
  await Account.setBridgeLimit(id, bridges)
  return await ApiKey.create(id, "test")
}

const Created = z.object({ id: z.string(), webhook_secret: z.string() })
const linkedWithinMs = 60_000

/** A bridge, linked to a phone by its QR code, and somebody who writes with it. */
async function newLine(
  bridge: string,
  {
    network,
    receiver,
    api,
    apiKey,
  }: { network: NetworkClient; receiver: Receiver; api: string; apiKey: string },
): Promise<Line> {
  const call = apiClient(api, apiKey)
  const wanted = { customer_ref: bridge, webhook_url: receiver.urlOf(bridge) }
  const created = Created.parse(await (await call("POST", "/instances", wanted)).json())
  receiver.trust(bridge, created.webhook_secret)

  const owner = await network.create(`Owner ${bridge}`)
  const contact = await network.create(`Contact ${bridge}`)
  await link(bridge, {
    api: call,
    scan: (png) => network.scan(owner.number, png),
    signal: AbortSignal.timeout(linkedWithinMs),
  })
  const { devices } = await network.phone(owner.number)
  const device = devices.find(({ id }) => id > 0)
  const members = [owner.number]
  const group = await network.group({ creator: contact.number, subject: `Group ${bridge}`, members })
  return {
    bridge,
    id: created.id,
    owner: owner.number,
    contact: contact.number,
    group: group.jid,
    device: `${owner.number}:${device!.id}`, // linked above
  }
}
