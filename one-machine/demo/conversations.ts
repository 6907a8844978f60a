import { z } from "zod"
import { Unexpected } from "../api-client.ts"
import { networkClient } from "../network/client.ts"
import { link } from "../network/link.ts"
import type { SpawnedService } from "../service/spawn-service.ts"
import { bridgeWithWebhook, type Told } from "./bridge-with-webhook.ts"
import type { Arrival } from "./receiver.ts"

const Sent = z.object({ message_id: z.string() })
const Form = z.object({
  file: z.string(),
  upload: z.object({ url: z.string(), fields: z.record(z.string(), z.string()) }),
})

/**
 * A group is made, a file goes to two chats, what becomes of it is followed, and a dead webhook delays
 * nothing.
 */
export async function conversationsStory(
  service: SpawnedService,
  { apiKey, receiver, step, signal }: Told,
): Promise<void> {
  const { api, post } = await bridgeWithWebhook(service, { apiKey, receiver })
  await api("PATCH", "/instances/demo", { events: ["message", "message_status", "group"] })
  await post("/instances/demo/webhooks", { url: "http://127.0.0.1:1/nobody-is-here" })
  step("a bridge has two webhooks: nobody answers at the second")

  const network = networkClient({ controlUrl: service.phonesUrl })
  const [olga, carl, dora] = [
    await network.create("Olga"),
    await network.create("Carl"),
    await network.create("Dora"),
  ]
  await link("demo", { api, scan: (png) => network.scan(olga.number, png), signal })
  const members = [carl.number, dora.number]
  const made = await post("/instances/demo/proxy/groups", { name: "Harvest", members })
  const { jid } = z.object({ group: z.object({ jid: z.string() }) }).parse(made).group
  await receiver.arrival(isOf("group", { chat_id: jid }), signal)
  step("POST groups made a group of three, and the webhook `group` came")

  const asked = { content_type: "text/plain", filename: "baskets.txt" }
  const { file, upload } = Form.parse(await post("/instances/demo/files", asked))
  const form = new FormData()
  for (const [name, value] of Object.entries(upload.fields)) form.set(name, value)
  form.set("file", new Blob(["apples 12, pears 7"]))
  const { status } = await fetch(upload.url, { method: "POST", body: form })
  if (status !== 204) throw new Unexpected(`the form was answered with ${status}`)
  const ids = []
  for (const chat of [jid, carl.number])
    ids.push(Sent.parse(await post("/instances/demo/proxy/send/media", { chat, file })).message_id)
  for (const id of ids) {
    await network.read(carl.number, { id, wait: 10_000 })
    const { data } = await network.file(carl.number, id)
    if (String(data) !== "apples 12, pears 7") throw new Unexpected("Carl has another file")
  }
  step("an uploaded file went to the group and to Carl, who opened it in both chats")

  const [inGroup = "", toCarl = ""] = ids
  const read = (number: string, chat: string, id: string) =>
    network.call("POST", `/phones/${number}/read`, { chat, from: olga.number, message_ids: [id] })
  await network.read(dora.number, { id: inGroup, wait: 10_000 })
  for (const { number } of [carl, dora]) await read(number, jid, inGroup)
  await read(carl.number, olga.number, toCarl)
  await receiver.arrival(isOf("message_status", { message_id: toCarl, status: "read" }), signal)
  const { event } = await receiver.arrival(
    (arrival) => isOf("message_status", { message_id: inGroup, status: "read" })(arrival) && isByAll(arrival),
    signal,
  )
  const statuses = receiver.arrivals.filter(isOf("message_status", { message_id: toCarl }))
  const said = statuses.map((arrival) => arrival.event.status).join()
  if (!/^sent,(?:delivered,)?read$/.test(said)) throw new Unexpected(`the statuses came as ${said}`)
  step(`statuses came up to "read": of Carl, and of all ${recipientsOf(event)} in the group`)

  const dead = await api("GET", "/instances/demo/webhooks")
  const all = z
    .array(z.object({ id: z.string(), failing_since: z.number().optional() }))
    .parse(await dead.json())
  if (all.every(({ failing_since }) => failing_since === undefined))
    throw new Unexpected("the dead webhook is not known to fail")
  if (!receiver.arrivals.every(({ genuine }) => genuine)) throw new Unexpected("a signature is not genuine")
  step(`the dead webhook fails, and delayed none of the ${receiver.arrivals.length} events of the other`)
}

/** Whether an arrival is of this type, and has these fields. */
function isOf(type: string, fields: Record<string, string>) {
  return ({ event }: Arrival) =>
    event.event === type && Object.entries(fields).every(([name, value]) => event[name] === value)
}

const Counts = z.object({ recipients: z.number(), read: z.number() })

function isByAll({ event }: Arrival): boolean {
  const { recipients, read } = Counts.parse(event.counts)
  return read === recipients
}

function recipientsOf(event: Arrival["event"]): number {
  return Counts.parse(event.counts).recipients
}
