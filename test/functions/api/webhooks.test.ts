import { afterEach, expect, test } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Delivery } from "#core/event/delivery.ts"
import { rewrapKeys } from "#core/keys/rewrap.ts"
import { tables } from "#core/store/tables.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aCustomer, json, liftLimits } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"

liftLimits()
afterEach(forgetDoorbells)

const url = "https://statistics.example/in"

async function aShop(webhookUrl = "https://shop.example/hook") {
  const customer = await aCustomer()
  const { bridge } = await Bridge.create({
    accountId: customer.account.id,
    customerRef: "shop",
    webhookUrl,
  })
  const path = "/api/instances/shop/webhooks"
  const add = async (body: object) =>
    (await json(customer.post(path, body))) as { id: string; secret: string }
  return { ...customer, bridge, path, add, outbox: await anOutbox(bridge) }
}

test("a bridge has its first webhook, and up to four more; a sixth is 409, also of those asked for at once", async () => {
  const shop = await aShop()
  const list = async () => (await (await shop.get(shop.path)).json()) as { id: string; url: string }[]
  expect(await list()).toMatchObject([
    { id: "first", url: "https://shop.example/hook", state: "active", batch: null },
  ])
  const asked = [1, 2, 3, 4, 5, 6].map((i) => shop.post(shop.path, { url: `${url}/${i}` }))
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201, 201, 201, 201, 409, 409,
  ])
  const refused = answers.find(({ status }) => status === 409)!
  expect(await refused.json()).toMatchObject({ code: "webhook_limit_reached" })
  expect((await list()).map(({ id }) => id)).toEqual([
    "first",
    ...(await Delivery.get(Delivery.first(shop.bridge.id)))!.further,
  ])
  expect(await list()).toHaveLength(5)
})

test("a creation that is repeated answers with the webhook that it made", async () => {
  const shop = await aShop()
  const made = await shop.post(shop.path, { url, batch: 5 })
  expect(made.status).toBe(201)
  const again = await shop.post(shop.path, { url, batch: 7 })
  expect([again.status, await again.json()]).toEqual([200, await made.json()])
})

test("no two webhooks of a bridge get one URL by calls at the same moment, whichever calls", async () => {
  const shop = await aShop()
  const [one, other] = [await shop.add({ url: `${url}/1` }), await shop.add({ url: `${url}/2` })]
  const toSame = { url: `${url}/same` }
  const calls = [
    () => shop.patch(`${shop.path}/${one.id}`, toSame),
    () => shop.patch(`${shop.path}/${other.id}`, toSame),
    () => shop.post(shop.path, toSame),
    () => shop.patch("/api/instances/shop", { webhook_url: toSame.url }),
  ]
  for (const [first, second] of pairsOf(calls)) {
    const statuses = (await Promise.all([first(), second()])).map(({ status }) => status)
    const all = (await (await shop.get(shop.path)).json()) as { id: string; url: string }[]
    expect(all.filter((webhook) => webhook.url === toSame.url)).toHaveLength(1)
    expect(Math.min(...statuses)).toBeLessThan(300)
    for (const { id } of all.filter((webhook) => webhook.id !== "first")) {
      const usual = [one, other].findIndex((webhook) => webhook.id === id) + 1
      await (usual === 0
        ? shop.call("DELETE", `${shop.path}/${id}`)
        : shop.patch(`${shop.path}/${id}`, { url: `${url}/${usual}` }))
    }
    await shop.patch("/api/instances/shop", { webhook_url: "https://shop.example/hook" })
  }
})

/** Each pair of these, in both orders. */
function pairsOf<Item>(items: Item[]): [Item, Item][] {
  return items.flatMap((one, i) =>
    items.flatMap((other, j): [Item, Item][] => (i === j ? [] : [[one, other]])),
  )
}

test("no two webhooks of a bridge have one URL, however it is written", async () => {
  const shop = await aShop("https://shop.example/hook%7E?a=%2f")
  const { id } = await shop.add({ url })
  const spellings = ["https://SHOP.example:443/hook~?a=%2F", "https://shop.example./h%6fok~?a=%2f"]
  for (const spelt of spellings) {
    const found = await shop.post(shop.path, { url: spelt })
    expect([found.status, (await json(found)).id]).toEqual([200, "first"])
    const changed = await shop.patch(`${shop.path}/${id}`, { url: spelt })
    expect([changed.status, await json(changed)]).toEqual([
      400,
      expect.objectContaining({
        code: "invalid_webhook_url",
        issues: [expect.objectContaining({ path: "url" })],
      }),
    ])
  }
  const taken = await shop.patch("/api/instances/shop", { webhook_url: `${url}?` })
  expect([taken.status, await json(taken)]).toEqual([
    400,
    expect.objectContaining({
      code: "invalid_webhook_url",
      issues: [expect.objectContaining({ path: "webhook_url" })],
    }),
  ])
  expect((await shop.patch(`${shop.path}/${id}`, { url: `${url}/` })).status).toBe(200)
  expect((await shop.patch(`${shop.path}/${id}`, { url: `${url}/` })).status).toBe(200)
  expect((await shop.patch("/api/instances/shop", { webhook_url: url })).status).toBe(200)
})

test("a webhook is changed field by field, and its headers are never shown", async () => {
  const shop = await aShop()
  const headers = { "X-Api-Key": "secret-value" }
  const { id } = await shop.add({ url, events: ["message"], chats: ["491711234567"], headers, batch: 50 })
  const path = `${shop.path}/${id}`
  expect(await json(shop.get(path))).toMatchObject({
    id,
    url,
    events: ["message"],
    chats: ["491711234567@s.whatsapp.net"],
    headers: { "X-Api-Key": "***" },
    batch: 50,
  })
  expect(await json(shop.patch(path, { ignore: ["groups"], batch: null }))).toMatchObject({
    events: ["message"],
    ignore: ["groups"],
    chats: ["491711234567@s.whatsapp.net"],
    headers: { "X-Api-Key": "***" },
    batch: null,
  })
  const open = { events: null, chats: null, ignore: [], headers: null }
  expect(await json(shop.patch(path, open))).toMatchObject({ chats: null, headers: {}, url })
  expect((await Delivery.get({ bridgeId: shop.bridge.id, webhookId: id }))!.receiver.filter).toBeUndefined()
  expect(await json(shop.patch(path, { state: "paused" }))).toMatchObject({ state: "paused" })
  expect(await json(shop.patch(path, { state: "paused" }))).toMatchObject({ state: "paused" })
  expect(await json(shop.patch(path, { state: "active" }))).toMatchObject({ state: "active" })
})

test("two changes of a filter at once both hold", async () => {
  const shop = await aShop()
  const { id } = await shop.add({ url, events: ["message"] })
  const path = `${shop.path}/${id}`
  await Promise.all([shop.patch(path, { ignore: ["groups"] }), shop.patch(path, { chats: ["491711234567"] })])
  expect(await json(shop.get(path))).toMatchObject({
    events: ["message"],
    ignore: ["groups"],
    chats: ["491711234567@s.whatsapp.net"],
  })
})

test("an event in the inbox is there, and not delivered, beside a further webhook", async () => {
  const shop = await aShop("")
  const second = await aReceiver()
  const { id } = await shop.add({ url: second.url })
  const [eventId] = await shop.outbox.append(anEvent("a"))
  await answerAll()
  expect(await json(shop.get(`/api/instances/shop/deliveries/${eventId}`))).toMatchObject({
    state: "inbox",
    attempts: [],
    webhooks: [
      { id: "first", state: "inbox" },
      { id, state: "delivered" },
    ],
  })
})

const allowed = "1 to 64 letters, digits and dashes, and none of X-Webhook-*,"
const bad: [what: string, body: object, path: string, says?: string][] = [
  ["an inbox", { url: "" }, "url"],
  ["an address that is not public", { url: "http://169.254.169.254/" }, "url"],
  ["a header of the connection", { url, headers: { Connection: "close" } }, "headers.Connection", allowed],
  ["a header of the signature", { url, headers: { "webhook-id": "x" } }, "headers.webhook-id", allowed],
  ["the type of the body", { url, headers: { "Content-Type": "text/xml" } }, "headers.Content-Type", allowed],
  ["a header's name with a space", { url, headers: { "a b": "x" } }, "headers.a b", allowed],
  [
    "a name that objects have",
    { url, headers: JSON.parse('{"__proto__":"x"}') },
    "headers.__proto__",
    allowed,
  ],
  ["a header that would begin another", { url, headers: { "X-A": "a\r\nX-B: b" } }, "headers.X-A"],
  ["a header's masked value", { url, headers: { "X-A": "***" } }, "headers.X-A"],
  ["a header twice", { url, headers: { "X-A": "a", "x-a": "b" } }, "headers"],
  ["a chat that is none", { url, chats: ["Ada"] }, "chats.0"],
  ["a username, which names no chat in events", { url, chats: ["@ada.w"] }, "chats.0"],
]

test("what a webhook cannot have is 400, and says where; no webhook is made", async () => {
  const shop = await aShop()
  for (const [what, body, path, says = ""] of bad) {
    const answer = await shop.post(shop.path, body)
    const issues = [{ path, message: expect.stringContaining(says) }]
    expect([what, answer.status, await answer.json()]).toMatchObject([what, 400, { issues }])
  }
  expect(await (await shop.get(shop.path)).json()).toHaveLength(1)
})

test("the first webhook takes headers and a batch; all else of it is the bridge's", async () => {
  const shop = await aShop()
  const path = `${shop.path}/first`
  expect(await json(shop.patch(path, { batch: 9, headers: { "X-A": "a" } }))).toMatchObject({
    id: "first",
    batch: 9,
    headers: { "X-A": "***" },
  })
  for (const body of [{ url }, { state: "paused" }, { events: ["message"] }, { chats: ["491711234567"] }])
    expect(await json(shop.patch(path, body))).toMatchObject({
      code: "invalid_request",
      issues: [{ path: Object.keys(body)[0] }],
    })
  expect(await json(shop.patch(path, { state: "paused" }))).toMatchObject({
    issues: [{ message: "`first` cannot be paused: only a further webhook can" }],
  })
  expect((await shop.call("DELETE", path)).status).toBe(400)
})

test("a key that may only read sees no secret, and changes nothing", async () => {
  const shop = await aShop()
  const { id, secret } = await shop.add({ url })
  expect(secret).toMatch(/^whsec_/)
  const key = await ApiKey.create(shop.account.id, "reader", { scope: "read" })
  const as = { authorization: `Bearer ${key}` }
  expect(await json(shop.call("GET", `${shop.path}/${id}`, undefined, as))).toMatchObject({ id, secret: "" })
  for (const [method, body] of [
    ["PATCH", { state: "paused" }],
    ["DELETE", undefined],
  ] as const)
    expect((await shop.call(method, `${shop.path}/${id}`, body, as)).status).toBe(403)
})

test("a webhook of another bridge, or one that was deleted, is 404 on every route that names one", async () => {
  const shop = await aShop()
  const other = await aShop()
  const { id } = await other.add({ url })
  const eventId = (await shop.outbox.append(anEvent()))[0]!
  const at = "/api/instances/shop"
  const calls = [
    ["GET", `${shop.path}/${id}`],
    ["PATCH", `${shop.path}/${id}`, { batch: 1 }],
    ["DELETE", `${shop.path}/${id}`],
    ["GET", `${at}/deliveries?webhook=${id}`],
    ["GET", `${at}/deliveries/${eventId}?webhook=${id}`],
    ["POST", `${at}/deliveries/${eventId}/retry?webhook=${id}`],
    ["POST", `${at}/deliveries/${eventId}/skip?webhook=${id}`],
    ["POST", `${at}/deliveries/resend?webhook=${id}`, { since: 0 }],
    ["POST", `${at}/events/${eventId}/resend?webhook=${id}`],
    ["POST", `${at}/webhook-test?webhook=${id}`],
    ["POST", `${at}/webhook-secret/roll?webhook=${id}`],
    ["POST", `${at}/webhook-secret/finish?webhook=${id}`],
    ["GET", `${at}/events?state=undelivered&webhook=${id}`],
    ["GET", `${shop.path}/DELIVERY%23x`],
  ] as const
  for (const [method, path, body] of calls) {
    const answer = await shop.call(method, path, body)
    expect([path, answer.status]).toEqual([path, 404])
  }
})

test("an event's fate is told for each webhook, and what a further one was not given is listed there", async () => {
  const receiver = await aReceiver()
  const shop = await aShop(receiver.url)
  const fails = await aReceiver([400])
  const { id: failing } = await shop.add({ url: fails.url })
  const { id: filtered } = await shop.add({ url: `${receiver.url}2`, events: ["connected"] })
  const { id: paused } = await shop.add({ url: `${receiver.url}3` })
  await shop.patch(`${shop.path}/${paused}`, { state: "paused" })
  const eventId = (await shop.outbox.append(anEvent()))[0]!
  await answerAll()
  const at = "/api/instances/shop"
  expect(await json(shop.get(`${at}/deliveries/${eventId}?webhook=${failing}`))).toMatchObject({
    state: "delivered",
    webhooks: [
      { id: "first", state: "delivered" },
      { id: failing, state: "undelivered" },
      { id: filtered, state: "not_wanted" },
      { id: paused, state: "pending" },
    ],
    attempts: [{ status_code: 400 }],
  })
  const listed = async (state: string, id: string) =>
    (await (await shop.get(`${at}/events?state=${state}&webhook=${id}`)).json()) as object[]
  expect(await listed("undelivered", failing)).toMatchObject([{ event_id: eventId, state: "undelivered" }])
  expect(await listed("undelivered", "first")).toEqual([])
  expect(await listed("pending", paused)).toMatchObject([{ event_id: eventId, state: "pending" }])
  expect(await json(shop.get(`${at}/deliveries?webhook=${paused}`))).toMatchObject({
    waiting: 1,
    attempts: [],
  })
  expect((await shop.post(`${at}/events/${eventId}/resend?webhook=${failing}`)).status).toBe(202)
  await answerAll()
  expect(fails.arrivals).toHaveLength(2)
  expect(receiver.arrivals).toHaveLength(1)
})

test("a secret is replaced for one webhook: both sign for a day, and the others keep theirs", async () => {
  const receiver = await aReceiver()
  const shop = await aShop(receiver.url)
  const second = await aReceiver()
  const { id, secret } = await shop.add({ url: second.url })
  const at = "/api/instances/shop/webhook-secret"
  const { webhook_secret: next } = await json(shop.post(`${at}/roll?webhook=${id}`))
  expect(next).not.toBe(secret)
  expect((await shop.post(`${at}/roll?webhook=${id}`)).status).toBe(409)
  await shop.outbox.append(anEvent())
  await answerAll()
  const signed = (one: (typeof second.arrivals)[number]) =>
    String(one.headers["x-webhook-signature"]).match(/v1=/g)?.length
  expect([second, receiver].map(({ arrivals }) => signed(arrivals[0]!))).toEqual([2, 1])
  expect(second.arrivals[0]!.headers.authorization).toBe(`Bearer ${String(next)}`)
  await shop.post(`${at}/finish?webhook=${id}`)
  expect(await json(shop.get(`${shop.path}/${id}`))).toMatchObject({ secret: next })
  expect(await json(shop.get(`${shop.path}/${id}`))).not.toHaveProperty("secret_overlap_until")
})

test("a test goes to the webhook that is named, in the form that it takes", async () => {
  const second = await aReceiver()
  const shop = await aShop()
  const { id } = await shop.add({ url: second.url, batch: 5, headers: { "X-A": "a" } })
  const answer = await json(shop.post(`/api/instances/shop/webhook-test?webhook=${id}`))
  expect(answer).toMatchObject({ success: true, event: "test" })
  expect(JSON.parse(second.arrivals[0]!.body.toString())).toMatchObject([
    { event_id: answer.event_id, event: { event: "test" } },
  ])
  expect(second.arrivals[0]!.headers).toMatchObject({ "x-a": "a", "x-webhook-batch": "1" })
})

test("a webhook that is added while its bridge is deleted is not left behind", async () => {
  const shop = await aShop()
  await shop.add({ url })
  let added: Promise<Response> | undefined
  dynamoDb.faults.add({
    fault: "slow",
    operation: "TransactWriteItems",
    when: (request) => {
      const isRemoval = JSON.stringify(request).includes('"Delete"')
      if (isRemoval) added ??= Promise.resolve(shop.post(shop.path, { url: `${url}/2` }))
      return isRemoval
    },
    ms: 300,
    times: 1,
  })
  await Bridge.remove(shop.bridge)
  await added
  expect(await rowsOf(tables.events, shop.bridge.id)).toEqual([])
})

test("the data keys of each webhook are wrapped again with the others, and what is sealed still opens", async () => {
  const second = await aReceiver()
  const shop = await aShop()
  const { id, secret } = await shop.add({ url: second.url, headers: { "X-A": "a" } })
  expect(await rewrapKeys(shop.bridge)).toBe(5)
  second.trust("hook", secret)
  await shop.post(`/api/instances/shop/webhook-test?webhook=${id}`)
  expect(second.arrivals).toMatchObject([{ genuine: true }])
})
