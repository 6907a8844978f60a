import sharp from "sharp"
import { z } from "zod"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RouteName, routes } from "#core/contract/routes.ts"
import type { Phone } from "#local/network-client.ts"
import { aFileServer } from "#test/support/files.ts"
import { until } from "#test/support/until.ts"
import { type Ask, asking, type Route, successesOf } from "./asking.ts"
import { emptyIn, type Schema } from "./unsaid.ts"
import { startWhole, type Whole } from "./whole-service.ts"

const all = Object.values(routes).flatMap((group) => Object.entries(group)) as [RouteName, Route][] // as declared there

let whole: Whole
let grace: Phone
let ada: Phone
let bakery: Phone
let group: string
const device = () => `${grace.number}:1`
const business = {
  is_business: true,
  verified_name: "Bakery",
  business_name: "Bakery",
  business_email: "bakery@example.org",
  business_address: "Mill Lane 1",
  redacted_phone: expect.stringMatching(/\d.*∙/) as unknown,
}
const answers = new Map<RouteName, unknown[]>()

beforeAll(async () => {
  whole = await startWhole()
  grace = await whole.network.create("Grace")
  ada = await whole.network.create("Ada")
  await whole.bridge("shop")
  await whole.link("shop", grace)
  bakery = await whole.network.create("Bakery")
  const shown = { name: "Bakery", email: "bakery@example.org", address: "Mill Lane 1" }
  await whole.network.call("PATCH", `/phones/${bakery.number}`, { business: shown, hides_number: true })
  const members = { creator: ada.number, members: [grace.number, bakery.number], subject: "Regulars" }
  group = (await whole.network.group(members)).jid
  await whole.network.call("PATCH", `/groups/${group}`, { by: ada.number, description: "New in" })
}, 60_000)
afterAll(() => whole.stop())

const control = (method: string, path: string, body?: unknown) => whole.network.call(method, path, body)
const adaWrites = (content: Record<string, unknown>) => whole.write(ada, grace.number, content)
const arrived = (id: string) => whole.webhook.event("shop", "message", (event) => event.message_id === id)

/** What Ada's phone has read under this id, or of this kind. */
async function adaReads(match: Record<string, string>): Promise<{ text: string; content: object }[]> {
  const query = new URLSearchParams({ ...match, wait: "10000" })
  const read = await control("GET", `/phones/${ada.number}/messages?${query.toString()}`)
  return read as { text: string; content: object }[] // the control API's
}

/** What the network has got from the bridge's device. */
async function seen(tag: string, attrs: Record<string, string> = {}): Promise<unknown[]> {
  const query = new URLSearchParams({ kind: "in", who: device(), tag, wait: "10000" })
  if (Object.keys(attrs).length > 0) query.set("attrs", JSON.stringify(attrs))
  return (await control("GET", `/log?${query.toString()}`)) as unknown[]
}

const Sent = z.object({ message_id: z.string() })
const idIn = ({ json }: { json: unknown }) => Sent.parse(json).message_id

/** Sends something for others to refer to. */
async function sendText(body: string): Promise<string> {
  const answer = await whole.call("POST", "/api/instances/shop/proxy/send/text", { chat: ada.number, body })
  const id = Sent.parse(await answer.json()).message_id
  await adaReads({ id })
  return id
}

const jpeg = Buffer.from("/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==", "base64")
const face = await sharp({ create: { width: 64, height: 64, channels: 3, background: "#cc9966" } })
  .jpeg()
  .toBuffer()

/** For each route: a call of it, and what it did. A route that is added to the contract without a case does not compile. */
const cases: Record<RouteName, (ask: Ask) => Promise<void>> = {
  createBridge: async (ask) => {
    const body = { customer_ref: "made", webhook_url: whole.webhook.urlOf("made") }
    const made = await ask({ body })
    expect(made).toMatchObject({ status: 201, json: { ...body, state: "running" } })
    expect(await ask({ body: { customer_ref: "made" } })).toMatchObject({ status: 200, json: made.json })
    whole.webhook.trust("made", (made.json as { webhook_secret: string }).webhook_secret)
  },
  listBridges: async (ask) => {
    expect((await ask()).json).toMatchObject([{ customer_ref: "shop" }, { customer_ref: "made" }])
  },
  getBridge: async (ask) => {
    const { json } = await ask()
    expect(json).toMatchObject({ webhook_url: whole.webhook.urlOf("shop"), manager: { health: "healthy" } })
    expect((await ask({ ref: "default" })).json).toEqual(json)
    await whole.admin("bridge", "pause", await whole.idOf("made"))
    expect((await ask({ ref: "made" })).json).toMatchObject({ state: "paused", paused_reason: "manual" })
    await whole.admin("bridge", "wake", await whole.idOf("made"))
  },
  updateBridge: async (ask) => {
    const webhook_url = `${whole.webhook.urlOf("made")}?moved`
    expect((await ask({ ref: "made", body: { webhook_url } })).json).toMatchObject({
      webhook_url,
      inbox: false,
    })
    await whole.call("POST", "/api/instances/made/webhook-test")
    await whole.webhook.event("made", "test")
    const inbox = await ask({ ref: "made", body: { webhook_url: null } })
    expect(inbox.json).toMatchObject({ webhook_url: "", inbox: true })
  },
  removeBridge: async (ask) => {
    await whole.bridge("mistake")
    await ask({ ref: "mistake" })
    expect((await whole.call("GET", "/api/instances/mistake")).status).toBe(404)
  },
  streamLogs: async () => {
    const stream = await whole.call("GET", "/api/instances/shop/logs?tail=100")
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/)
    const lines = linesOf(stream)
    const line = /^data: \d{4}-\d\d-\d\dT[\d:.]+Z INFO /
    await lines.until(new RegExp(`${line.source}session connected$`))
    await whole.call("PATCH", "/api/instances/shop", { webhook_url: `${whole.webhook.urlOf("shop")}?seen` })
    await lines.until(new RegExp(`${line.source}webhook URL changed$`))
    await lines.close()
  },

  status: async (ask) => {
    const { number: phone, jid, lid } = grace
    const told = { status: "connected", jid, lid, name: "Grace", phone }
    await until(async () => (await whole.statusOf("shop")) === "connected")
    expect((await ask()).json).toEqual(told)
  },
  qr: async (ask) => {
    const eve = await whole.network.create("Eve")
    const { headers, bytes } = await ask({ ref: "made" })
    expect(Number(headers.get("x-qr-expires"))).toBeGreaterThan(Date.now() / 1000)
    const scan = { method: "POST", headers: { "content-type": "image/png" }, body: new Uint8Array(bytes) }
    expect((await fetch(`${whole.phonesUrl}/phones/${eve.number}/scan`, scan)).status).toBe(200)
    await until(async () => (await whole.statusOf("made")) === "connected")
  },
  pair: async (ask) => {
    const carl = await whole.network.create("Carl")
    await whole.bridge("typed")
    const { code } = (await ask({ ref: "typed", body: { phone: carl.number } })).json as { code: string }
    await control("POST", `/phones/${carl.number}/link-code`, { code })
    await until(async () => (await whole.statusOf("typed")) === "connected")
  },
  logout: async (ask) => {
    await ask({ ref: "typed" })
    expect(await whole.statusOf("typed")).toBe("unpaired")
    const told = await whole.webhook.event("typed", "disconnected")
    expect(told.reason).toBe("logged_out")
  },

  sendText: async (ask) => {
    const id = idIn(await ask({ body: { chat: ada.number, body: "hello" } }))
    expect(await adaReads({ id })).toMatchObject([{ text: "hello" }])
    const inGroup = idIn(await ask({ body: { chat: group, body: "hello all", mentions: [ada.number] } }))
    expect(await adaReads({ id: inGroup })).toMatchObject([{ text: "hello all" }])
  },
  sendMedia: async (ask) => {
    const { url } = await aFileServer({
      "/plan.pdf": { type: "application/pdf", body: Buffer.from("%PDF-1.7 x") },
    })
    const body = { chat: ada.number, url: `${url}/plan.pdf`, caption: "the plan" }
    const id = idIn(await ask({ body }))
    const [read] = await adaReads({ id })
    expect(JSON.stringify(read!.content)).toContain("the plan")
    const file = await fetch(`${whole.phonesUrl}/phones/${ada.number}/messages/${id}/media`)
    expect(await file.text()).toBe("%PDF-1.7 x")
  },
  sendReaction: async (ask) => {
    const about = await adaWrites({ text: "nice?" })
    await arrived(about)
    const id = idIn(await ask({ body: { chat: ada.number, emoji: "👍", message_id: about } }))
    expect(await adaReads({ id })).toMatchObject([
      { content: { reactionMessage: { text: "👍", key: { id: about } } } },
    ])
  },
  sendPoll: async (ask) => {
    const id = idIn(await ask({ body: { chat: ada.number, question: "When?", options: ["now", "later"] } }))
    const [read] = await adaReads({ id })
    expect(Object.values(read!.content)).toContainEqual(
      expect.objectContaining({ name: "When?", options: [{ optionName: "now" }, { optionName: "later" }] }),
    )
  },
  sendLocation: async (ask) => {
    const id = idIn(
      await ask({ body: { chat: ada.number, lat: 52.5, lng: 13.4, name: "Berlin", address: "Mitte" } }),
    )
    const place = { degreesLatitude: 52.5, degreesLongitude: 13.4, name: "Berlin", address: "Mitte" }
    expect(await adaReads({ id })).toMatchObject([{ content: { locationMessage: place } }])
  },
  sendEvent: async (ask) => {
    const event = { name: "Opening", description: "coffee", start_time: 1_900_000_000 }
    const id = idIn(await ask({ body: { chat: ada.number, ...event } }))
    const { name, description } = event
    expect(await adaReads({ id })).toMatchObject([{ content: { eventMessage: { name, description } } }])
    await adaWrites({ rsvp: { message_id: id, response: "going" } })
    await whole.webhook.event("shop", "event_response", (answer) => answer.event_id === id)
  },
  sendTyping: async (ask) => {
    await ask({ body: { chat: ada.number, state: "recording" } })
    expect(await seen("chatstate")).toMatchObject([
      { stanza: { content: [{ tag: "composing", attrs: { media: "audio" } }] } },
    ])
  },
  revokeMessage: async (ask) => {
    const id = await sendText("wrong chat")
    await ask({ with: { id } })
    const [revocation] = await adaReads({ kind: "protocolMessage" })
    expect(revocation).toMatchObject({ content: { protocolMessage: { key: { id } } } })
  },
  editMessage: async (ask) => {
    const id = await sendText("frist")
    expect(idIn(await ask({ with: { id }, body: { chat: ada.number, body: "first" } }))).toBe(id)
    const [, edit] = await adaReads({ kind: "protocolMessage", count: "2" })
    expect(edit).toMatchObject({ content: { protocolMessage: { key: { id } } } })
    expect(JSON.stringify(edit!.content)).toContain("first")
  },
  readMessage: async (ask) => {
    const id = await adaWrites({ text: "seen?" })
    await arrived(id)
    await ask({ with: { id }, body: { chat: ada.number } })
    expect(await seen("receipt", { id, type: "read" })).toHaveLength(1)
  },
  messageMedia: async (ask) => {
    const data = Buffer.from("a voice")
    const media = { kind: "audio", voice: true, mimetype: "audio/ogg", data: data.toString("base64") }
    const id = await adaWrites({ media })
    await arrived(id)
    const { headers, bytes } = await ask({ with: { id } })
    expect([headers.get("content-type"), bytes.toString()]).toEqual(["audio/ogg", "a voice"])
    expect(headers.get("content-disposition")).toMatch(/^attachment/)
  },

  rejectCall: async (ask) => {
    const { call_id } = (await control("POST", `/phones/${ada.number}/calls`, { to: grace.number })) as {
      call_id: string
    }
    await whole.webhook.event("shop", "call_incoming", (call) => call.call_id === call_id)
    await ask({ with: { id: call_id }, body: { contact_id: ada.jid } })
    const reject = { tag: "reject", attrs: expect.objectContaining({ "call-id": call_id }) as unknown }
    expect(await seen("call")).toMatchObject([{ stanza: { content: [reject] } }])
  },

  listContacts: async (ask) => {
    const contact = { number: ada.number, full_name: "Ada Lovelace", first_name: "Ada" }
    await control("POST", `/phones/${grace.number}/contacts`, contact)
    await until(async () => JSON.stringify((await ask()).json).includes("Ada Lovelace"))
    await whole.write(bakery, grace.number, { text: "open" })
    await until(async () => JSON.stringify((await ask()).json).includes(bakery.jid))
    // Both say more of the baker than a message does.
    for (const path of [`contacts/${bakery.number}`, `groups/${group}`])
      await whole.call("GET", `/api/instances/shop/proxy/${path}`)
    const baker = ((await ask()).json as { jid: string }[]).find(({ jid }) => jid === bakery.jid)
    expect(baker).toMatchObject(business)
    await control("PATCH", `/phones/${ada.number}`, { about: "at sea" })
    await whole.call("GET", `/api/instances/shop/proxy/contacts/${ada.number}`)
    const [first] = (await ask({ with: { limit: 1 } })).json as { jid: string }[]
    const rest = (await ask({ with: { limit: 1000, after: first!.jid } })).json as { jid: string }[]
    expect(rest.map(({ jid }) => jid)).not.toContain(first!.jid)
    const everybody = (await ask()).json as { jid: string }[]
    expect(everybody.map(({ jid }) => jid)).toEqual([first!, ...rest].map(({ jid }) => jid).toSorted())
  },
  checkContacts: async (ask) => {
    const phones = [ada.number, "4915100000000", bakery.number]
    expect((await ask({ body: { phones } })).json).toMatchObject([
      { phone: ada.number, jid: ada.jid, is_on_whatsapp: true, registered: true },
      { phone: "4915100000000", jid: "", is_on_whatsapp: false, registered: false },
      { phone: bakery.number, is_business: true, verified_name: "Bakery", registered: true },
    ])
  },
  getContact: async (ask) => {
    const { json } = await ask({ with: { jid: ada.number } })
    expect(json).toMatchObject({
      jid: ada.jid,
      phone: ada.number,
      full_name: "Ada Lovelace",
      about: "at sea",
    })
    expect((await ask({ with: { jid: bakery.jid } })).json).toMatchObject(business)
  },
  contactAvatar: async (ask) => {
    await control("PATCH", `/phones/${ada.number}`, { picture: jpeg.toString("base64") })
    expect((await ask({ with: { jid: ada.jid } })).bytes.equals(jpeg)).toBe(true)
  },
  getGroup: async (ask) => {
    const { json } = await ask({ with: { jid: group } })
    expect(json).toMatchObject({ jid: group, name: "Regulars", topic: "New in", participants: 3 })
  },

  getProfile: async (ask) => {
    await control("PATCH", `/phones/${grace.number}`, { about: "open" })
    const { number: phone, jid } = grace
    expect((await ask()).json).toEqual({ about: "open", jid, name: "Grace", phone })
  },
  setAbout: async (ask) => {
    await ask({ body: { status: "closed" } })
    const profile = await whole.call("GET", "/api/instances/shop/proxy/profile")
    expect(await profile.json()).toMatchObject({ about: "closed" })
  },
  ownAvatar: async (ask) => {
    await control("PATCH", `/phones/${grace.number}`, { picture: jpeg.toString("base64") })
    expect((await ask()).bytes.equals(jpeg)).toBe(true)
  },
  setAvatar: async (ask) => {
    const { url } = await aFileServer({ "/me.jpg": { type: "image/jpeg", body: face } })
    const { json } = await ask({ body: { url: `${url}/me.jpg` } })
    expect(json).toEqual({ picture_id: expect.stringMatching(/./) as unknown })
    const shown = await whole.call("GET", "/api/instances/shop/proxy/profile/avatar")
    expect(await sharp(await shown.arrayBuffer()).metadata()).toMatchObject({ format: "jpeg", width: 64 })
  },
  removeAvatar: async (ask) => {
    await ask()
    expect((await whole.call("GET", "/api/instances/shop/proxy/profile/avatar")).status).toBe(404)
  },
  profileQr: async (ask) => {
    expect((await ask()).json).toEqual({
      link: expect.stringMatching(/^https:\/\/wa\.me\/qr\/\w+$/) as unknown,
    })
  },
  statusPrivacy: async (ask) => {
    expect((await ask()).json).toEqual([{ is_default: true, list: [], type: "contacts" }])
    await control("PATCH", `/phones/${grace.number}`, { status_hidden_from: [ada.number] })
    expect((await ask()).json).toEqual([
      { is_default: false, list: [], type: "contacts" },
      { is_default: true, list: [ada.jid], type: "blacklist" },
    ])
  },

  setPresence: async (ask) => {
    await ask({ body: { state: "available" } })
    expect(await seen("presence", { type: "available" })).not.toHaveLength(0)
  },
  subscribePresence: async (ask) => {
    await ask({ body: { chat: ada.number } })
    await control("PATCH", `/phones/${ada.number}`, { available: true })
    await whole.webhook.event("shop", "presence", ({ unavailable }) => !unavailable)
  },

  webhookLogs: async (ask) => {
    const Attempts = z.array(
      z.object({ timestamp: z.string(), success: z.boolean(), status_code: z.number() }),
    )
    whole.webhook.refuseNext("shop")
    const refused = await adaWrites({ text: "refused" })
    await arrived(refused)
    const attempts = await until(async () => {
      const logged = Attempts.parse((await ask()).json)
      return logged.some(({ success }) => !success) ? logged : undefined
    })
    expect(attempts.filter(({ success }) => !success)).toMatchObject([{ status_code: 400 }])
    const times = attempts.map(({ timestamp }) => timestamp)
    expect(times).toEqual(times.toSorted().toReversed())
  },
  listEvents: async (ask) => {
    // This bridge has no webhook.
    const { json } = await ask({ ref: "made", with: { state: "inbox", limit: 1 } })
    const [first] = json as { event_id: string }[]
    expect(json).toMatchObject([{ state: "inbox" }])
    const after = { state: "inbox", after: first!.event_id }
    await adaTells("made", "for the inbox")
    await until(async () =>
      JSON.stringify((await ask({ ref: "made", with: after })).json).includes("for the inbox"),
    )
  },
  resendEvent: async (ask) => {
    const logs = await whole.call("GET", "/api/instances/shop/proxy/webhook-logs")
    const attempts = (await logs.json()) as { event_id: string; event: string }[]
    const { event_id } = attempts.find(({ event }) => event === "message")!
    const before = whole.webhook.of("shop").length
    await ask({ with: { event_id } })
    await until(async () => whole.webhook.of("shop").length > before)
  },
  testWebhook: async (ask) => {
    expect((await ask()).json).toMatchObject({ success: true, status_code: 200, event: "test", attempt: 1 })
    await whole.webhook.event("shop", "test")
    whole.webhook.refuseNext("shop")
    const refused = { success: false, status_code: 400, error: "client_error" }
    expect((await ask()).json).toMatchObject(refused)
  },

  healthz: async (ask) => {
    expect((await ask()).json).toEqual({ ok: true })
  },
  debugStats: async (ask) => {
    expect((await ask()).json).toMatchObject({ heap_alloc_mb: expect.any(Number) as unknown })
  },
}

/** Ada writes to the phone that a bridge is linked to. */
async function adaTells(ref: string, text: string): Promise<void> {
  const status = await whole.call("GET", `/api/instances/${ref}/proxy/status`)
  const { phone } = (await status.json()) as { phone: string }
  await whole.write(ada, phone, { text })
}

test.for(all)("%s", async ([name, route]) => {
  expect(cases).toHaveProperty(name)
  await cases[name](asking(whole, route, (json) => answers.set(name, [...(answers.get(name) ?? []), json])))
})

/** The lines of a stream, as they come. */
function linesOf(stream: Response) {
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  return {
    until: async (line: RegExp) => {
      while (!text.split("\n").some((one) => line.test(one))) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`the stream ended before ${line.source}`)
        text += value
      }
    },
    close: () => reader.cancel(),
  }
}

/** What `manager.test.ts` shows. */
const elsewhere = ["getBridge.manager.fail_count"]

test("no answer has a field that is always empty, and every delivery was genuine and as documented", () => {
  const empty = all.flatMap(([name, route]) => {
    const [status] = successesOf(route)
    const schema = route.responses[status!]?.content?.["application/json"]?.schema
    return schema ? emptyIn(name, z.toJSONSchema(schema) as Schema, answers.get(name) ?? []) : []
  })
  expect(empty).toEqual(elsewhere)
  expect(whole.webhook.faults()).toEqual([])
})
