import { expect, onTestFinished, test } from "vitest"
import type { ApiRequest } from "#contract/request-log.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { putRow, query } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aCustomer, liftLimits } from "#test/support/service/customer.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"

liftLimits()

/** An agent begins. */
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
}

type Customer = Awaited<ReturnType<typeof aCustomer>>

async function listed(customer: Customer, asked = ""): Promise<ApiRequest[]> {
  return (await (await customer.get(`/api/requests${asked}`)).json()) as ApiRequest[]
}

/** A customer who has made so many calls, each to a path of its own. */
async function aCustomerWith(calls: number): Promise<Customer> {
  const customer = await aCustomer()
  for (let i = 0; i < calls; i++) await customer.get(`/api/instances/number-${i}`)
  await until(async () => (await listed(customer, "?limit=100")).length >= Math.min(calls, 100))
  return customer
}

test("a refused call is kept with its sentence and key, one that changed something without, a read is not", async () => {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "shop" })
  await customer.get("/api/instances")
  expect(
    (await customer.call("POST", "/mcp", initialize, { accept: "application/json, text/event-stream" }))
      .status,
  ).toBe(200)
  const refused = await customer.post("/api/instances/shop/proxy/send/text", { chat: "491711234567" })
  await customer.get("/api/no/such%20path?key=secret")
  await until(async () => (await listed(customer)).length === 3)
  expect(await listed(customer)).toEqual([
    expect.objectContaining({ method: "GET", path: "/api/no/such path", status: 404, code: "not_found" }),
    {
      request_id: refused.headers.get("x-request-id"),
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      method: "POST",
      path: "/api/instances/shop/proxy/send/text",
      status: 400,
      code: "invalid_request",
      error: "body: is missing",
      key_id: customer.key.slice(4, 16),
      key_name: "test",
      ms: expect.any(Number) as unknown,
      left_out: 0,
    },
    expect.not.objectContaining({ error: expect.anything() as unknown }),
  ])
  expect((await listed(customer, "?refused=true")).map(({ status }) => status)).toEqual([404, 400])
  expect((await listed(customer, "?refused=false")).map(({ path }) => path)).toEqual(["/api/instances"])
  expect((await customer.get("/api/requests?after=nonsense")).status).toBe(400)
})

test("pages follow each other without a gap, and nobody sees the calls of another account", async () => {
  const customer = await aCustomerWith(23)
  const stranger = await aCustomer()
  const seen: string[] = []
  let after: string | undefined
  do {
    const page = await customer.get(`/api/requests?limit=10${after === undefined ? "" : `&after=${after}`}`)
    seen.push(...((await page.json()) as ApiRequest[]).map(({ path }) => path))
    after = page.headers.get("x-next-after") ?? undefined
  } while (after !== undefined)
  expect(seen.toSorted()).toEqual(
    Array.from({ length: 23 }, (_, i) => `/api/instances/number-${i}`).toSorted(),
  )
  expect(await listed(stranger)).toEqual([])
})

test("a call with a revoked or expired key is kept for its account, and one with another secret is not", async () => {
  const customer = await aCustomer()
  const { id } = customer.account
  const revoked = await ApiKey.create(id, "old")
  const over = await ApiKey.create(id, "over", undefined, undefined, 1)
  await ApiKey.revoke(id, ApiKey.idOf(revoked))
  const call = async (key: string) =>
    await customer.call("GET", "/api/instances", undefined, { authorization: `Bearer ${key}` })
  for (const key of [revoked, over]) expect((await call(key)).status).toBe(401)
  // Its row has the HMAC of another secret.
  const forged = await ApiKey.create(id, "forged")
  await ApiKey.revoke(id, ApiKey.idOf(forged))
  const row = { pk: `KEY#${ApiKey.idOf(forged)}`, sk: "GONE", account_id: id, hmac: Buffer.alloc(32) }
  await putRow({ TableName: tables.accounts, Item: row })
  expect((await call(forged)).status).toBe(401)
  await until(async () => (await listed(customer)).length === 2)
  const listedOf = async (key: string) =>
    (await listed(customer)).filter(({ key_id }) => key_id === ApiKey.idOf(key))
  expect(await listedOf(revoked)).toEqual([expect.not.objectContaining({ key_name: "old" })])
  expect(await listedOf(over)).toEqual([expect.objectContaining({ status: 401, key_name: "over" })])
})

test("a call is kept for a revoked key, without its name, and hides its path in the store", async () => {
  const customer = await aCustomer()
  const other = await ApiKey.create(customer.account.id, "till")
  await customer.call("GET", "/api/instances/4917112345678", undefined, { authorization: `Bearer ${other}` })
  await until(async () => (await listed(customer)).length === 1)
  await ApiKey.revoke(customer.account.id, other.slice(4, 16))
  expect((await listed(customer))[0]).not.toHaveProperty("key_name")
  const rows = await Array.fromAsync(rowsOf(customer))
  expect(JSON.stringify(rows)).not.toContain("4917112345678")
  expect(Number(rows[0]?.expires_at) - Date.now() / 1000).toBeCloseTo(7 * 86_400, -2)
})

test("of a flood of refused calls a hundred are kept and the last one, which says how many were left out", async () => {
  const { refillMs } = RequestLog.keepLimit
  RequestLog.keepLimit.refillMs = 1500
  onTestFinished(() => void Object.assign(RequestLog.keepLimit, { refillMs }))
  const customer = await aCustomer()
  const call = { method: "GET", status: 404, keyId: customer.key.slice(4, 16), ms: 1 }
  const flood = Array.from({ length: 10_000 }, (_, i) => ({
    ...call,
    requestId: `flood-${i}`,
    path: `/${i}`,
  }))
  for (const each of flood) await RequestLog.add(customer.account.id, each)
  await customer.post("/api/instances", { customer_ref: "shop" })
  await until(async () => (await Array.fromAsync(rowsOf(customer))).length === 102)
  const refused = await listed(customer, "?refused=true&limit=100")
  expect(refused[0]).toMatchObject({ path: "/9999", left_out: 9899 })
  expect(await listed(customer, "?refused=false")).toHaveLength(1)
})

test("a call does not wait for a store that takes no row of it, and is answered as ever", async () => {
  const customer = await aCustomer()
  const { injected } = dynamoDb.faults
  for (const fault of ["slow", "denied"] as const) {
    const end = dynamoDb.faults.add({ fault, operation: "PutItem", when: isOfCall, ms: 1000 })
    const start = performance.now()
    expect((await customer.get("/api/instances/nobody")).status).toBe(404)
    expect(performance.now() - start).toBeLessThan(900)
    await until(() => injected.has(fault))
    end()
  }
})

function isOfCall(request: object): boolean {
  return JSON.stringify(request).includes("CALLS#")
}

function rowsOf({ account }: Customer) {
  return query({
    TableName: tables.requests,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": `CALLS#${account.id}` },
  })
}
