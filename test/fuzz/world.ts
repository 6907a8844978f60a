import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import sharp from "sharp"
import { z } from "zod"
import { hugeJpeg, hugePng } from "#test/support/bombs.ts"
import { type Customer, type Service, startService } from "#test/support/service.ts"
import { until } from "#test/support/until.ts"
import type { Known } from "./known.ts"
import { watcher } from "./state.ts"

export type World = Awaited<ReturnType<typeof startWorld>>

/** The service, an account to ask with, and another whose strings no answer may hold. */
export async function startWorld() {
  const files = await startFiles()
  const service = await startService()
  const stop = async () => {
    files.stop()
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
const shop = "shop"

async function populated(service: Service, files: string) {
  const [{ ours, owner, contact, messageIds, eventIds }, theirs] = await Promise.all([
    askingAccount(service, files),
    plantedAccount(service),
  ])
  const known: Known = {
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

/** The account that asks: a linked bridge, and one with a webhook. */
async function askingAccount(service: Service, files: string) {
  const { phones } = service
  const ours = await service.customer("ours", 5)
  const owner = await phones.create("Owner")
  const contact = await phones.create("Contact")
  await ours.linked(shop, owner.number)
  await ours.call("POST", "/instances", { customer_ref: "hooked", webhook_url: `${files}/hook` })
  await ours.call("POST", "/instances", { customer_ref: "spare" })
  await phones.send(contact.number, owner.number, "hello")
  const messageIds = [await sendText(ours, shop, contact.number, "ours")]
  const eventIds = await inboxOf(ours, shop, 2)
  return { ours, owner, contact, messageIds, eventIds }
}

/** An account whose every string is its own, and nobody else's. */
async function plantedAccount(service: Service) {
  const theirs = await service.customer(mark())
  const [ref, contactName, heard, said, idempotencyKey] = [mark(), mark(), mark(), mark(), mark()]
  const owner = await service.phones.create("Somebody")
  const contact = await service.phones.create(contactName)
  const bridge = await theirs.linked(ref, owner.number)
  const heardId = (await service.phones.send(contact.number, owner.number, heard)).id
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

/** Found nowhere else. */
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

/** The ids of what is in the inbox of a bridge, once there is so much. */
async function inboxOf(customer: Customer, ref: string, count: number): Promise<string[]> {
  return await until(async () => {
    const answer = await customer.call("GET", `/instances/${ref}/events?state=inbox`)
    const found = Events.parse(await answer.json()).map((event) => event.event_id)
    return found.length >= count && found
  })
}

/** Of the right shape and checksum-less: one character of the secret is another's. */
function swapped(key: string): string {
  const last = key[20] === "a" ? "b" : "a"
  return key.slice(0, 20) + last + key.slice(21)
}

const paths = [
  "/photo.jpg",
  "/photo.jpg",
  "/photo.png",
  "/photo.webp",
  "/voice.ogg",
  "/page.html",
  "/liar.jpg",
]
  .concat([
    "/cut.png",
    "/bomb.png",
    "/bomb.jpg",
    "/gzip",
    "/loop",
    "/away",
    "/inside",
    "/empty",
    "/gone",
    "/reset",
  ])
  .concat(["/%ff", "/a%0d%0ab.pdf", "/%2e%2e%2f%2e%2e%2fpasswd"])

/** A web server with files of all sorts, and a webhook. */
async function startFiles() {
  const files = await filesByPath()
  const server = createServer((request, response) => {
    request.resume()
    const path = request.url ?? "/"
    if (path === "/reset") return void request.socket.resetAndDestroy()
    if (path === "/loop") return void response.writeHead(302, { location: "/loop" }).end()
    if (path === "/away") return void response.writeHead(302, { location: "file:///etc/passwd" }).end()
    if (path === "/inside")
      return void response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end()
    if (path === "/gzip")
      return void response.writeHead(200, { "content-type": "image/jpeg", "content-encoding": "gzip" }).end()
    const file = files.get(path)
    if (!file) return void response.writeHead(path === "/hook" ? 200 : 404).end("words of the other side")
    response.writeHead(200, { "content-type": file.type }).end(file.body)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function filesByPath(): Promise<Map<string, { type: string; body: Buffer }>> {
  const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: "#369" } })
  const png = await picture.png().toBuffer()
  const jpeg = await picture.jpeg().toBuffer()
  return new Map([
    ["/photo.jpg", file("image/jpeg", jpeg)],
    ["/photo.png", file("image/png", png)],
    ["/photo.webp", file("image/webp", await picture.webp().toBuffer())],
    ["/voice.ogg", file("audio/ogg", "OggS and so on")],
    ["/page.html", file("text/html", "<script>alert(1)</script>")],
    ["/liar.jpg", file("image/jpeg", "<script>alert(1)</script>")],
    ["/cut.png", file("image/png", png.subarray(0, 60))],
    ["/bomb.png", file("image/png", hugePng(png))],
    ["/bomb.jpg", file("image/jpeg", hugeJpeg(jpeg))],
    ["/empty", file("image/jpeg", "")],
    ["/%ff", file("application/pdf", "%PDF-1.7")],
    ["/a%0d%0ab.pdf", file("application/pdf", "%PDF-1.7")],
  ])
}

function file(type: string, body: Buffer | string) {
  return { type, body: Buffer.from(body) }
}
