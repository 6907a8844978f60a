import { z } from "zod"
import { Unexpected } from "../api-client.ts"
import { networkClient } from "../network/client.ts"
import { link } from "../network/link.ts"
import type { SpawnedService } from "../service/spawn-service.ts"
import { bridgeWithWebhook, type Told } from "./bridge-with-webhook.ts"
import { received } from "./message-kinds.ts"
import type { Arrival } from "./receiver.ts"

/** How long the event of one message may take, ms. */
const patienceMs = 5000

const Sent = z.object({ message_id: z.string() })

/** The smallest picture, a PNG of one pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** Sends of the API: the last part of each path, and its body. */
const sends: [path: string, body: object][] = [
  ["text", { body: "Hello" }],
  ["media", { data: pixel, content_type: "image/png", caption: "A pixel" }],
  ["contact", { contacts: [{ name: "Bo", phone: "4930123456" }] }],
  ["poll", { question: "Lunch?", options: ["soup", "salad"] }],
  ["location", { lat: 52.5, lng: 13.4, name: "Berlin" }],
  ["event", { name: "Party", start_time: 1_900_000_000 }],
]

/** A phone writes messages of most kinds, the API sends most of its own, and the events are listed. */
export async function messagesStory(
  service: SpawnedService,
  { apiKey, receiver, step, signal }: Told,
): Promise<void> {
  const { api, post } = await bridgeWithWebhook(service, { apiKey, receiver })
  await api("PATCH", "/instances/demo", { events: ["message", "message_status"] })
  const network = networkClient({ controlUrl: service.phonesUrl })
  const olga = await network.create("Olga")
  const carl = await network.create("Carl")
  await link("demo", { api, scan: (png) => network.scan(olga.number, png), signal })
  step("a bridge is linked")

  const missing: string[] = []
  /** Prints the event about a message, or notes that a field of it is missing. */
  const follow = async (kind: string, id: string, event: string, fields: string[]) => {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    const came = await receiver.arrival(isAbout(event, id), patience).catch(() => undefined)
    const absent = came ? fields.filter((field) => came.event[field] === undefined) : [`event ${event}`]
    missing.push(...absent.map((field) => `${kind}: ${field}`))
    if (came) console.log(rowOf(kind, came))
  }

  for (const [kind, content, fields] of received) {
    const written = "bytes" in content ? content : { raw: content }
    const { id } = await network.post(carl.number, olga.number, written)
    await follow(kind, id, "message", fields)
  }
  step(`a phone wrote ${received.length} messages`)

  const send = async (path: string, body: object) => {
    const sent = await post(`/instances/demo/proxy/send/${path}`, { chat: carl.number, ...body })
    const { message_id } = Sent.parse(sent)
    const [read] = await network.read(carl.number, { id: message_id, wait: patienceMs })
    if (!read) missing.push(`send/${path}: Carl did not get it`)
    await follow(`send/${path}`, message_id, "message_status", ["status"])
    return message_id
  }
  let first: string | undefined
  for (const [path, body] of sends) {
    const id = await send(path, body)
    first ??= id
  }
  await send("reaction", { emoji: "👍", message_id: first })
  await send("forward", { message_id: first })
  step(`the API sent ${sends.length + 2} messages`)
  if (missing.length > 0) throw new Unexpected(`missing: ${missing.join("; ")}`)
}

function isAbout(event: string, id: string) {
  return (arrival: Arrival) => arrival.event.event === event && arrival.event.message_id === id
}

/** The fields that every message has. */
const usual = new Set(
  "event message_id contact_id phone chat_id chat_lid name username is_group from_me timestamp offline".split(
    " ",
  ),
)

function rowOf(kind: string, { event }: Arrival): string {
  const type = event.event === "message" ? `message/${String(event.type)}` : String(event.event)
  const fields = Object.keys(event).filter((name) => !usual.has(name) && event[name] !== "")
  return [kind.padEnd(28), type.padEnd(18), fields.join(" ")].join(" ")
}
