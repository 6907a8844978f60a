import { randomUUID } from "node:crypto"
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { ApiKey } from "#core/account/api-key.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { Config, config } from "#core/platform/config.ts"
import { callsUnderWay } from "#functions/http/rate-limits.ts"
import { app } from "#test/support/service/app.ts"
import { aCustomer, anAddress, at, json } from "#test/support/service/customer.ts"
import { dynamoDb } from "#test/support/store.ts"

afterEach(() => void vi.useRealTimers())

/** Makes this many requests at once; returns the answers, and those that were refused. */
async function many(count: number, ask: () => Promise<Response>) {
  const answers = await Promise.all(Array.from({ length: count }, ask))
  return { answers, refused: answers.filter(({ status }) => status === 429) }
}

const ranges = (text: string) => Config.shape.TRUST_PROXY.parse(text)

const forwarded = (...addresses: string[]) => ({ "x-forwarded-for": addresses.join(", ") })

const counted = (answers: Response[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([s, all]) => [s, all.length]))

const numbersOf = (answer: Response) =>
  ["limit", "remaining", "reset"].map((name) => Number(answer.headers.get(`ratelimit-${name}`)))

/** How many requests the caller's address has left in this window. */
async function remaining(from: object, headers: Record<string, string> = {}) {
  return numbersOf(await app.request("/healthz", { headers }, from))[1]
}

describe("of 200 requests at once", () => {
  test("exactly 120 of a key pass to the proxy, and 120 to everything else: two scopes", async () => {
    const customer = await aCustomer()
    const proxied = await many(200, () => customer.get("/api/instances/nobody/proxy/status"))
    expect(counted(proxied.answers)).toEqual({ 404: 120, 429: 80 })
    // The address's own floor has let 200 through, so 100 are left.
    const others = await many(100, () => customer.get("/api/instances"))
    expect(others.refused).toHaveLength(0)
  })

  test("exactly 300 calls of an address pass the floor, with whatever key and to whatever path", async () => {
    const from = at(anAddress())
    const paths = ["/healthz", "/api/instances", "/elsewhere"]
    for (const path of paths) expect((await app.request(path, {}, from)).status).not.toBe(429)
    const { refused } = await many(400, async () => await app.request("/healthz", {}, from))
    expect(refused).toHaveLength(103)
  })

  test("exactly 10 creations pass", async () => {
    const customer = await aCustomer()
    const { refused, answers } = await many(30, () => customer.post("/api/instances", { customer_ref: "a" }))
    expect(refused).toHaveLength(20)
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(10)
    // A refused request creates nothing, and no other request is refused.
    expect((await customer.get("/api/instances")).status).toBe(200)
  })
})

describe("a refusal", () => {
  test("is the specified sentence, with the seconds until the window ends", async () => {
    const customer = await aCustomer()
    const { refused } = await many(11, () => customer.post("/api/instances", {}))
    const [answer] = refused
    const retryAfter = Number(answer!.headers.get("retry-after"))
    expect(retryAfter).toBeGreaterThan(50)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(numbersOf(answer!)).toEqual([10, 0, retryAfter])
    expect(await json(answer!)).toMatchObject({ error: "rate limit exceeded", code: "rate_limited" })
  })

  test("ends when 60 s have passed since the window's first request", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const customer = await aCustomer()
    const create = async () => (await customer.post("/api/instances", {})).status
    expect(await create()).toBe(400)
    vi.setSystemTime(Date.now() + 30_000)
    for (let i = 0; i < 9; i++) expect(await create()).toBe(400)
    vi.setSystemTime(Date.now() + 29_900)
    expect(await create()).toBe(429)
    vi.setSystemTime(Date.now() + 100)
    const first = await customer.post("/api/instances", {})
    expect([first.status, ...numbersOf(first)]).toEqual([400, 10, 9, 60])
  })

  test("of one key is none of another's, not even of the same account", async () => {
    const customer = await aCustomer()
    await many(11, () => customer.post("/api/instances", {}))
    const key = await ApiKey.create(customer.account.id, "other")
    const other = { authorization: `Bearer ${key}` }
    expect((await customer.call("POST", "/api/instances", {}, other)).status).toBe(400)
  })

  test("comes before the key is looked at: wrong keys count for the address", async () => {
    const from = at(anAddress())
    const headers = { authorization: "Bearer mbk_wrong" }
    const guess = async () => await app.request("/api/instances", { headers }, from)
    const { answers, refused } = await many(310, guess)
    expect(refused).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(300)
  })
})

test("every answer says how much is left: of the key's scope, else of the address", async () => {
  const customer = await aCustomer()
  const limitOf = async (method: string, path: string) =>
    numbersOf(await customer.call(method, path)).slice(0, 2)
  expect(await limitOf("GET", "/api/instances")).toEqual([120, 119])
  expect(await limitOf("GET", "/api/nothing")).toEqual([120, 118])
  expect(await limitOf("PUT", "/api/instances")).toEqual([120, 117])
  expect(await limitOf("GET", "/api/instances/shop/proxy/status")).toEqual([120, 119])
  expect(await limitOf("GET", "/api/instances/shop/%70roxy/status")).toEqual([120, 118])
  expect(await limitOf("GET", "/api/instances/shop/proxy")).toEqual([120, 117])
  expect(await limitOf("POST", "/api/instances")).toEqual([10, 9])
  const from = at(anAddress())
  expect(numbersOf(await app.request("/healthz", {}, from)).slice(0, 2)).toEqual([300, 299])
  expect(numbersOf(await app.request("/api/instances", {}, from)).slice(0, 2)).toEqual([300, 298])
})

describe("the address", () => {
  test("is never what the caller writes", async () => {
    const from = at(anAddress())
    for (const left of [299, 298, 297]) {
      const headers = {
        "x-forwarded-for": anAddress(),
        "x-viewer-address": anAddress(),
        "x-real-ip": anAddress(),
        forwarded: `for=${anAddress()}`,
      }
      expect(await remaining(from, headers)).toBe(left)
    }
  })

  test("is the router's word beside the router's secret, and beside no other", async () => {
    config.ROUTER_SECRET = randomUUID()
    const [router, viewer] = [at(anAddress()), anAddress()]
    const headers = { "x-viewer-address": viewer, "x-router-secret": config.ROUTER_SECRET }
    expect(await remaining(router, headers)).toBe(299)
    expect(await remaining(at(anAddress()), headers)).toBe(298)
    config.ROUTER_SECRET = undefined
    expect(await remaining(router, headers)).toBe(299)
  })

  test("behind trusted proxies is the last one that none of them has, whatever the caller wrote before it", async () => {
    config.TRUST_PROXY = ranges("127.0.0.0/8,2001:db8:ff::/48")
    onTestFinished(() => void (config.TRUST_PROXY = []))
    const caller = anAddress()
    expect(await remaining(at("127.0.0.1"), forwarded(anAddress(), caller))).toBe(299)
    expect(await remaining(at("::ffff:127.0.0.1"), forwarded("nonsense", caller, "2001:db8:ff::1"))).toBe(298)
    expect(await remaining(at(caller), forwarded(anAddress()))).toBe(297)
  })

  test("of Lambda is the event's", async () => {
    const sourceIp = anAddress()
    const event = { event: { requestContext: { http: { sourceIp } } } }
    expect(await remaining(event, { "x-forwarded-for": anAddress() })).toBe(299)
    expect(await remaining(at(sourceIp))).toBe(298)
  })

  test("counts per /64 in IPv6, and is the IPv4 one where that is written as IPv6", async () => {
    expect(await remaining(at("2001:db8:1:2::1"))).toBe(299)
    expect(await remaining(at("2001:db8:1:2:ffff:ffff:ffff:ffff%eth0"))).toBe(298)
    expect(await remaining(at("2001:db8:1:3::1"))).toBe(299)
    const v4 = anAddress()
    expect(await remaining(at(`::ffff:${v4}`))).toBe(299)
    expect(await remaining(at(v4))).toBe(298)
  })
})

describe("a counter", () => {
  test("that is throttled lets no caller through, and is let alone for a second", async () => {
    const from = at(anAddress())
    const back = dynamoDb.faults.add({ fault: "throughput-exceeded", operation: "UpdateItem" })
    const answer = await app.request("/healthz", {}, from)
    back()
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"])
    await expect.poll(async () => (await app.request("/healthz", {}, from)).status).toBe(200)
  })

  test("that cannot be reached is 503, never free", async () => {
    const back = dynamoDb.faults.add({ fault: "gone" })
    const answer = await app.request("/healthz", {}, at(anAddress()))
    back()
    expect(answer.status).toBe(503)
  })

  test("is not written to once its limit is known to be reached", async () => {
    const who = randomUUID()
    for (let i = 0; i < 11; i++) await RateLimit.count("provision", who)
    let asked = 0
    const back = dynamoDb.faults.add({
      fault: "slow",
      when: (request) => {
        if (JSON.stringify(request).includes(who)) asked++
        return false
      },
    })
    for (let i = 0; i < 5; i++)
      expect(await RateLimit.count("provision", who)).toMatchObject({ isExceeded: true })
    back()
    expect(asked).toBe(0)
  })
})

test("an account with as many calls under way as it may have is refused more, by any key, and no other is", async () => {
  const { each } = callsUnderWay
  onTestFinished(() => void (callsUnderWay.each = each))
  callsUnderWay.each = 2
  const [customer, other] = [await aCustomer(), await aCustomer()]
  const key = await ApiKey.create(customer.account.id, "another")
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const begun = [1, 2].map(() => {
    const body = new TransformStream<Uint8Array, Uint8Array>()
    const init = { method: "POST", headers, body: body.readable, duplex: "half" as const }
    const answer = Promise.resolve(app.request("/api/instances", init, at(anAddress())))
    return { answer, writer: body.writable.getWriter() }
  })
  // A stream is read once its call is under way.
  await Promise.all(begun.map(({ writer }) => writer.write(Buffer.from("{"))))
  const refused = await customer.get("/api/instances")
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
  expect((await other.get("/api/instances")).status).toBe(200)
  await begun[0]!.writer.close()
  expect((await begun[0]!.answer).status).toBe(400)
  expect((await customer.get("/api/instances")).status).toBe(200)
  await begun[1]!.writer.close()
  await begun[1]!.answer
})

test("while the process is busy, eight calls of an account are worked on, and others' go on", async () => {
  const [customer, other] = [await aCustomer(), await aCustomer()]
  const spin = async () => {
    await customer.get("/api/instances")
    await other.get("/api/instances")
    const until = performance.now() + 300
    while (performance.now() < until);
  }
  await spin()
  const headers = { authorization: `Bearer ${customer.key}`, "content-type": "application/json" }
  const read: number[] = []
  const end = Promise.withResolvers<void>()
  const begun = Array.from({ length: 20 }, async (_, n) => {
    const body = new ReadableStream(
      {
        async pull(reader) {
          read.push(n)
          await end.promise
          reader.close()
        },
      },
      { highWaterMark: 0 },
    )
    const init = { method: "POST", headers, body, duplex: "half" as const }
    return await app.request("/api/keys", init, at(anAddress()))
  })
  await vi.waitFor(() => expect(read).toHaveLength(8))
  expect((await other.get("/api/instances")).status).toBe(200)
  end.resolve()
  const statuses = (await Promise.all(begun)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([400]))
})
