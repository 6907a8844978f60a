import { execFileSync } from "node:child_process"
import { apiClient } from "../api-client.ts"
import { networkClient } from "../network/client.ts"
import { link } from "../network/link.ts"
import type { Running } from "../service/running.ts"
import { sessionHostPids } from "../service/session-host-pids.ts"
import type { startReceiver } from "./receiver.ts"

interface Input {
  apiKey: string
  receiver: Awaited<ReturnType<typeof startReceiver>>
  count: number
  signal: AbortSignal
  step: (what: string) => void
}

/** How many links run at once: each makes 812 keys. */
const atOnce = 4

/**
 * Many bridges on packed hosts: links each, sends it a message, and then reports what they take up in memory.
 */
export async function manyBridgesStory(running: Running, input: Input): Promise<void> {
  const { receiver, count, signal, step } = input
  const api = apiClient(running.baseUrl, input.apiKey)
  const network = networkClient({ controlUrl: running.phonesUrl })
  const contact = await network.create("Carl")
  const [empty] = await memoryOfHosts(running)
  step(`a session host takes ${empty} MB before them`)

  const owners: string[] = []
  const refs = Array.from({ length: count }, (_, i) => `bridge-${i + 1}`)
  await inTurn(refs, async (ref) => {
    await api("POST", "/instances", { customer_ref: ref, webhook_url: receiver.url })
    const owner = await network.create(ref)
    await link(ref, { api, signal, scan: (png) => network.scan(owner.number, png) })
    owners.push(owner.number)
    if (owners.length % 20 === 0) step(`${owners.length} bridges are linked and connected`)
  })

  await inTurn(owners, async (owner) => {
    await network.send(contact.number, owner, `to ${owner}`)
    await receiver.arrival(({ event }) => event.body === `to ${owner}`, signal)
  })
  step(`each of them got a message, and its webhook came`)

  const hosts = await memoryOfHosts(running)
  const all = hosts.reduce((sum, megabytes) => sum + megabytes, 0)
  step(`${count} bridges on ${hosts.length} session hosts: ${hosts.join(", ")} MB`)
  const own = (all - hosts.length * (empty ?? 0)) / count
  step(
    `memory per bridge: ${(all / count).toFixed(1)} MB with its part of the host, ${own.toFixed(1)} MB of its own`,
  )
}

/** The resident memory of each session host, in MB. */
async function memoryOfHosts(running: Running): Promise<number[]> {
  const pids = await sessionHostPids(running)
  return pids.map((pid) =>
    Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)]).toString()) / 1024),
  )
}

async function inTurn<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
