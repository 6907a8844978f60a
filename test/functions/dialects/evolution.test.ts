import "#test/support/store.ts"
import { expect, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { eventExamples } from "#contract/examples.ts"
import type { Issue } from "#core/error.ts"
import { evolution } from "#functions/dialects/evolution/calls.ts"
import { evolutionFormat } from "#functions/dialects/evolution/events.ts"
import { chatOf } from "#functions/dialects/evolution/names.ts"
import { app } from "#test/support/service/app.ts"
import { aCustomer, anAddress, at, liftLimits } from "#test/support/service/customer.ts"

// Evolution's calls that need no phone, its refusals, and its events. Its clients make the others: npm run
// dialects:check.

liftLimits()

interface Said {
  [field: string]: unknown
  hash: string
}

async function aShop() {
  const { key, call } = await aCustomer()
  const from = at(anAddress())
  const ask = async (method: string, path: string, body?: unknown, apikey = key) => {
    const headers = { apikey, "content-type": "application/json" }
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }
    const answer = await app.request(`/evolution${path}`, init, from)
    return { status: answer.status, said: (await answer.json()) as Said }
  }
  const request = async (
    path: string,
    { headers = {}, body }: Pick<RequestInit, "body"> & { headers?: object },
  ) =>
    await app.request(
      `/evolution${path}`,
      { method: "POST", headers: { apikey: key, ...headers }, body },
      from,
    )
  return { ask, call, request }
}

test("an instance is a bridge whose hash is a key for it alone", async () => {
  const { ask, call } = await aShop()
  const made = await ask("POST", "/instance/create", { instanceName: "shop", groupsIgnore: true })
  expect(made).toMatchObject({
    status: 201,
    said: { instance: { instanceName: "shop" }, settings: { groupsIgnore: true } },
  })
  expect(await (await call("GET", "/api/instances/shop")).json()).toMatchObject({
    keep: 30,
    ignore: ["groups"],
  })
  const { hash } = made.said
  expect((await ask("GET", "/instance/fetchInstances", undefined, hash)).said).toMatchObject([
    { name: "shop", token: hash },
  ])
  expect((await ask("GET", "/instance/fetchInstances")).said).toMatchObject([{ name: "shop", token: null }])
  expect((await ask("POST", "/verify-creds", {}, hash)).status).toBe(401)
  expect((await ask("POST", "/verify-creds", {})).status).toBe(200)
  expect(await ask("POST", "/instance/create", { instanceName: "shop" })).toMatchObject({ status: 403 })
  expect((await ask("DELETE", "/instance/delete/shop")).said).toMatchObject({ status: "SUCCESS" })
})

test.each([
  [
    "with the names of today",
    {
      webhook: {
        enabled: true,
        url: "https://a.example/x",
        byEvents: true,
        base64: true,
        events: ["MESSAGES_UPDATE"],
        headers: { "x-of-mine": "1", "Content-Type": "application/json" },
      },
    },
  ],
  [
    "as n8n's node does",
    {
      webhook: {
        enabled: true,
        url: "https://a.example/x",
        webhookByEvents: true,
        webhookBase64: true,
        events: ["MESSAGES_UPDATE"],
      },
    },
  ],
  [
    "as in the first release",
    {
      enabled: true,
      url: "https://a.example/x",
      webhook_by_events: true,
      webhook_base64: true,
      events: ["MESSAGES_UPDATE"],
    },
  ],
])("a webhook is set %s, and is found as it was set", async (_, body) => {
  const { ask, call } = await aShop()
  await ask("POST", "/instance/create", { instanceName: "shop" })
  const found = {
    enabled: true,
    url: "https://a.example/x",
    events: ["MESSAGES_UPDATE"],
    webhookByEvents: true,
    webhookBase64: true,
  }
  expect(await ask("POST", "/webhook/set/shop", body)).toMatchObject({ status: 201, said: found })
  expect((await ask("GET", "/webhook/find/shop")).said).toMatchObject(found)
  expect(await (await call("GET", "/api/instances/shop")).json()).toMatchObject({
    events: expect.arrayContaining(["message", "message_status"]) as unknown,
  })
  await ask("POST", "/webhook/set/shop", {
    webhook: { enabled: false, url: "https://a.example/x", events: [] },
  })
  expect((await ask("GET", "/webhook/find/shop")).said).toMatchObject({ enabled: false })
})

test("a webhook that gets our own events is neither shown nor changed", async () => {
  const { ask, call } = await aShop()
  await ask("POST", "/instance/create", { instanceName: "shop" })
  await call("PATCH", "/api/instances/shop", { webhook_url: "https://statistics.example/in" })
  expect((await ask("GET", "/webhook/find/shop")).said).toMatchObject({ enabled: false, url: "" })
  const webhook = { enabled: true, url: "https://n8n.example/x", events: ["MESSAGES_UPSERT"] }
  expect((await ask("POST", "/webhook/set/shop", { webhook })).said).toMatchObject({ url: webhook.url })
  await ask("POST", "/webhook/set/shop", { webhook: { ...webhook, url: "https://n8n.example/y" } })
  expect(await (await call("GET", "/api/instances/shop/webhooks")).json()).toMatchObject([
    { id: "first", url: "https://statistics.example/in", format: null },
    { url: "https://n8n.example/y", format: "evolution" },
  ])
  await ask("POST", "/webhook/set/shop", { webhook: { ...webhook, enabled: false } })
  expect(await (await call("GET", "/api/instances/shop/webhooks")).json()).toHaveLength(1)
})

test("of two who create an instance at once one has made it, and a failed one takes none away", async () => {
  const { ask } = await aShop()
  const bad = { instanceName: "shop", webhook: { url: "no URL" } }
  const create = async (body: object) => (await ask("POST", "/instance/create", body)).status
  const made = await Promise.all([create({ instanceName: "shop" }), create({ instanceName: "shop" })])
  expect(made.toSorted((one, other) => one - other)).toEqual([201, 403])
  expect(await create(bad)).toBe(403)
  expect(await create({ ...bad, instanceName: "another" })).toBe(400)
  expect((await ask("GET", "/instance/fetchInstances")).said).toMatchObject([{ name: "shop" }])
})

test.each([
  ["its text in `textMessage`", { textMessage: { text: "a" }, options: { delay: 10, quoted: { key: {} } } }],
  ["options that are none, as forms bring them", { text: "a", options: "", quoted: "", mentioned: "" }],
  ["numbers in place of texts", { number: 491_711_234_567, text: 12 }],
  ["nulls for what it leaves out", { text: "a", delay: null, quoted: null, mentionsEveryOne: null }],
])("a send is understood that has %s", async (_, body) => {
  const { ask } = await aShop()
  await ask("POST", "/instance/create", { instanceName: "shop" })
  const answer = await ask("POST", "/message/sendText/shop", { number: "491711234567", ...body })
  // No phone is linked: nothing else is wrong.
  expect(answer).toMatchObject({ status: 503 })
})

test("settings that have no counterpart are taken, and found to be off", async () => {
  const { ask } = await aShop()
  await ask("POST", "/instance/create", { instanceName: "shop" })
  const off = { settings: { settings: { rejectCall: false, readMessages: false, groupsIgnore: false } } }
  const given = { rejectCall: true, readMessages: true }
  expect(await ask("POST", "/settings/set/shop", given)).toMatchObject({ status: 201, said: off })
  const ignore = { groupsIgnore: true, syncFullHistory: true }
  const on = { settings: { settings: ignore } }
  expect((await ask("POST", "/settings/set/shop", { ...given, ...ignore })).said).toMatchObject(on)
})

test("a proxy is set, found without what it is, and taken away", async () => {
  const { ask } = await aShop()
  await ask("POST", "/instance/create", { instanceName: "shop" })
  const proxy = {
    enabled: true,
    host: "93.184.216.34",
    port: "8080",
    protocol: "http",
    username: "u",
    password: "p",
  }
  expect((await ask("POST", "/proxy/set/shop", proxy)).status).toBe(201)
  expect((await ask("GET", "/proxy/find/shop")).said).toMatchObject({ enabled: true, host: "***" })
  await ask("POST", "/proxy/set/shop", { enabled: false })
  expect((await ask("GET", "/proxy/find/shop")).said).toMatchObject({ enabled: false })
})

test.each([
  ["GET", "/instance/connectionState/nobody", undefined, 404, /no such instance/],
  ["GET", "/nowhere", undefined, 404, /Cannot GET \/nowhere/],
  ["POST", "/message/sendText/shop", { number: "491711234567" }, 400, /^text: /],
  ["POST", "/message/sendText/shop", { number: "491711234567", text: {} }, 400, /^text: must be/],
  [
    "POST",
    "/message/sendReaction/shop",
    { key: { remoteJid: "491711234567" }, reaction: "👍" },
    400,
    /^key\.id: /,
  ],
  ["DELETE", "/chat/deleteMessageForEveryone/shop", {}, 400, /^key\.id: is missing/],
  ["POST", "/chat/updateBlockStatus/shop", { status: "block" }, 400, /^number: is missing/],
  ["POST", "/chat/archiveChat/shop", { archive: true }, 400, /^chat: is missing/],
  ["GET", "/group/findGroupInfos/shop", undefined, 400, /^groupJid: is missing/],
  ["POST", "/group/updateSetting/shop?groupJid=1@g.us", { action: "toString" }, 400, /^action: one of/],
  ["GET", "/instance/connectionState/..%2F..%2Fapi", undefined, 404, /no such instance/],
  ["POST", "/message/sendList/shop", {}, 501, /send a text, or a poll/],
  ["GET", "/typebot/find/shop", undefined, 501, /webhook/],
] as const)(
  "%s %s is refused in Evolution's form, with our sentence",
  async (method, path, body, status, sentence) => {
    const { ask } = await aShop()
    await ask("POST", "/instance/create", { instanceName: "shop" })
    const refused = await ask(method, path, body)
    expect(refused).toMatchObject({
      status,
      said: { status, response: { message: [expect.stringMatching(sentence)] } },
    })
  },
)

/** Values of one sort, 1 MB in all. */
const many = (value: string) => `[${Array.from({ length: 1e6 / value.length }, () => value).join()}]`
const file = JSON.stringify("QUJD".repeat(500_000))
const large = {
  "small values": [`{"media":${file},"more":${many("{}")}}`, true],
  "short texts": [`{"media":${file},"more":${many('"short"')}}`, true],
  "names with quotation marks": [`{"media":${file},"more":${many('{"\\"":1}')}}`, true],
  "a file": [`{"number":"491711234567","media":${file}}`, false],
  "a text full of quotation marks": [JSON.stringify({ text: '\\"'.repeat(500_000) }), false],
} as const

test.each(Object.keys(large) as (keyof typeof large)[])(
  "a body may be large by a file alone: %s",
  async (by) => {
    const { call, request } = await aShop()
    await call("POST", "/api/instances", { customer_ref: "shop" })
    const [body, isTooLarge] = large[by]
    const headers = { "content-type": "application/json" }
    const { status } = await request("/message/sendMedia/shop", { headers, body })
    expect(status === 413).toBe(isTooLarge)
  },
)

test("a form has few parts, and a large one is so by its file alone", async () => {
  const { call, request } = await aShop()
  await call("POST", "/api/instances", { customer_ref: "shop" })
  const parts = new FormData()
  for (let i = 0; i < 101; i++) parts.append(`p${i}`, "")
  expect((await request("/message/sendMedia/shop", { body: parts })).status).toBe(413)
  const fields = new URLSearchParams({ text: "x".repeat(1_000_000) })
  expect((await request("/message/sendText/shop", { body: fields })).status).toBe(413)
})

test("a wrong key is refused in Evolution's form, and a key that may only read sends nothing", async () => {
  const { ask, call } = await aShop()
  expect(await ask("GET", "/instance/fetchInstances", undefined, "mbk_wrong")).toMatchObject({
    status: 401,
    said: { status: 401, error: "Unauthorized" },
  })
  await ask("POST", "/instance/create", { instanceName: "shop" })
  const made = (await (await call("POST", "/api/keys", { name: "reads", scope: "read" })).json()) as {
    key: string
  }
  expect((await ask("GET", "/webhook/find/shop", undefined, made.key)).status).toBe(200)
  const text = { number: "491711234567", text: "hello" }
  expect((await ask("POST", "/message/sendText/shop", text, made.key)).status).toBe(403)
})

test.each([
  ["+49 171 1234567", "491711234567"],
  ["491711234567:12@s.whatsapp.net", "491711234567@s.whatsapp.net"],
  ["491711234567@c.us", "491711234567@s.whatsapp.net"],
  ["120363041234567890", "120363041234567890@g.us"],
  ["491711234567-1600000000123", "491711234567-1600000000123@g.us"],
])("%s names the chat %s", (given, chat) => {
  expect(chatOf(given)).toBe(chat)
})

const told = (event: Event) =>
  evolutionFormat.translate({
    event,
    eventId: "evt_1",
    createdAt: 1_795_166_800,
    bridgeId: "b",
    instance: "shop",
    options: {},
    destination: "https://shop.example/hook",
    serverUrl: "",
    me: undefined,
    file: undefined,
  })?.body as { event: string; data: unknown } | undefined

const names: Record<Event["event"], string | undefined> = {
  message: "messages.upsert",
  message_status: "messages.update",
  poll_vote: "messages.update",
  connected: "connection.update",
  disconnected: "connection.update",
  typing: "presence.update",
  presence: "presence.update",
  call_incoming: "call",
  call_terminated: "call",
  group: "group-participants.update",
  message_lost: undefined,
  media_stored: undefined,
  channel_post: undefined,
  event_response: undefined,
  offline_sync_preview: undefined,
  offline_sync_completed: undefined,
  profile_picture_updated: undefined,
  test: undefined,
}

test.each(Object.entries(names))("an event %s is %s there", (type, name) => {
  expect(told(eventExamples[type as Event["event"]])?.event).toBe(name)
})

test("an edit and a revocation are events of their own, about the message that they change", () => {
  const { message } = eventExamples
  const about = { target_id: "3A00", body: "new" }
  expect(told({ ...message, ...about, edit: "edit" })).toMatchObject({
    event: "messages.edited",
    data: { key: { id: "3A00" }, editedMessage: { conversation: "new" } },
  })
  expect(told({ ...message, ...about, edit: "revoke" })).toMatchObject({
    event: "messages.delete",
    data: { id: "3A00", status: "DELETED" },
  })
})

test("that nobody has a number is said as flows look for it", () => {
  const about = {
    code: "recipient_not_found",
    status: 422,
    sentence: "nobody has it",
    issues: [] as Issue[],
  } as const
  expect(evolution.statusOf(about)).toBe(400)
  expect(evolution.refusal({ ...about, status: 400 })).toMatchObject({
    status: 400,
    error: "Bad Request",
    response: { message: [{ exists: false, message: "nobody has it" }] },
  })
})
