import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { apiClient, type Phone, phonesClient, Unexpected } from "./api-client.ts"
import { privateFile } from "./private-file.ts"
import type { Service } from "./service.ts"

const Seeded = z.object({ accountId: z.string(), apiKey: z.string() })

const ref = "my-bridge"

/**
 * At the first start: an account with a subscription, its key, a bridge, two simulated phones, and the bridge linked
 * to one of them. Later starts find them.
 * @returns what to tell the person who started it.
 */
export async function seed(service: Service, dataDir: string): Promise<string> {
  const { apiKey } = await account(dataDir)
  const api = apiClient(service.baseUrl, apiKey)
  await api("POST", "/instances", { customer_ref: ref })
  if (process.env.HOST_NETWORK === "live") return welcome({ ...service, apiKey, dataDir })

  const phones = phonesClient(service.phonesUrl)
  const owner = await phoneOf(phones, "Grace")
  const contact = await phoneOf(phones, "Ada")
  if (owner.devices.length < 2) await link(api, phones, owner)
  return welcome({ ...service, apiKey, dataDir, owner, contact })
}

async function account(dataDir: string): Promise<z.infer<typeof Seeded>> {
  const { Account } = await import("#core/account.ts")
  const { ApiKey } = await import("#core/api-key.ts")
  return await privateFile(join(dataDir, "account.json"), Seeded, async () => {
    const { id } = await Account.create({ name: "local", subscription: "active" })
    return { accountId: id, apiKey: await ApiKey.create(id, "npm start") }
  })
}

/** Found by name: the network does not keep its phones in order. */
async function phoneOf(phones: ReturnType<typeof phonesClient>, name: string): Promise<Phone> {
  const known = await phones.list()
  return known.find((phone) => phone.name === name) ?? (await phones.create(name))
}

async function link(
  api: ReturnType<typeof apiClient>,
  phones: ReturnType<typeof phonesClient>,
  owner: Phone,
): Promise<void> {
  // While the first session host starts, a call answers 503: on a slow machine for some seconds.
  await patiently(async () => {
    const qr = await api("GET", `/instances/${ref}/proxy/qr`)
    await phones.scan(owner.number, new Uint8Array(await qr.arrayBuffer()))
  })
  await patiently(async () => {
    const answer = await api("GET", `/instances/${ref}/proxy/status`)
    const { status } = z.object({ status: z.string() }).parse(await answer.json())
    if (status !== "connected") throw new Unexpected(`the bridge is ${status}`)
  })
}

/** Until it works, for half a minute at most. */
async function patiently(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + 30_000
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unexpected) || performance.now() > until) throw error
      await sleep(200)
    }
  }
}

function welcome(input: {
  baseUrl: string
  phonesUrl: string
  apiKey: string
  dataDir: string
  owner?: Phone
  contact?: Phone
}): string {
  const { baseUrl, phonesUrl, apiKey, owner, contact } = input
  return [
    "The messaging bridge runs.",
    "",
    `  API       ${baseUrl}   reference: ${baseUrl}/api/docs`,
    `  API key   ${apiKey}`,
    `  bridge    ${ref}${owner ? `, linked to ${owner.name}'s phone` : ""}`,
    ...[owner, contact].flatMap((phone) =>
      phone ? [`  phone     ${phone.number}  ${phone.name}, simulated, at ${phonesUrl}`] : [],
    ),
    "",
    ...(owner && contact ? tour({ ...input, owner, contact }) : toLink(input)),
    "",
    "For the tour in the README:",
    "",
    `  URL=${baseUrl} PHONES=${phonesUrl} KEY=${apiKey}`,
    "",
    `Everything is kept in ${input.dataDir}. Leave it running and use a second terminal; Ctrl-C ends it.`,
  ].join("\n")
}

interface Told {
  baseUrl: string
  phonesUrl: string
  apiKey: string
}

/** Lines to paste, each of them whole. */
function tour(input: Told & { owner: Phone; contact: Phone }): string[] {
  const { baseUrl, phonesUrl, owner, contact } = input
  const bridge = `${baseUrl}/api/instances/${ref}`
  const messages = `${phonesUrl}/phones/${contact.number}/messages`
  const key = `-H 'Authorization: Bearer ${input.apiKey}'`
  const json = "-H 'Content-Type: application/json'"
  return [
    `Send ${contact.name} a message, see that it arrived, let her answer, and see the event of it a moment later:`,
    "",
    `  curl -w '\\n' ${bridge}/proxy/send/text ${key} ${json} -d '{"chat":"${contact.number}","body":"Hello ${contact.name}"}'`,
    `  curl -w '\\n' ${messages}`,
    `  curl -w '\\n' ${messages} ${json} -d '{"to":"${owner.number}","text":"Hello yourself"}'`,
    `  curl -w '\\n' '${bridge}/events?state=inbox' ${key}`,
  ]
}

function toLink(input: Told): string[] {
  const bridge = `${input.baseUrl}/api/instances/${ref}`
  return [
    "Link the bridge to a phone: scan this picture.",
    "",
    `  curl ${bridge}/proxy/qr -H 'Authorization: Bearer ${input.apiKey}' -o qr.png`,
  ]
}
