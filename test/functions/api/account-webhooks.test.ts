import { afterEach, expect, test } from "vitest"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Move } from "#core/bridge/move.ts"
import { Delivery } from "#core/event/delivery.ts"
import { rewrapKeysOfAccount } from "#core/keys/rewrap.ts"
import { aCustomer, json, liftLimits } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll, forgetDoorbells } from "#test/support/session/events-and-doorbells.ts"

liftLimits()
afterEach(forgetDoorbells)

const url = "https://statistics.example/all"

async function aShop() {
  const customer = await aCustomer()
  const { bridge } = await Bridge.create({ accountId: customer.account.id, customerRef: "shop" })
  const add = async (body: object = { url }) =>
    (await json(customer.post("/api/webhooks", body))) as { id: string; secret: string }
  const asWith = (key: string) => (method: string, path: string, body?: unknown) =>
    customer.call(method, path, body, { authorization: `Bearer ${key}` })
  return { ...customer, bridge, add, asWith, outbox: await anOutbox(bridge) }
}

test("an account has two webhooks at most, and a creation that is repeated answers with what it made", async () => {
  const shop = await aShop()
  const made = await shop.post("/api/webhooks", { url, batch: 5 })
  expect(made.status).toBe(201)
  const again = await shop.post("/api/webhooks", { url: "https://STATISTICS.example./all", batch: 7 })
  expect([again.status, await again.json()]).toEqual([200, await made.json()])
  const { id } = await shop.add({ url: `${url}/2` })
  const third = await shop.post("/api/webhooks", { url: `${url}/3` })
  expect([third.status, (await json(third)).code]).toEqual([409, "webhook_limit_reached"])
  const same = await shop.patch(`/api/webhooks/${id}`, { url })
  expect([same.status, (await json(same)).code]).toEqual([400, "invalid_webhook_url"])
  expect((await shop.call("DELETE", `/api/webhooks/${id}`)).status).toBe(204)
  expect((await shop.get(`/api/webhooks/${id}`)).status).toBe(404)
  expect(await (await shop.get("/api/instances/shop/webhooks")).json()).toHaveLength(1)
})

test("no two webhooks of an account get one URL by calls at the same moment", async () => {
  const shop = await aShop()
  const one = await shop.add({ url: `${url}/1` })
  const toSame = { url: `${url}/same` }
  const change = ({ id }: { id: string }) => shop.patch(`/api/webhooks/${id}`, toSame)
  const urls = async () =>
    ((await (await shop.get("/api/webhooks")).json()) as { url: string }[]).map((webhook) => webhook.url)
  const added = await Promise.all([change(one), shop.post("/api/webhooks", toSame)])
  expect((await urls()).filter((each) => each === toSame.url)).toHaveLength(1)
  for (const { id } of (await (await shop.get("/api/webhooks")).json()) as { id: string }[])
    await shop.call("DELETE", `/api/webhooks/${id}`)
  const two = [await shop.add({ url: `${url}/2` }), await shop.add({ url: `${url}/3` })]
  const changed = await Promise.all(two.map(change))
  expect((await urls()).filter((each) => each === toSame.url)).toHaveLength(1)
  expect(changed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
  expect(added.some(({ status }) => status < 300)).toBe(true)
})

test("a key for some bridges sees no webhook of the account, and one that may only read no secret", async () => {
  const shop = await aShop()
  const { id } = await shop.add()
  const accountId = shop.account.id
  const limited = shop.asWith(
    await ApiKey.create(accountId, "limited", {
      scope: "all",
      bridges: [{ id: shop.bridge.id, customerRef: "shop" }],
    }),
  )
  for (const [method, path, body] of [
    ["GET", "/api/webhooks"],
    ["POST", "/api/webhooks", { url: `${url}/2` }],
    ["GET", `/api/webhooks/${id}`],
    ["PATCH", `/api/webhooks/${id}`, { state: "paused" }],
    ["DELETE", `/api/webhooks/${id}`],
    ["POST", `/api/webhooks/${id}/secret/roll`],
  ] as const)
    expect((await limited(method, path, body)).status).toBe(403)
  expect((await limited("GET", `/api/instances/shop/deliveries?webhook=${id}`)).status).toBe(404)
  expect((await limited("POST", `/api/instances/shop/webhook-test?webhook=${id}`)).status).toBe(404)
  const reading = shop.asWith(await ApiKey.create(accountId, "reading", { scope: "read" }))
  expect(await (await reading("GET", "/api/webhooks")).json()).toMatchObject([{ id, secret: "" }])
  expect((await reading("PATCH", `/api/webhooks/${id}`, { state: "paused" })).status).toBe(403)
  expect((await (await aCustomer()).get(`/api/webhooks/${id}`)).status).toBe(404)
})

test("a bridge changes no webhook of its account, but tells of its deliveries and tests it", async () => {
  const shop = await aShop()
  const receiver = await aReceiver()
  const { id, secret } = await shop.add({ url: receiver.url })
  receiver.trust("hook", secret)
  for (const method of ["GET", "PATCH", "DELETE"])
    expect(
      (
        await shop.call(
          method,
          `/api/instances/shop/webhooks/${id}`,
          method === "PATCH" ? { batch: 2 } : undefined,
        )
      ).status,
    ).toBe(404)
  expect((await shop.post(`/api/instances/shop/webhook-secret/roll?webhook=${id}`)).status).toBe(404)
  expect(await json(shop.post(`/api/instances/shop/webhook-test?webhook=${id}`))).toMatchObject({
    success: true,
  })
  expect(JSON.parse(receiver.arrivals[0]!.body.toString())).toMatchObject({
    event: "test",
    customer_ref: "shop",
  })
  expect(await json(shop.get(`/api/instances/shop/deliveries?webhook=${id}`))).toMatchObject({
    waiting: 0,
    attempts: [],
  })
  const [event] = await shop.outbox.append(anEvent())
  await answerAll()
  expect(receiver.arrivals.every(({ genuine }) => genuine)).toBe(true)
  expect(await json(shop.get(`/api/instances/shop/deliveries?webhook=${id}`))).toMatchObject({
    waiting: 0,
    attempts: [{ event_id: event, success: true }],
  })
  expect((await shop.get(`/api/instances/shop/deliveries?webhook=wha_0000000000000000`)).status).toBe(404)
})

test("a bridge that leaves takes nothing of its account's webhooks along, and keeps them if it stays", async () => {
  const shop = await aShop()
  const receiver = await aReceiver()
  await shop.add({ url: receiver.url })
  await shop.outbox.append(anEvent("old"))
  await answerAll()
  expect(receiver.arrivals).toHaveLength(1)
  expect(await Move.leave(shop.bridge, "export")).toBe(true)
  const left = await Move.rowsAndKeysOf(shop.bridge)
  expect(left.deliveries).toHaveLength(1)
  expect(left.deliveries[0]).not.toHaveProperty("further")
  expect(await Move.undoLeaving(shop.bridge, "export")).toBe(true)
  await shop.outbox.append(anEvent("new"))
  await answerAll()
  expect(receiver.arrivals).toHaveLength(2)
  expect((await Delivery.get(Delivery.first(shop.bridge.id)))!.further).toHaveLength(1)
})

test("its data key is wrapped again with those of the bridges", async () => {
  const shop = await aShop()
  const before = await shop.add()
  expect(await rewrapKeysOfAccount((await Account.get(shop.account.id))!)).toBe(1)
  expect(await json(shop.get(`/api/webhooks/${before.id}`))).toEqual(before)
})
