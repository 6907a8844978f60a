import "#test/support/store.ts"
import { expect, test } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { app } from "#test/support/service/app.ts"
import { aCustomer, at, anAddress, json, liftLimits } from "#test/support/service/customer.ts"

// Sessions as WAHA's programs make, configure and delete them, and what they are refused.

liftLimits()

/** Somebody whose programs speak to WAHA. */
async function aShop() {
  const customer = await aCustomer()
  const from = at(anAddress())
  const ask = async (method: string, path: string, body?: unknown, key = customer.key) =>
    await app.request(
      `/waha${path}`,
      {
        method,
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      },
      from,
    )
  /** Our API's own webhooks of a bridge. */
  const webhooks = async (ref: string) =>
    (await (await customer.get(`/api/instances/${ref}/webhooks`)).json()) as Record<string, unknown>[]
  return {
    ...customer,
    ask,
    webhooks,
    create: async (body: object) => json(ask("POST", "/api/sessions", body)),
  }
}

const hook = { url: "https://shop.example/hook", events: ["message", "message.ack"], hmac: { key: "a key" } }

test("a session is a bridge: made with its webhooks, listed, read and deleted", async () => {
  const shop = await aShop()
  const config = {
    webhooks: [hook],
    noweb: { store: { enabled: true, fullSync: true } },
    ignore: { groups: true },
  }
  expect(await shop.create({ name: "first", config })).toMatchObject({
    name: "first",
    status: "STARTING",
    me: null,
    config: {
      webhooks: [{ url: hook.url, events: hook.events, hmac: { key: "***" }, customHeaders: [] }],
      noweb: { store: { enabled: true, fullSync: true } },
      ignore: { groups: true, status: false },
    },
  })
  expect(await json(shop.get("/api/instances/first"))).toMatchObject({
    keep: 30,
    history: true,
    ignore: ["groups"],
    // What a webhook asks for by a name of WAHA's is sent, also what is not usual.
    events: expect.arrayContaining(["message", "message_status"]) as unknown,
  })
  expect(await shop.webhooks("first")).toMatchObject([
    { id: "first", url: "" },
    { url: hook.url, format: "waha", events: ["message", "message_status"] },
  ])
  expect(await json(shop.ask("GET", "/api/sessions?all=true"))).toMatchObject([{ name: "first" }])
  expect(await json(shop.ask("GET", "/api/sessions/first"))).toMatchObject({ name: "first" })
  expect((await shop.ask("DELETE", "/api/sessions/first")).status).toBe(200)
  expect((await shop.ask("DELETE", "/api/sessions/first")).status).toBe(200)
  expect(await (await shop.ask("GET", "/api/sessions")).json()).toEqual([])
})

test("WAHA's `default` is a session like any, and not whichever bridge is the first", async () => {
  const shop = await aShop()
  await shop.create({ name: "another" })
  expect((await shop.ask("GET", "/api/sessions/default")).status).toBe(404)
  expect(await shop.create({})).toMatchObject({ name: "default" })
  expect(await json(shop.ask("GET", "/api/sessions/default"))).toMatchObject({ name: "default" })
  const listed = (await (await shop.get("/api/instances")).json()) as { customer_ref: string }[]
  expect(listed.map((one) => one.customer_ref).toSorted()).toEqual(["another", "default-session"])
})

test("PUT replaces the webhooks of WAHA's programs, and none that gets our own events", async () => {
  const shop = await aShop()
  await shop.create({ name: "shop", config: { webhooks: [hook] } })
  await shop.post("/api/instances/shop/webhooks", { url: "https://statistics.example/in" })
  const { config } = (await json(shop.ask("GET", "/api/sessions/shop"))) as { config: { webhooks: object[] } }
  const before = await shop.webhooks("shop")
  // Programs write back what they have read, with another webhook beside it.
  const added = {
    url: "https://shop.example/another",
    events: ["*"],
    customHeaders: [{ name: "X-A", value: "b" }],
  }
  const both = { ...config, webhooks: [...config.webhooks, added] }
  const answer = await shop.ask("PUT", "/api/sessions/shop", { name: "shop", config: both })
  expect(answer.status).toBe(200)
  const [own, first, other, second] = await shop.webhooks("shop")
  expect([own, first, other]).toEqual(before)
  expect(second).toMatchObject({ url: added.url, format: "waha", headers: { "X-A": "***" } })
  await shop.ask("PUT", "/api/sessions/shop", { config: { webhooks: [{ ...added, customHeaders: null }] } })
  expect((await shop.webhooks("shop")).map(({ url }) => url)).toEqual([
    "",
    "https://statistics.example/in",
    added.url,
  ])
})

test("a masked secret is written back only as it was: with other events it is asked for", async () => {
  const shop = await aShop()
  await shop.create({ name: "shop", config: { webhooks: [hook] } })
  const masked = { ...hook, hmac: { key: "***" }, events: ["message"] }
  const answer = await shop.ask("PUT", "/api/sessions/shop", { config: { webhooks: [masked] } })
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { message: expect.stringMatching(/hmac\.key/) },
  ])
})

test("a session that cannot be configured is not made", async () => {
  const shop = await aShop()
  const config = { webhooks: [{ url: "not a URL", events: ["message"] }] }
  const answer = await shop.ask("POST", "/api/sessions", { name: "shop", config })
  expect([answer.status, await answer.json()]).toMatchObject([400, { statusCode: 400, error: "Bad Request" }])
  expect((await shop.ask("GET", "/api/sessions/shop")).status).toBe(404)
})

test.each([
  ["a session that is not there", "GET", "/api/sessions/none", undefined, 404, /Session not found/],
  [
    "a message of one that is not there",
    "POST",
    "/api/sendText",
    { session: "none", chatId: "1" },
    404,
    /Session/,
  ],
  ["a session whose name is taken", "POST", "/api/sessions", { name: "shop" }, 422, /already exists/],
  ["a name that is none", "POST", "/api/sessions", { name: "a b" }, 400, [/^name: 1 to 64 letters/]],
  ["a body of another type", "POST", "/api/sendText", { text: 7 }, 400, [/^text: /]],
  ["a body that is no JSON", "POST", "/api/sendText", "{", 400, /the body is not JSON/],
  [
    "a body that is deeper than any",
    "POST",
    "/api/sendText",
    `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
    400,
    /too deeply/,
  ],
  ["nobody to block", "POST", "/api/contacts/block", { session: "shop" }, 400, [/^contactId: is missing/]],
  ["no status to delete", "POST", "/api/shop/status/delete", {}, 400, [/^messageId: is missing/]],
  ["a path that WAHA has not", "GET", "/api/nothing", undefined, 404, /^Cannot GET \/api\/nothing$/],
  ["a method that WAHA has not", "DELETE", "/api/sendText", undefined, 404, /^Cannot DELETE/],
  [
    "a part of a path that leads elsewhere",
    "GET",
    "/api/sessions/%2e%2e",
    undefined,
    404,
    /Cannot|not found/,
  ],
  ["a stop", "POST", "/api/sessions/shop/stop", undefined, 501, /the dashboard pauses/],
  ["what this service has not", "GET", "/api/shop/presence", undefined, 501, /keeps no presences/],
  ["a call of its part", "POST", "/api/shop/channels/1@newsletter/mute", {}, 501, /mutes no channels/],
] as const)("%s: refused in WAHA's form, with our sentence", async (_, method, path, body, status, said) => {
  const shop = await aShop()
  await shop.create({ name: "shop" })
  const answer = await shop.ask(method, path, body)
  const refusal = (await answer.json()) as { statusCode: number; message: string | string[]; error: string }
  expect([answer.status, refusal.statusCode]).toEqual([status, status])
  expect(refusal.error).toMatch(/^[A-Z][a-z]+/)
  for (const [i, pattern] of [said].flat().entries())
    expect(Array.isArray(refusal.message) ? refusal.message[i] : refusal.message).toMatch(pattern)
})

test.each(["", "wrong"])("without the right key (%j) only /ping is answered", async (key) => {
  const shop = await aShop()
  const answer = await shop.ask("GET", "/api/sessions", undefined, key)
  expect([answer.status, await answer.json()]).toMatchObject([
    401,
    { statusCode: 401, error: "Unauthorized" },
  ])
  const ping = await shop.ask("GET", "/ping", undefined, key)
  expect([ping.status, await ping.json()]).toEqual([200, { message: "pong" }])
})

test("a key does here what it may do in our API, and no more", async () => {
  const shop = await aShop()
  await shop.create({ name: "shop" })
  const reads = await ApiKey.create(shop.account.id, "reads", { scope: "read" })
  expect((await shop.ask("GET", "/api/sessions/shop", undefined, reads)).status).toBe(200)
  expect((await shop.ask("DELETE", "/api/sessions/shop", undefined, reads)).status).toBe(403)
  const another = await aCustomer()
  expect((await shop.ask("GET", "/api/sessions/shop", undefined, another.key)).status).toBe(404)
})
