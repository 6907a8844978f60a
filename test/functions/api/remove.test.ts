import "#test/support/store.ts"
import { expect, test } from "vitest"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { Lease } from "#core/lease/lease.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { aReceiver } from "#test/support/service/receiver.ts"
import { anEvent, anOutbox, answerAll } from "#test/support/session/events-and-doorbells.ts"

const path = "/api/instances/shop"

async function aShop(webhook_url?: string) {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "shop", webhook_url })
  const bridge = await Bridge.get(customer.account.id, "shop")
  return { ...customer, bridge, remove: () => customer.call("DELETE", path) }
}

test("a deleted bridge is gone from everywhere at once, its keys too, and its reference is free", async () => {
  const shop = await aShop()
  const answer = await shop.remove()
  expect([answer.status, await answer.text()]).toEqual([204, ""])
  expect((await shop.get(path)).status).toBe(404)
  expect((await shop.get(`${path}/proxy/status`)).status).toBe(404)
  expect(await (await shop.get("/api/instances")).json()).toEqual([])
  expect((await shop.remove()).status).toBe(404)
  expect(await Account.get(shop.account.id)).toMatchObject({ bridges: 0 })
  expect(await DataKeys.get(shop.bridge.id)).toBeUndefined()
  expect(await Bridge.byId(shop.bridge.id)).toBeUndefined()
  expect(await Lease.get(shop.bridge.id)).toMatchObject({ host: Lease.GONE, addr: "" })

  const again = await shop.post("/api/instances", { customer_ref: "shop" })
  expect(again.status).toBe(201)
  expect((await json(again)).id).not.toBe(shop.bridge.id)
})

test("twenty deletions at once delete one bridge, and the account's number of bridges falls by one", async () => {
  const shop = await aShop()
  await shop.post("/api/instances", { customer_ref: "other" })
  const statuses = (await Promise.all(Array.from({ length: 20 }, shop.remove))).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([204, ...Array<number>(19).fill(404)])
  expect(await Account.get(shop.account.id)).toMatchObject({ bridges: 1 })
})

test("its holder unlinks the phone before, and is told after", async () => {
  const shop = await aShop()
  const leases: string[] = []
  const host = await aScriptedHost((call, response) => {
    void Lease.get(shop.bridge.id).then((lease) => {
      leases.push(`${call.method} ${call.path} ${lease!.host === Lease.GONE ? "gone" : "held"}`)
      return sayJson(response, 200, { ok: true })
    })
  })
  await host.take(shop.bridge.id)
  expect((await shop.remove()).status).toBe(204)
  expect(leases).toEqual(["DELETE /logout held", "POST /look-at-lease gone"])
})

test.for([
  ["refuses", (response: Parameters<typeof sayJson>[0]) => sayJson(response, 503, {})],
  ["breaks", (response: Parameters<typeof sayJson>[0]) => response.socket?.resetAndDestroy()],
] as const)("a holder that %s does not keep it", async ([, say]) => {
  const shop = await aShop()
  const host = await aScriptedHost((_, response) => void say(response))
  await host.take(shop.bridge.id)
  expect((await shop.remove()).status).toBe(204)
  expect(await Lease.get(shop.bridge.id)).toMatchObject({ host: Lease.GONE })
})

test("a paused bridge can be deleted, and what waited for delivery is not delivered", async () => {
  const receiver = await aReceiver()
  const shop = await aShop(receiver.url)
  await (await anOutbox(shop.bridge)).append(anEvent())
  await Lease.stop(shop.bridge.id, "operator")
  expect((await shop.remove()).status).toBe(204)
  expect(await answerAll()).toBe(1)
  expect(receiver.arrivals).toEqual([])
})

test("another account's bridge of that name stays", async () => {
  const [shop, other] = [await aShop(), await aShop()]
  await shop.remove()
  expect((await other.get(path)).status).toBe(200)
})
