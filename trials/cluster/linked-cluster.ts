import { z } from "zod"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { apiClient } from "#one-machine/api-client.ts"
import { type NetworkClient, networkClient } from "#one-machine/network/client.ts"
import { link } from "#one-machine/network/link.ts"
import { accountPath, type Receiver, startReceiver } from "#test/support/service/start-receiver.ts"
import { type Around, companions, peopleFor, type Shape } from "./account-shapes.ts"
import { type Options, startCluster } from "./cluster.ts"

/** A bridge, with the phone it is linked to and a contact who writes with it. */
export interface LinkedBridge {
  bridge: string
  id: string
  /** The names of its further webhooks, and of its account's, as the receiver has them. */
  webhooks: string[]
  /** Numbers. */
  owner: string
  contact: string
  /** Both are in it. */
  group: string
  /** `number:device` of the bridge on the network. */
  device: string
  /** A bridge that is the contact's companion, where the contact has one. */
  companion: string | undefined
}

/**
 * How the names of those further webhooks end that refuse everything, or take their time; and of the one with
 * batches.
 */
export const deadWebhook = "-dead"
export const slowWebhook = "-slow"
const batchWebhook = "-batch"
const furtherNames = [deadWebhook, slowWebhook, batchWebhook, "-4"]

interface Receiving {
  usually?: Parameters<typeof startReceiver>[0]
  /** The host in the URL of a bridge's webhook; by default an address of this machine. */
  hostOf?: (bridge: string) => string
}

/**
 * A cluster with linked bridges of one customer, and the customer's receiver, which answers as `usually`
 * says.
 */
export async function startLinkedCluster(
  options: Options & { shape?: Shape; webhooks?: number; hasAccountWebhook?: boolean },
  { dir, usually, hostOf }: Receiving & { dir: string },
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
    const { shape = "small" } = options
    const apiKey = await newAccount(options.bridges + companions)
    const around = await peopleFor(shape, network)
    const { hasAccountWebhook = false } = options
    if (hasAccountWebhook) await addAccountWebhook(apiClient(apis()[0]!, apiKey), receiver)
    const lines: LinkedBridge[] = []
    for (let i = 1; i <= options.bridges; i++)
      lines.push(
        await newLine(`b${i}`, {
          network,
          receiver,
          apiKey,
          api: apis()[0]!,
          around,
          hasCompanion: shape === "real" && i <= companions,
          hostOf,
          webhooks: options.webhooks ?? 1,
          hasAccountWebhook,
        }),
      )
    /** The API as the customer calls it. */
    const api = () => apiClient(apis()[0]!, apiKey)
    return { cluster, receiver, network, apis, api, apiKey, lines, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
export type LinkedCluster = Awaited<ReturnType<typeof startLinkedCluster>>

/** An account with a key, made as its operator would. */
async function newAccount(bridges: number): Promise<string> {
  const { id } = await Account.create({ name: "customer", subscription: "active" })
  await Account.setBridgeLimit(id, bridges)
  return await ApiKey.create(id, "test")
}

/** The account gets a webhook for all its bridges, before there is one. */
async function addAccountWebhook(call: ReturnType<typeof apiClient>, receiver: Receiver): Promise<void> {
  const added = await call("POST", "/webhooks", { url: receiver.urlOf(accountPath) })
  receiver.trust(accountPath, z.object({ secret: z.string() }).parse(await added.json()).secret)
}

const Created = z.object({ id: z.string(), webhook_secret: z.string() })
const linkedWithinMs = 60_000

/** Makes a bridge, linked to a phone by its QR code, and a contact who writes with it. */
export async function newLine(
  bridge: string,
  {
    network,
    receiver,
    api,
    apiKey,
    around,
    hasCompanion,
    hostOf,
    webhooks = 1,
    hasAccountWebhook = false,
  }: {
    network: NetworkClient
    receiver: Receiver
    api: string
    apiKey: string
    around: Around
    hasCompanion: boolean
    hostOf: Receiving["hostOf"]
    /** How many it has in all. */
    webhooks?: number
    /** Whether its account has one besides. */
    hasAccountWebhook?: boolean
  },
): Promise<LinkedBridge> {
  const call = apiClient(api, apiKey)
  const wanted = { customer_ref: bridge, webhook_url: receiver.urlOf(bridge, hostOf?.(bridge)) }
  const created = Created.parse(await (await call("POST", "/instances", wanted)).json())
  receiver.trust(bridge, created.webhook_secret)
  const further = furtherNames.slice(0, webhooks - 1).map((name) => `${bridge}${name}`)
  for (const name of further) {
    const batch = name.endsWith(batchWebhook) ? 50 : null
    const added = await call("POST", `/instances/${bridge}/webhooks`, { url: receiver.urlOf(name), batch })
    receiver.trust(name, z.object({ secret: z.string() }).parse(await added.json()).secret)
  }

  const owner = await network.create(`Owner ${bridge}`)
  const contact = await network.create(`Contact ${bridge}`)
  const people = around.book.map((number, n) => ({ number, full_name: `Contact ${n}` }))
  if (people.length > 0) await network.addressBook(owner.number, people)
  const linkTo = async (ref: string, { number }: { number: string }) =>
    await link(ref, {
      api: call,
      scan: (png) => network.scan(number, png),
      signal: AbortSignal.timeout(linkedWithinMs),
    })
  await linkTo(bridge, owner)
  const companion = hasCompanion ? `${bridge}-contact` : undefined
  if (companion) {
    await call("POST", "/instances", { customer_ref: companion })
    await linkTo(companion, contact)
  }
  const { devices } = await network.phone(owner.number)
  const device = devices.find(({ id }) => id > 0)
  const members = [owner.number, ...around.members]
  const group = await network.group({ creator: contact.number, subject: `Group ${bridge}`, members })
  return {
    bridge,
    id: created.id,
    webhooks: [...further, ...(hasAccountWebhook ? [`${bridge}-${accountPath}`] : [])],
    owner: owner.number,
    contact: contact.number,
    group: group.jid,
    device: `${owner.number}:${device!.id}`, // linked above
    companion,
  }
}
