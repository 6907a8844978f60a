import { expect } from "vitest"
import { z } from "zod"
import { SessionStatus } from "#contract/session.ts"
import { until } from "#test/support/until.ts"
import type { Ask } from "../asking.ts"
import type { CasesOf } from "./cases.ts"
import { ada, adaWrites, arrived, grace, whole } from "./stage.ts"

/** The further webhook of the bridge `shop`, while it has one. */
let second: { id: string; secret: string }
/** A webhook with everything that one may choose, for a chat in which no messages are written. */
let full: { id: string }
/** A webhook in another gateway's format, for the same chat. */
let foreign: { id: string }
const inFormat = {
  chats: ["491700000000"],
  format: "waha",
  format_options: { events: ["message"], media: true, path_per_event: false, hmac_key: "k" },
}
/** The account's webhook, while it has one. */
let ofAll: typeof second

export const bridges: CasesOf<"Bridges" | "Session" | "Events" | "Account" | "Debug"> = {
  createBridge: async (ask) => {
    const body = { customer_ref: "made", webhook_url: whole.webhook.urlOf("made") }
    const made = await ask({ body })
    expect(made).toMatchObject({ status: 201, json: { ...body, state: "running" } })
    expect(await ask({ body: { customer_ref: "made" } })).toMatchObject({ status: 200, json: made.json })
    whole.webhook.trust("made", (made.json as { webhook_secret: string }).webhook_secret)
  },
  listBridges: async (ask) => {
    expect((await ask()).json).toMatchObject([{ customer_ref: "shop" }, { customer_ref: "made" }])
    const first = await ask({ with: { limit: 1 } })
    expect(first.json).toMatchObject([{ customer_ref: "made" }])
    const after = first.headers.get("x-next-after")!
    expect((await ask({ with: { after } })).json).toMatchObject([{ customer_ref: "shop" }])
  },
  getBridge: async (ask) => {
    const { json } = await ask()
    expect(json).toMatchObject({
      webhook_url: whole.webhook.urlOf("shop"),
      manager: { health: "healthy" },
    })
    expect((await ask({ ref: "default" })).json).toEqual(json)
    const pacing = { new_chats_a_day: 1000 }
    const proxy_url = "http://ada:word@127.0.0.1:9"
    await whole.call("PATCH", "/api/instances/made", { ignore: ["status"], pacing, keep: 30, proxy_url })
    await whole.admin("bridge", "pause", await whole.idOf("made"))
    const rolled = await whole.call("POST", "/api/instances/made/webhook-secret/roll")
    const { webhook_secret } = (await rolled.json()) as { webhook_secret: string }
    whole.webhook.trust("made", webhook_secret)
    const paused = {
      state: "paused",
      paused_reason: "manual",
      ignore: ["status"],
      pacing,
      proxy_url: "***",
      keep: 30,
      webhook_secret,
    }
    expect((await ask({ ref: "made" })).json).toMatchObject(paused)
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
    const told = { events: ["message", "connected"], ignore: ["status", "groups"] }
    expect((await ask({ ref: "made", body: told })).json).toMatchObject({ webhook_url, ...told })
    expect(await (await whole.call("GET", "/api/instances/made")).json()).toMatchObject(told)
    const back = { ignore: [], pacing: null, keep: 7, proxy_url: null }
    expect((await ask({ ref: "made", body: { events: null, ...back } })).json).toMatchObject(back)
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
    await whole.call("PATCH", "/api/instances/shop", {
      webhook_url: `${whole.webhook.urlOf("shop")}?seen`,
    })
    await lines.until(new RegExp(`${line.source}webhook URL changed$`))
    await lines.close()
  },

  status: async (ask) => {
    const { number: phone, jid, lid } = grace
    const told = { status: "connected", jid, lid, name: "Grace", phone }
    await until(async () => (await whole.statusOf("shop")) === "connected")
    expect((await ask()).json).toEqual(told)

    const { devices } = await whole.network.phone(grace.number)
    const device = `${grace.number}:${devices.find(({ connected, id }) => connected && id > 0)!.id}`
    await whole.network.notice(device, { kind: "restricted", about: ada.number })
    await whole.network.settled(device, 10_000)
    await until(async () => {
      const { restriction, restricted_until } = (await ask()).json as {
        restriction?: string
        restricted_until?: number
      }
      return restriction === "new_chats" && Number(restricted_until) > Date.now() / 1000
    })
    await whole.network.notice(device, { kind: "unrestricted", about: ada.number })
  },
  qr: async (ask) => {
    const eve = await whole.network.create("Eve")
    const { headers, bytes } = await ask({ ref: "made" })
    expect(Number(headers.get("x-qr-expires"))).toBeGreaterThan(Date.now() / 1000)
    await whole.network.scan(eve.number, new Uint8Array(bytes))
    await until(async () => (await whole.statusOf("made")) === "connected")
  },
  pair: async (ask) => {
    const carl = await whole.network.create("Carl")
    await whole.bridge("typed")
    const { code } = (await ask({ ref: "typed", body: { phone: carl.number } })).json as { code: string }
    await whole.network.typeCode(carl.number, code)
    await until(async () => (await whole.statusOf("typed")) === "connected")
  },
  passkey: async (ask) => {
    const olga = await whole.network.create("Olga")
    const at = `/phones/${olga.number}/passkey`
    await whole.network.call("POST", at)
    await whole.bridge("asked")
    const png = await whole.call("GET", "/api/instances/asked/proxy/qr")
    const scanned = whole.network.scan(olga.number, new Uint8Array(await png.arrayBuffer()))
    await expect(scanned).rejects.toThrow("passkey_required")
    const { options } = await until(async () => {
      const answer = await whole.call("GET", "/api/instances/asked/proxy/status")
      return SessionStatus.parse(await answer.json()).passkey
    })
    const assertion = await whole.network.call("POST", `${at}/assertions`, { challenge: options.challenge })
    await ask({ ref: "asked", body: assertion })
    await until(async () => (await whole.statusOf("asked")) === "connected")
  },
  logout: async (ask) => {
    await ask({ ref: "typed" })
    expect(await whole.statusOf("typed")).toBe("unpaired")
    const told = await whole.webhook.event("typed", "disconnected")
    expect(told.reason).toBe("logged_out")
  },

  createLinkSession: async (ask) => {
    const body = { expected_phone: "491711234567", return_url: "https://shop.example/" }
    const { url } = (await ask({ ref: "typed", body })).json as { url: string }
    expect(url).toMatch(/^https?:.*\/link\/[\w-]{43}$/)
  },

  webhookLogs: async (ask) => {
    const Attempts = z.array(
      z.object({ timestamp: z.string(), success: z.boolean(), status_code: z.number() }),
    )
    whole.webhook.refuseNext("shop", "message")
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
    const stream = await whole.call("GET", "/api/instances/made/events?type=message", undefined, {
      accept: "text/event-stream",
      "last-event-id": first!.event_id,
    })
    const lines = linesOf(stream)
    await lines.until(/^data: .*"for the inbox"/)
    await adaTells("made", "while it is watched")
    await lines.until(/^data: .*"while it is watched"/)
    await lines.close()
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
    whole.webhook.refuseNext("shop", "test")
    const refused = { success: false, status_code: 400, error: "client_error" }
    expect((await ask()).json).toMatchObject(refused)
  },
  listDeliveries: async (ask) => {
    expect((await ask()).json).toMatchObject({ waiting: 0 })
    await whole.call("PATCH", "/api/instances/made", { webhook_url: "http://127.0.0.1:1/nobody" })
    await until(async () => (await whole.statusOf("made")) === "connected")
    await adaTells("made", "for nobody")
    await until(async () => (await waiting(ask)).next_attempt_at)
    expect((await waiting(ask)).failing_since).toBeGreaterThan(1_700_000_000)
  },
  getDelivery: async (ask) => {
    const logs = await whole.call("GET", "/api/instances/shop/proxy/webhook-logs")
    const attempts = (await logs.json()) as { event_id: string; event: string; success: boolean }[]
    const { event_id } = attempts.find(({ success, event }) => !success && event === "message")!
    // Attempts are written down a moment after they were made.
    const shown = async () => (await ask({ with: { event_id } })).json
    await expect.poll(shown).toMatchObject({
      body: expect.stringContaining(`"event":"message"`) as unknown,
      attempts: [
        { answer: "ignored", status_code: 400 },
        { resend: true, status_code: 200 },
      ],
    })
  },
  retryDelivery: async (ask) => {
    const { event_id, count } = await head("made")
    await ask({ ref: "made", with: { event_id } })
    await until(async () => (await head("made")).count > count)
  },
  skipDelivery: async (ask) => {
    const { event_id } = await head("made")
    await ask({ ref: "made", with: { event_id } })
    expect((await head("made")).event_id).not.toBe(event_id)
    await whole.call("PATCH", "/api/instances/made", { webhook_url: null })
  },
  resendSince: async (ask) => {
    whole.webhook.refuseNext("shop", "message")
    await arrived(await adaWrites({ text: "given up" }))
    await until(async () => (await undelivered("shop")) > 0)
    const before = whole.webhook.of("shop").length
    const { count } = (await ask({ body: { since: 0 } })).json as { count: number }
    expect(count).toBeGreaterThan(0)
    await until(async () => whole.webhook.of("shop").length >= before + count)
  },
  resendEverywhere: async (ask) => {
    whole.webhook.refuseNext("shop", "message")
    await arrived(await adaWrites({ text: "given up too" }))
    await until(async () => (await undelivered("shop")) > 0)
    const before = whole.webhook.of("shop").length
    const { count } = (await ask({ body: { since: 0 } })).json as { count: number }
    expect(count).toBeGreaterThan(0)
    await until(async () => whole.webhook.of("shop").length >= before + count)
  },
  listWebhooks: async (ask) => {
    const headers = { "X-Api-Key": "k" }
    const asked = {
      url: whole.webhook.urlOf("whole"),
      ignore: ["groups"],
      chats: ["491711234567"],
      headers,
      batch: 9,
    }
    const made = await whole.call("POST", "/api/instances/typed/webhooks", asked)
    const { id } = (await made.json()) as { id: string }
    await whole.call("POST", "/api/instances/typed/webhooks", {
      url: whole.webhook.urlOf("other"),
      ...inFormat,
    })
    const { json } = await ask({ ref: "typed" })
    expect(json).toMatchObject([
      { id: "first" },
      { id, chats: ["491711234567@s.whatsapp.net"], headers: { "X-Api-Key": "***" } },
      { format: "waha", format_options: { ...inFormat.format_options, hmac_key: "***" } },
    ])
    for (const further of (json as { id: string }[]).slice(1))
      await whole.call("DELETE", `/api/instances/typed/webhooks/${further.id}`)
  },
  createWebhook: async (ask) => {
    const chosen = { ignore: ["status"], chats: ["491700000000"], batch: 9, headers: { "X-Api-Key": "k" } }
    full = (await ask({ body: { url: whole.webhook.urlOf("full"), ...chosen } })).json as { id: string }
    foreign = (await ask({ body: { url: whole.webhook.urlOf("foreign"), ...inFormat } })).json as {
      id: string
    }
    const { json } = await ask({ body: { url: whole.webhook.urlOf("second") } })
    second = json as { id: string; secret: string }
    whole.webhook.trust("second", second.secret)
    await arrived(await adaWrites({ text: "to two webhooks" }))
    await whole.webhook.event("second", "message", ({ body }) => body === "to two webhooks")
  },
  getWebhook: async (ask) => {
    expect((await ask({ with: { webhook_id: full.id } })).json).toMatchObject({ id: full.id, batch: 9 })
    expect((await ask({ with: { webhook_id: foreign.id } })).json).toMatchObject({ format: "waha" })
    expect((await ask({ with: { webhook_id: second.id } })).json).toMatchObject({
      id: second.id,
      state: "active",
    })
  },
  updateWebhook: async (ask) => {
    const webhook_id = second.id
    await ask({ with: { webhook_id: full.id }, body: { batch: 10 } })
    const changed = await ask({ with: { webhook_id: foreign.id }, body: { format: "evolution" } })
    expect(changed.json).toMatchObject({ format: "evolution", format_options: {} })
    await ask({ with: { webhook_id: foreign.id }, body: inFormat })
    const { json } = await ask({ with: { webhook_id }, body: { state: "paused" } })
    expect(json).toMatchObject({ state: "paused" })
    await arrived(await adaWrites({ text: "while it is paused" }))
    await ask({ with: { webhook_id }, body: { state: "active" } })
    await whole.webhook.event("second", "message", ({ body }) => body === "while it is paused")
  },
  removeWebhook: async (ask) => {
    for (const { id } of [second, full, foreign]) await ask({ with: { webhook_id: id } })
    const left = await whole.call("GET", "/api/instances/shop/webhooks")
    expect(await left.json()).toMatchObject([{ id: "first" }])
  },
  rollSecret: async (ask) => {
    const { webhook_secret } = (await ask({ ref: "typed" })).json as { webhook_secret: string }
    const bridge = await whole.call("GET", "/api/instances/typed")
    expect(await bridge.json()).toMatchObject({ webhook_secret })
  },
  finishSecret: async (ask) => {
    await ask({ ref: "typed" })
    const bridge = await whole.call("GET", "/api/instances/typed")
    expect(await bridge.json()).not.toHaveProperty("secret_overlap_until")
  },

  listAccountWebhooks: async (ask) => {
    const headers = { "X-Api-Key": "k" }
    const asked = { url: whole.webhook.urlOf("all-typed"), ignore: ["groups"], ...inFormat, headers }
    const made = await whole.call("POST", "/api/webhooks", asked)
    const { id } = (await made.json()) as { id: string }
    expect((await ask()).json).toMatchObject([
      { id, chats: ["491700000000@s.whatsapp.net"], headers: { "X-Api-Key": "***" }, format: "waha" },
    ])
    await whole.call("PATCH", `/api/webhooks/${id}`, { format: null, batch: 9 })
    expect((await ask()).json).toMatchObject([{ id, batch: 9 }])
    await whole.call("DELETE", `/api/webhooks/${id}`)
  },
  createAccountWebhook: async (ask) => {
    const chosen = { ignore: ["status"], chats: ["491700000000"], headers: { "X-Api-Key": "k" } }
    for (const more of [{ batch: 9 }, inFormat]) {
      const { json } = await ask({ body: { url: whole.webhook.urlOf("all-typed"), ...chosen, ...more } })
      await whole.call("DELETE", `/api/webhooks/${(json as { id: string }).id}`)
    }
    ofAll = (await ask({ body: { url: whole.webhook.urlOf("all") } })).json as typeof second
    whole.webhook.trust("all", ofAll.secret)
    await arrived(await adaWrites({ text: "to the account" }))
    const event = await whole.webhook.event("all", "message", ({ body }) => body === "to the account")
    expect(event).toMatchObject({ customer_ref: "shop" })
  },
  getAccountWebhook: async (ask) => {
    const asked = { url: whole.webhook.urlOf("all-typed"), ignore: ["groups"], headers: { A: "k" } }
    const made = await whole.call("POST", "/api/webhooks", { ...asked, ...inFormat })
    const { id } = (await made.json()) as { id: string }
    const { json } = await ask({ with: { webhook_id: id } })
    expect(json).toMatchObject({ id, state: "active", format: "waha" })
    await whole.call("PATCH", `/api/webhooks/${id}`, { format: null, batch: 9 })
    expect((await ask({ with: { webhook_id: id } })).json).toMatchObject({ batch: 9 })
    await whole.call("DELETE", `/api/webhooks/${id}`)
  },
  updateAccountWebhook: async (ask) => {
    const webhook_id = ofAll.id
    const chosen = { ignore: ["groups"], headers: { A: "k" } }
    await ask({ with: { webhook_id }, body: { ...chosen, ...inFormat } })
    await ask({ with: { webhook_id }, body: { format: null, batch: 9 } })
    const back = { chats: null, batch: null, ignore: [], headers: null }
    const { json } = await ask({ with: { webhook_id }, body: { ...back, state: "paused" } })
    expect(json).toMatchObject({ state: "paused" })
    await arrived(await adaWrites({ text: "while all is paused" }))
    await ask({ with: { webhook_id }, body: { state: "active" } })
    await whole.webhook.event("all", "message", ({ body }) => body === "while all is paused")
  },
  rollAccountSecret: async (ask) => {
    const { json } = await ask({ with: { webhook_id: ofAll.id } })
    const { webhook_secret } = json as { webhook_secret: string }
    const shown = await whole.call("GET", `/api/webhooks/${ofAll.id}`)
    expect(await shown.json()).toMatchObject({
      secret: webhook_secret,
      secret_overlap_until: expect.any(Number) as unknown,
    })
  },
  finishAccountSecret: async (ask) => {
    await ask({ with: { webhook_id: ofAll.id } })
    const shown = await whole.call("GET", `/api/webhooks/${ofAll.id}`)
    expect(await shown.json()).not.toHaveProperty("secret_overlap_until")
  },
  removeAccountWebhook: async (ask) => {
    await ask({ with: { webhook_id: ofAll.id } })
    expect(await (await whole.call("GET", "/api/webhooks")).json()).toEqual([])
  },

  getAccount: async (ask) => {
    expect((await ask()).json).toMatchObject({ subscription: "active" })
  },
  getUsage: async (ask) => {
    const days = (await ask()).json as { customer_ref: string; messages_in: number; messages_out: number }[]
    const today = new Date().toISOString().slice(0, 10)
    const shop = days.find(({ customer_ref }) => customer_ref === "shop")!
    expect(shop).toMatchObject({ date: today, undelivered: expect.any(Number) as unknown })
    // The first that a session counts is here at once.
    expect(days.filter((one) => one.messages_in > 0)).not.toEqual([])
    expect(days.filter((one) => one.messages_out > 0)).not.toEqual([])
    expect((await ask({ with: { from: "2020-01-01", to: "2020-02-01" } })).json).toEqual([])
  },
  listRequests: async (ask) => {
    const missing = await whole.call("POST", "/api/instances/shop/proxy/send/text", { chat: "491711234567" })
    const request_id = missing.headers.get("x-request-id")!
    const about = {
      request_id,
      status: 400,
      code: "invalid_request",
      error: "body: is missing",
      key_name: expect.any(String) as unknown,
    }
    await until(async () =>
      JSON.stringify((await ask({ with: { refused: "true" } })).json).includes(request_id),
    )
    expect((await ask({ with: { refused: "true", limit: 100 } })).json).toContainEqual(
      expect.objectContaining(about),
    )
  },
  createKey: async (ask) => {
    const expires_at = Math.floor(Date.now() / 1000) + 3600
    const where = { customer_refs: ["shop"], chats: ["491711234567"], file_hosts: ["files.example.com"] }
    const body = { name: "till", ...where, expires_at }
    const { key } = (await ask({ body })).json as { key: string }
    const headers = { authorization: `Bearer ${key}` }
    expect((await whole.call("GET", "/api/instances/shop", undefined, headers)).status).toBe(200)
    expect((await whole.call("GET", "/api/instances/made", undefined, headers)).status).toBe(404)
  },
  listKeys: async (ask) => {
    const used = {
      name: "till",
      scope: "all",
      customer_refs: ["shop"],
      chats: ["491711234567@s.whatsapp.net"],
      file_hosts: ["files.example.com"],
      expires_at: expect.any(Number) as unknown,
      last_used_at: expect.any(Number) as unknown,
    }
    expect((await ask()).json).toContainEqual(expect.objectContaining(used))
  },
  removeKey: async (ask) => {
    const { json } = { json: await (await whole.call("GET", "/api/keys")).json() }
    const { id } = (json as { id: string; name: string }[]).find(({ name }) => name === "till")!
    await ask({ with: { id } })
    expect(JSON.stringify(await (await whole.call("GET", "/api/keys")).json())).not.toContain(id)
  },

  healthz: async (ask) => {
    expect((await ask()).json).toEqual({ ok: true })
  },
  debugStats: async (ask) => {
    await whole.network.notice(`${grace.number}:1`, { kind: "client_expires", about: ada.number })
    await until(async () => ((await ask()).json as { client_expires_at: number }).client_expires_at > 0)
    expect((await ask()).json).toMatchObject({ heap_alloc_mb: expect.any(Number) as unknown })
  },
}

/** Ada writes to the phone that is linked to a bridge. */
async function adaTells(ref: string, text: string): Promise<void> {
  const status = await whole.call("GET", `/api/instances/${ref}/proxy/status`)
  const { phone } = (await status.json()) as { phone: string }
  await whole.write(ada, phone, { text })
}

/** The head line of the bridge whose receiver cannot be reached. */
async function waiting(ask: Ask) {
  return (await ask({ ref: "made" })).json as { next_attempt_at?: number; failing_since?: number }
}

async function undelivered(ref: string): Promise<number> {
  const answer = await whole.call("GET", `/api/instances/${ref}/events?state=undelivered`)
  return ((await answer.json()) as unknown[]).length
}

/** The event whose turn it is, and how many attempts the bridge has made. */
async function head(ref: string) {
  const answer = await whole.call("GET", `/api/instances/${ref}/deliveries`)
  const { head: event_id = "", attempts } = (await answer.json()) as { head?: string; attempts: unknown[] }
  return { event_id, count: attempts.length }
}

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
