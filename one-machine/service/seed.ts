import type { z } from "zod"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { watch } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { Person } from "#core/account/person.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { config } from "#core/platform/config.ts"
import { apiClient } from "../api-client.ts"
import { networkClient, type NetworkClient, type Phone } from "../network/client.ts"
import { link } from "../network/link.ts"
import { accountFile, SeededAccount } from "./data-folder.ts"
import { readOrCreatePrivate } from "./private-file.ts"
import type { Service } from "./service.ts"
import type { Settings } from "./settings.ts"

const ref = "my-bridge"

/**
 * On a slow machine the first session host takes some seconds to start; a code that is not scanned is
 * replaced after 60 s.
 */
const linkedWithinMs = 90_000

/** The account and bridge that the first start creates and later starts find. */
export interface Seed {
  /** The service's API, called with the account's key. */
  api: ReturnType<typeof apiClient>
  /** The bridge's reference. */
  ref: string
  /** The text for the person who started it. */
  welcome: string
}

/**
 * At the first start: creates an account with a subscription, its key and a bridge. On the simulated network
 * it also creates two phones and links the bridge to one of them.
 */
export async function seed(service: Service, settings: Settings): Promise<Seed> {
  const { DATA_DIR: dataDir } = settings
  const { accountId, apiKey } = await account(dataDir)
  const api = apiClient(service.baseUrl, apiKey)
  await api("POST", "/instances", { customer_ref: ref })
  const signIn = await signInLink(accountId, service.baseUrl)
  const stripeUrl = settings.BILLING === "pretend" ? config.STRIPE_API_BASE : undefined
  const told = { ...service, stripeUrl, apiKey, dataDir, signIn }
  if (settings.HOST_NETWORK === "live") return { api, ref, welcome: live(told) }

  const network = networkClient({ controlUrl: service.phonesUrl })
  const owner = await phoneOf(network, "Grace")
  const contact = await phoneOf(network, "Ada")
  if (owner.devices.length < 2)
    await link(ref, {
      api,
      scan: (png) => network.scan(owner.number, png),
      signal: AbortSignal.timeout(linkedWithinMs),
    })
  return { api, ref, welcome: simulated({ ...told, owner, contact }) }
}

async function account(dataDir: string): Promise<z.infer<typeof SeededAccount>> {
  return await readOrCreatePrivate(accountFile(dataDir), SeededAccount, async () => {
    const { id } = await Account.create({ name: "local", subscription: "active" })
    return { accountId: id, apiKey: await ApiKey.create(id, "npm start") }
  })
}

/** The owner of the seeded account. No mail goes there. */
export const operatorEmail = "operator@bridge.local"

/**
 * A link that signs a browser on this machine in to the seeded account, once. The mails of other sign-ins are
 * printed in the terminal.
 */
async function signInLink(accountId: string, baseUrl: string): Promise<string> {
  // A sign-in mail holds a code, so it is shown on a terminal and never kept in a log file.
  if (process.stdout.isTTY)
    watch(({ to, text }) => console.log(`\nMail to ${to}:\n\n${text.replaceAll(/^/gm, "  ")}\n`))
  await Account.makeOperator(accountId)
  await Member.add(accountId, await Person.findOrMake(operatorEmail), "owner")
  // Passkeys need a name and do not work on an IP address.
  return `${baseUrl.replace("127.0.0.1", "localhost")}/sign-in/link/${await SignIn.newLinkToPrint(operatorEmail)}`
}

/** Found by name, since the network does not keep its phones in order. */
async function phoneOf(network: NetworkClient, name: string): Promise<Phone> {
  const known = await network.phones()
  return known.find((phone) => phone.name === name) ?? (await network.create(name))
}

interface Told {
  baseUrl: string
  phonesUrl: string
  stripeUrl: string | undefined
  apiKey: string
  dataDir: string
  /** Opens the dashboard. */
  signIn: string
}

const key = '-H "Authorization: Bearer $KEY"'
const json = "-H 'Content-Type: application/json'"

/** Lines to paste, each complete in itself. */
function simulated(told: Told & { owner: Phone; contact: Phone }): string {
  const { baseUrl, phonesUrl, stripeUrl, apiKey, owner, contact, signIn } = told
  const bridge = `$URL/api/instances/${ref}`
  return [
    "The messaging bridge runs, on a simulated network. Open this in a browser; it signs you in, once:",
    "",
    `  ${signIn}`,
    "",
    `  API       ${baseUrl}, its reference: ${baseUrl}/api/docs, all else: ${baseUrl}/docs`,
    `  phones    open ${phonesUrl} in a browser: what the simulated phones read, and send`,
    ...(stripeUrl ? [`  Stripe    a pretend one: open ${stripeUrl} to let days pass`] : []),
    `  bridge    ${ref}, linked to ${owner.name}'s phone`,
    "",
    "In a second terminal, paste this first; the tour of docs/first-hour.md needs it, too:",
    "",
    `  URL=${baseUrl} PHONES=${phonesUrl} KEY=${apiKey} GRACE=${owner.number} ADA=${contact.number}`,
    "",
    `Send ${contact.name} a message, see that it arrived, let her answer, and see the event of it a moment later:`,
    "",
    `  curl -w '\\n' ${bridge}/proxy/send/text ${key} ${json} -d '{"chat":"'$ADA'","body":"Hello ${contact.name}"}'`,
    `  curl -w '\\n' $PHONES/phones/$ADA/messages`,
    `  curl -w '\\n' $PHONES/phones/$ADA/messages ${json} -d '{"to":"'$GRACE'","text":"Hello yourself"}'`,
    `  curl -w '\\n' "${bridge}/events?state=inbox" ${key}`,
    "",
    ending(told),
  ].join("\n")
}

function live(told: Told): string {
  const { baseUrl, apiKey, signIn } = told
  return [
    "The messaging bridge runs, on the live network. Use a number that you can afford to lose. Open this in a browser; it",
    "signs you in, once, and the dashboard shows the code to scan:",
    "",
    `  ${signIn}`,
    "",
    `  API       ${baseUrl}, its reference: ${baseUrl}/api/docs, all else: ${baseUrl}/docs`,
    `  bridge    ${ref}`,
    "",
    "In a second terminal, paste this first:",
    "",
    `  URL=${baseUrl} KEY=${apiKey}`,
    "",
    "Link the bridge: on the phone, under linked devices, link a device and scan the code. It changes every 20 seconds:",
    "this terminal shows each while nothing is linked, for five minutes. Later, or as a picture:",
    "",
    `  curl -fsS --retry 9 $URL/api/instances/${ref}/proxy/qr ${key} -o qr.png`,
    `  curl -w '\\n' $URL/api/instances/${ref}/proxy/status ${key}`,
    "",
    ending(told),
  ].join("\n")
}

function ending({ dataDir }: Told): string {
  return `Everything is kept in ${dataDir}. Leave it running; Ctrl-C ends it.`
}
