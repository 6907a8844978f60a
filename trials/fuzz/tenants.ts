import { randomBytes } from "node:crypto"
import { z } from "zod"
import { type Customer, type Service, startService } from "#test/support/service/service.ts"
import { until } from "#test/support/until.ts"
import { paths, startFileServer } from "./file-server.ts"
import type { KnownValues } from "./known-values.ts"
import { watcher } from "./visible-state.ts"

export type Tenants = Awaited<ReturnType<typeof startTenants>>

/** The service, an account that asks, and another one whose strings no answer may contain. */
export async function startTenants() {
  const files = await startFileServer()
  const service = await startService()
  const stop = async () => {
    await files.stop()
    await service.stop()
    service.remove()
  }
  try {
    return { service, stop, ...(await populated(service, files.url)) }
  } catch (error) {
    await stop()
    throw error
  }
}

const Sent = z.object({ message_id: z.string() })
const Events = z.array(z.object({ event_id: z.string() }))
const Reported = z.object({ reported: z.object({ status: z.string() }) })
const shop = "shop"

async function populated(service: Service, files: string) {
  const [{ ours, owner, contact, messageIds, eventIds }, theirs] = await Promise.all([
    askingAccount(service, files),
    plantedAccount(service),
  ])
  const known: KnownValues = {
    shop,
    spares: ["hooked", "spare", "another", "x".repeat(64), "-_"],
    chats: [
      contact.number,
      `+${contact.number}`,
      `${contact.number}@s.whatsapp.net`,
      owner.number,
      "120363041234567890@g.us",
      "4999000111222",
    ],
    phones: [contact.number, owner.number, "4999000111222", `+${contact.number}`],
    messageIds,
    eventIds,
    urls: paths.map((path) => `${files}${path}`),
    webhookUrls: [`${files}/hook`, `${files}/gone`, "http://127.0.0.1:1/", "", null],
    foreign: theirs.foreign,
    wrongKeys: [`${ours.key.slice(0, -1)}_`, swapped(ours.key), theirs.revoked, "mbk_", "x".repeat(4000)],
  }
  return {
    ours,
    known,
    canaries: theirs.canaries,
    ourState: watcher(service, ours, shop, owner.number),
    theirState: theirs.state,
  }
}

/** The account that asks: it has a linked bridge, and one with a webhook. */
async function askingAccount(service: Service, files: string) {
  const { network } = service
  const ours = await service.customer("ours", { bridges: 5 })
  const owner = await network.create("Owner")
  const contact = await network.create("Contact")
  await ours.linked(shop, owner.number)
  await ours.call("PATCH", `/instances/${shop}`, { keep: 30 })
  await ours.call("POST", "/instances", { customer_ref: "hooked", webhook_url: `${files}/hook` })
  await ours.call("POST", "/instances", { customer_ref: "spare" })
  // The first reports of their sessions would look like changes that a request has made.
  for (const ref of ["hooked", "spare"]) await until(async () => await isReported(ours, ref))
  await network.send(contact.number, owner.number, "hello")
  const messageIds = [await sendText(ours, shop, contact.number, "ours")]
  const eventIds = await inboxOf(ours, shop, 2)
  return { ours, owner, contact, messageIds, eventIds }
}

/** An account all of whose strings occur nowhere else. */
async function plantedAccount(service: Service) {
  const theirs = await service.customer(mark())
  const [ref, contactName, heard, said, idempotencyKey] = [mark(), mark(), mark(), mark(), mark()]
  const owner = await service.network.create("Somebody")
  const contact = await service.network.create(contactName)
  const bridge = await theirs.linked(ref, owner.number)
  const heardId = (await service.network.send(contact.number, owner.number, heard)).id
  const saidId = await sendText(theirs, ref, contact.number, said, { "idempotency-key": idempotencyKey })
  const eventIds = await inboxOf(theirs, ref, 2)
  const Key = z.object({ key: z.string() })
  const { key: revoked } = await service.admin(Key, "key", "create", theirs.id)
  await service.admin(z.unknown(), "key", "revoke", theirs.id, revoked.slice(4, 16))
  return {
    revoked,
    foreign: {
      refs: [ref, bridge.id],
      messageIds: [heardId, saidId],
      eventIds,
      idempotencyKeys: [idempotencyKey],
      numbers: [contact.number, owner.number],
    },
    canaries: [
      [ref, contactName, heard, said, heardId, saidId, bridge.id, bridge.webhook_secret],
      [theirs.id, theirs.name, theirs.key.slice(17), eventIds],
    ].flat(2),
    state: watcher(service, theirs, ref, owner.number),
  }
}

async function isReported(customer: Customer, ref: string): Promise<boolean> {
  const answer = await customer.call("GET", `/instances/${ref}`)
  return Reported.safeParse(await answer.json()).success
}

/** A string that is found nowhere else. */
function mark(): string {
  return `canary${randomBytes(8).toString("hex")}`
}

async function sendText(
  customer: Customer,
  ref: string,
  chat: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await customer.call("POST", `/instances/${ref}/proxy/send/text`, { chat, body }, headers)
  return Sent.parse(await answer.json()).message_id
}

/** The ids of the messages in a bridge's inbox, once there are this many. */
async function inboxOf(customer: Customer, ref: string, count: number): Promise<string[]> {
  return await until(async () => {
    const answer = await customer.call("GET", `/instances/${ref}/events?state=inbox`)
    const found = Events.parse(await answer.json()).map((event) => event.event_id)
    return found.length >= count && found
  })
}

/** A key of the right shape with a wrong checksum: one character of its secret is changed. */
function swapped(key: string): string {
  const last = key[20] === "a" ? "b" : "a"
  return key.slice(0, 20) + last + key.slice(21)
}
