import { randomUUID } from "node:crypto"
import { describe, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { Bridge, BridgeAfterPatch, BridgeInList, BridgeWithManager } from "#contract/bridge.ts"
import { EventType, isUsual } from "#contract/event.ts"
import { Account } from "#core/account/account.ts"
import { Bridge as Stored } from "#core/bridge/bridge.ts"
import { Move } from "#core/bridge/move.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { config } from "#core/platform/config.ts"
import { batchWrite } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aCustomer, json, liftLimits } from "#test/support/service/customer.ts"
import { dynamoDb } from "#test/support/store.ts"

liftLimits()

/** Sets the operator's choice. */
const offer = (isOn: boolean) => void Object.assign(config, { SANDBOX: isOn })

/** The types of events that are sent unless others are chosen. */
const usual = EventType.options.filter(isUsual)

const shop = await aCustomer()
const old = { customer_ref: "old", webhook_url: "http://old.example/" }
await shop.post("/api/instances", old)

const choice = {
  events: usual,
  ignore: [],
  message_status: "counts",
  daily_presence: true,
  link_previews: false,
  media_store: null,
  pacing: null,
  proxy_url: null,
  keep: null,
  history: false,
}

/** The host holds the bridge, and another place has taken over its session. */
async function taken(bridgeId: string, host: Awaited<ReturnType<typeof aScriptedHost>>) {
  const { epoch } = await host.take(bridgeId)
  const report = async (status: "replaced" | "connected") =>
    await Lease.reportStatus({ bridgeId, host: host.id, epoch }, { status, since: 1, epoch })
  await report("replaced")
  return report
}

describe("creation", () => {
  test("a new bridge runs, has a secret of 32 bytes, and is listed", async () => {
    const customer = await aCustomer()
    const answer = await customer.post("/api/instances", {
      customer_ref: "shop-1",
      webhook_url: "http://127.0.0.1:9/hook",
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const bridge = await json(answer)
    expect(bridge).toEqual(expect.schemaMatching(Bridge.strict()))
    expect(bridge).toMatchObject({
      customer_ref: "shop-1",
      state: "running",
      webhook_url: "http://127.0.0.1:9/hook",
    })
    const secret = Buffer.from(String(bridge.webhook_secret).slice("whsec_".length), "base64")
    expect(secret).toHaveLength(32)

    const listed = await (await customer.get("/api/instances")).json()
    expect(listed).toEqual(expect.schemaMatching(z.array(BridgeInList.strict())))
    expect(listed).toHaveLength(1)
  })

  test("a webhook_url that is absent, null or empty is the hosted inbox", async () => {
    const customer = await aCustomer()
    for (const webhook_url of [undefined, null, ""]) {
      const answer = await customer.post("/api/instances", { customer_ref: `a-${webhook_url}`, webhook_url })
      expect([answer.status, await answer.json()]).toMatchObject([201, { webhook_url: "" }])
    }
  })

  test("a taken reference gives its bridge unchanged, whatever the URL and also without a subscription", async () => {
    const customer = await aCustomer()
    const first = await json(
      customer.post("/api/instances", { customer_ref: "shop", webhook_url: "http://a.example/" }),
    )
    await Account.setSubscription(customer.account.id, "none")
    const again = await customer.post("/api/instances", {
      customer_ref: "shop",
      webhook_url: "http://b.example/",
    })
    expect(again.status).toBe(200)
    expect(await again.json()).toEqual(first)
    expect(await Account.get(customer.account.id)).toMatchObject({ bridges: 1 })
  })

  test("where there are no sandboxes, no bridge is named `sandbox`, and none can be", async () => {
    const customer = await aCustomer()
    expect((await customer.get("/api/instances/sandbox")).status).toBe(404)
    const answer = await customer.post("/api/instances", { customer_ref: "sandbox" })
    expect([answer.status, (await json(answer)).code]).toEqual([400, "invalid_customer_ref"])
  })

  test("a sandbox is gone once the operator has turned sandboxes off, and its owner's again later", async () => {
    const customer = await aCustomer({ subscription: "none" })
    onTestFinished(() => offer(false))
    offer(true)
    const made = await json(customer.get("/api/instances/sandbox"))
    offer(false)
    for (const path of ["sandbox", "default", "sandbox/proxy/status"])
      expect((await customer.get(`/api/instances/${path}`)).status).toBe(404)
    expect(await (await customer.get("/api/instances")).json()).toEqual([])
    offer(true)
    expect(await json(customer.get("/api/instances/default"))).toMatchObject({ id: made.id })
  })

  test("exactly one of 20 creations at once succeeds at 9 of 10 bridges", async () => {
    const customer = await aCustomer()
    for (let i = 0; i < 9; i++)
      await Stored.create({ accountId: customer.account.id, customerRef: `first-${i}` })
    const asked = Array.from({ length: 20 }, (_, i) =>
      customer.post("/api/instances", { customer_ref: `more-${i}` }),
    )
    const answers = await Promise.all(asked)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 403)
    expect(refused).toHaveLength(19)
    expect(await refused[0]!.json()).toMatchObject({ code: "bridge_limit_reached" })
    expect(await (await customer.get("/api/instances")).json()).toHaveLength(10)
    expect(await Account.get(customer.account.id)).toMatchObject({ bridges: 10 })
  })

  test("the same reference asked for ten times at once is one bridge", async () => {
    const customer = await aCustomer()
    const asked = Array.from({ length: 10 }, () => customer.post("/api/instances", { customer_ref: "one" }))
    const answers = await Promise.all(asked)
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    const ids = await Promise.all(answers.map(async (answer) => (await json(answer)).id))
    expect(new Set(ids).size).toBe(1)
    expect(await Account.get(customer.account.id)).toMatchObject({ bridges: 1 })
  })

  test("without a subscription: 402 no_subscription with both URLs; past due: 402 payment_required", async () => {
    const none = await (
      await aCustomer({ subscription: "none" })
    ).post("/api/instances", { customer_ref: "a" })
    expect(none.status).toBe(402)
    expect(await none.json()).toMatchObject({ code: "no_subscription", dashboard_url: "", billing_url: "" })
    const late = await (
      await aCustomer({ subscription: "past_due" })
    ).post("/api/instances", { customer_ref: "a" })
    expect(late.status).toBe(402)
    expect(await late.json()).toMatchObject({ code: "payment_required" })
  })
})

describe("refused input", () => {
  test("a customer_ref of another form, or `default`, is 400 invalid_customer_ref and leaves nothing", async () => {
    const customer = await aCustomer()
    for (const customer_ref of ["default", "a/b", "x".repeat(65)]) {
      const answer = await customer.post("/api/instances", { customer_ref })
      const issues = [{ path: "customer_ref" }]
      const told = [400, { code: "invalid_customer_ref", issues }]
      expect([answer.status, await answer.json()]).toMatchObject(told)
    }
    expect(await (await customer.get("/api/instances")).json()).toEqual([])
  })

  test.for([
    ["not a URL", "hello"],
    ["ftp", "ftp://example.com/"],
    ["javascript", "javascript:alert(1)"],
    ["with user and password", "https://a:b@example.com/"],
    ["with a fragment", "https://example.com/#x"],
    ["with an empty fragment", "https://example.com/#"],
    ["at port 0", "https://example.com:0/"],
    ["with a space before it", " https://example.com/"],
    ["with a line break after it", "https://example.com/\n"],
    ["with a space within", "https://example.com/a b"],
    ["at a private address", "http://10.0.0.1/x"],
    ["at an address of the machine's surroundings", "http://169.254.169.254/latest/meta-data/"],
    ["at a private address, written otherwise", "http://0xa000001/"],
    ["at a private IPv6 address", "http://[fd00::1]/"],
  ])("a webhook_url that is %s is 400 invalid_webhook_url on POST and on PATCH", async ([, webhook_url]) => {
    const told = [400, { code: "invalid_webhook_url", issues: [{ path: "webhook_url" }] }]
    for (const answer of [
      await shop.post("/api/instances", { customer_ref: "a", webhook_url }),
      await shop.patch("/api/instances/old", { webhook_url }),
    ])
      expect([answer.status, await answer.json()]).toMatchObject(told)
    expect(await (await shop.get("/api/instances")).json()).toHaveLength(1)
    expect(await json(shop.get("/api/instances/old"))).toMatchObject(old)
  })

  test("a webhook_url at an address that URL_ALLOW names is taken, on POST and on PATCH", async () => {
    const customer = await aCustomer()
    const [one, other] = ["http://127.0.0.1:9/one", "http://[::1]:9/other"]
    const made = await customer.post("/api/instances", { customer_ref: "a", webhook_url: one })
    expect(await made.json()).toMatchObject({ webhook_url: one })
    const changed = await customer.patch("/api/instances/a", { webhook_url: other })
    expect(await changed.json()).toMatchObject({ webhook_url: other })
  })
})

describe("reading", () => {
  test("a bridge that no host holds yet is starting; its URL and secret are shown", async () => {
    const customer = await aCustomer()
    const created = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const answer = await customer.get("/api/instances/a")
    expect(answer.headers.get("cache-control")).toBe("no-store")
    const bridge = await answer.json()
    expect(bridge).toEqual(expect.schemaMatching(BridgeWithManager.strict()))
    const manager = { health: "starting", started_at: "", fail_count: 0 }
    expect(bridge).toEqual({
      ...created,
      ...choice,
      manager,
      explanation: "Starting. It waits for a machine to run on.",
    })
  })

  test("a held bridge is healthy since its session began; a paused one is stopped, and why", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const host = await aScriptedHost((_, response) => sayJson(response, 200, {}))
    const lease = await host.take(String(id))
    const held = await json(customer.get("/api/instances/a"))
    expect(held).toMatchObject({
      state: "running",
      manager: { health: "healthy", started_at: new Date(lease.startedMs).toISOString() },
    })
    const bridge = (await Stored.byId(String(id)))!
    const phone = LinkedPhone.sealed("15550001", bridge.id, await Stored.deliveryKeyOf(bridge))
    await Lease.reportStatus(lease, {
      status: "unpaired",
      objection: "banned",
      since: 7,
      epoch: lease.epoch,
      phone,
    })
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({
      reported: { status: "unpaired", objection: "banned", since: 7, phone: "15550001" },
    })
    await Lease.stop(String(id), "billing")
    const paused = await json(customer.get("/api/instances/a"))
    expect(paused).toMatchObject({
      state: "paused",
      paused_reason: "billing",
      manager: { health: "stopped" },
    })
    await Lease.wake(String(id), "billing")
    await Lease.stop(String(id), "suspended")
    const suspended = await json(customer.get("/api/instances/a"))
    expect(suspended).toMatchObject({ state: "suspended" })
    expect(suspended).not.toHaveProperty("paused_reason")
  })

  test("`default` is the account's first bridge", async () => {
    const customer = await aCustomer()
    await customer.post("/api/instances", { customer_ref: "zebra" })
    await customer.post("/api/instances", { customer_ref: "ant" })
    expect(await json(customer.get("/api/instances/default"))).toMatchObject({ customer_ref: "zebra" })
    const none = await (await aCustomer()).get("/api/instances/default")
    expect(none.status).toBe(404)
  })

  test("`default` is the next one once the first is deleted, and is found without reading all", async () => {
    const customer = await aCustomer()
    for (const customer_ref of ["zebra", "yak", "ant"])
      await customer.post("/api/instances", { customer_ref })
    // Whoever reads every bridge's row throws.
    const row = { ...Stored.key(customer.account.id, "unreadable"), id: 1 }
    await batchWrite([{ table: tables.accounts, row }])
    await customer.call("DELETE", "/api/instances/default")
    expect(await json(customer.get("/api/instances/default"))).toMatchObject({ customer_ref: "yak" })
    await customer.call("DELETE", "/api/instances/yak")
    await customer.post("/api/instances", { customer_ref: "zebra" })
    expect(await json(customer.get("/api/instances/default"))).toMatchObject({ customer_ref: "ant" })
  })
})

async function refs(answer: Response): Promise<string[]> {
  return ((await answer.json()) as { customer_ref: string }[]).map(({ customer_ref }) => customer_ref)
}

/** The pages of this size, and whether each says where the next one begins. */
async function pages(customer: { get: (path: string) => Promise<Response> }, limit: number) {
  const seen: string[][] = []
  for (let after: string | null = ""; after !== null;) {
    const page = await customer.get(`/api/instances?limit=${limit}&after=${after}`)
    after = page.headers.get("x-next-after")
    seen.push(await refs(page))
  }
  return seen
}

describe("the list", () => {
  test("comes in pages by reference, or whole in the order of creation, the sandbox last", async () => {
    const customer = await aCustomer()
    onTestFinished(() => offer(false))
    offer(true)
    for (const customer_ref of ["sandbox", "b", "B", "b-1", "c_", "a"])
      await customer.post("/api/instances", { customer_ref })
    expect(await refs(await customer.get("/api/instances"))).toEqual(["b", "B", "b-1", "c_", "a", "sandbox"])
    expect(await pages(customer, 2)).toEqual([
      ["B", "a"],
      ["b", "b-1"],
      ["c_", "sandbox"],
    ])
    offer(false)
    expect(await pages(customer, 5)).toEqual([["B", "a", "b", "b-1", "c_"]])
    expect(await refs(await customer.get("/api/instances?after=b0"))).toEqual(["c_"])
    for (const wrong of ["limit=0", "limit=1001", "after=%C3%A4", `after=${"x".repeat(65)}`])
      expect([wrong, (await customer.get(`/api/instances?${wrong}`)).status]).toEqual([wrong, 400])
  })

  test("of a key for some bridges has those alone, page after page", async () => {
    const customer = await aCustomer()
    for (const customer_ref of ["d", "c", "b", "a"]) await customer.post("/api/instances", { customer_ref })
    const made = await json(customer.post("/api/keys", { name: "k", customer_refs: ["d", "c", "a"] }))
    const get = async (path: string) =>
      await customer.call("GET", path, undefined, { authorization: `Bearer ${String(made.key)}` })
    expect(await pages({ get }, 2)).toEqual([["a", "c"], ["d"]])
    expect(await refs(await get("/api/instances"))).toEqual(["d", "c", "a"])
  })

  test("of more than 10,000 bridges is refused without pages, and says so", async () => {
    const customer = await aCustomer()
    const accountId = customer.account.id
    const { bridge } = await Stored.create({ accountId, customerRef: "first" })
    const rows = Array.from({ length: 9_999 }, (_, i) =>
      Stored.toRow({ ...bridge, id: randomUUID(), customerRef: `n${i}` }),
    )
    await batchWrite(rows.map((row) => ({ table: tables.accounts, row })))
    expect((await customer.get("/api/instances")).status).toBe(200)
    await Stored.create({ accountId, customerRef: "one-more" })
    const refused = await customer.get("/api/instances")
    expect([refused.status, await json(refused)]).toMatchObject([
      400,
      { code: "invalid_request", issues: [{ path: "limit", message: /10,000 .*`limit` and `after`/ }] },
    ])
    const last = ["first", ...rows.map((row) => String(row.customer_ref))].toSorted()[999]
    expect((await customer.get("/api/instances?limit=1000")).headers.get("x-next-after")).toBe(last)
  })
})

describe("PATCH", () => {
  test("chooses the events that are told and the chats that are ignored, each for itself, and GET shows them", async () => {
    const customer = await aCustomer()
    const webhook_url = "http://hook.example/"
    await customer.post("/api/instances", { customer_ref: "a", webhook_url })
    const shown = async () => {
      const bridge = await json(customer.get("/api/instances/a"))
      expect(bridge).toEqual(expect.schemaMatching(BridgeWithManager.strict()))
      return bridge
    }
    expect(await shown()).toMatchObject({ events: usual, ignore: [] })

    const answer = await customer.patch("/api/instances/a", { events: ["message", "connected", "message"] })
    expect(answer.status).toBe(200)
    const patched = await json(answer)
    expect(patched).toEqual(expect.schemaMatching(BridgeAfterPatch.strict()))
    expect(patched).toMatchObject({ webhook_url, inbox: false, events: ["message", "connected"], ignore: [] })
    await customer.patch("/api/instances/a", { ignore: ["groups", "status"] })
    expect(await shown()).toMatchObject({ events: ["message", "connected"], ignore: ["groups", "status"] })
    await customer.patch("/api/instances/a", { webhook_url: "" })
    expect(await shown()).toMatchObject({ webhook_url: "", ignore: ["groups", "status"] })
    await customer.patch("/api/instances/a", { events: null, ignore: [] })
    expect(await shown()).toMatchObject({ events: usual, ignore: [], daily_presence: true })
    expect(usual).not.toContain("message_status")
    await customer.patch("/api/instances/a", { events: ["message_status"], message_status: "participants" })
    expect(await shown()).toMatchObject({ events: ["message_status"], message_status: "participants" })
    await customer.patch("/api/instances/a", { events: null })
    expect(await shown()).toMatchObject({ events: usual, message_status: "participants" })
    await customer.patch("/api/instances/a", { daily_presence: false })
    await customer.patch("/api/instances/a", { ignore: ["groups"] })
    expect(await shown()).toMatchObject({ ignore: ["groups"], daily_presence: false, pacing: null })
    const pacing = { new_chats_a_day: 20, gap_ms: 3000 }
    await customer.patch("/api/instances/a", { pacing })
    await customer.patch("/api/instances/a", { daily_presence: true })
    expect(await shown()).toMatchObject({ ignore: ["groups"], daily_presence: true, pacing })
    await customer.patch("/api/instances/a", { pacing: null })
    const proxy_url = "socks5://ada:word@127.0.0.1:1080"
    expect(await json(customer.patch("/api/instances/a", { proxy_url }))).toMatchObject({ proxy_url: "***" })
    expect(await shown()).toMatchObject({ proxy_url: "***" })
    const refused = await customer.patch("/api/instances/a", { proxy_url: "ftp://ada:word@127.0.0.1" })
    expect(refused.status).toBe(400)
    expect(await refused.text()).not.toContain("word")
    await customer.patch("/api/instances/a", { proxy_url: null })
    expect(await shown()).toMatchObject({ proxy_url: null })
    expect(await shown()).toMatchObject({ pacing: null })
    await customer.patch("/api/instances/a", { pacing: null, keep: 30 })
    expect(await shown()).toMatchObject({ pacing: null, keep: 30 })
    await customer.patch("/api/instances/a", { ignore: [] })
    expect(await shown()).toMatchObject({ keep: 30 })
    await customer.patch("/api/instances/a", { keep: null })
    expect(await shown()).toMatchObject({ keep: null })
  })

  test("keeps a media store with its secret sealed, and refuses one at no public https address", async () => {
    const customer = await aCustomer()
    await customer.post("/api/instances", { customer_ref: "a" })
    const patch = (media_store: object | null) => json(customer.patch("/api/instances/a", { media_store }))
    const given = {
      bucket: "shop-media",
      access_key_id: "AKID",
      secret_access_key: "a secret word".replaceAll(" ", "/"),
    }
    const shown = { ...given, region: "us-east-1", prefix: "", link: "presigned", secret_access_key: "***" }
    expect(await patch(given)).toMatchObject({ media_store: shown })
    const bridge = BridgeWithManager.strict().parse(await json(customer.get("/api/instances/a")))
    expect(bridge).toMatchObject({ media_store: shown })
    const kept = (await Lease.get(bridge.id))?.choice.mediaStore
    expect(kept).toMatchObject({ bucket: "shop-media" })
    expect(JSON.stringify(kept)).not.toContain(given.secret_access_key)
    const endpoints = [
      "http://10.0.0.1",
      "https://a.example/path",
      "https://ada@a.example",
      "ftp://a.example",
    ]
    for (const endpoint of endpoints)
      expect(await patch({ ...given, endpoint })).toMatchObject({ code: "invalid_request" })
    expect(await patch({ ...given, secret_access_key: "***" })).toMatchObject({ code: "invalid_request" })
    expect(await patch(null)).toMatchObject({ media_store: null })
  })

  test("of a wrong field is refused, says what to change, and changes nothing else", async () => {
    const customer = await aCustomer()
    await customer.post("/api/instances", { customer_ref: "a" })
    for (const [body, path, message] of [
      [{ events: ["message", "reaction"] }, "events.1", /must be "message" or "connected" or/],
      [{ keep: 8 }, "keep", /must be 7, 30 or 90, or null/],
      [{ history: true }, "history", /needs `keep`, which is not set/],
      [{ message_status: "participants" }, "message_status", /needs `message_status` among `events`/],
      [{ pacing: { gap_ms: -1 } }, "pacing.gap_ms", /./],
      [{ pacing: { new_chats_a_day: "20" } }, "pacing.new_chats_a_day", /./],
      [{ pacing: { typing_ms: 60_000 } }, "pacing.typing_ms", /./],
    ] as const) {
      const answer = await customer.patch("/api/instances/a", { webhook_url: "http://new.example/", ...body })
      const issues = [{ path, message: expect.stringMatching(message) }]
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: "invalid_request", issues }])
    }
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({ webhook_url: "" })
  })

  test("the new URL of a bridge that no host holds is written", async () => {
    const customer = await aCustomer()
    const created = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const answer = await customer.patch("/api/instances/a", { webhook_url: "http://new.example/in" })
    expect(answer.status).toBe(200)
    const changed = await answer.json()
    expect(changed).toEqual(expect.schemaMatching(BridgeAfterPatch.strict()))
    expect(changed).toEqual({ ...created, ...choice, webhook_url: "http://new.example/in", inbox: false })
    expect(await json(customer.patch("/api/instances/a", { webhook_url: null }))).toMatchObject({
      inbox: true,
      webhook_url: "",
    })
  })

  test("a new URL is written without a word to the holder: the session on the network is not touched", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const host = await aScriptedHost((_, response) => sayJson(response, 200, { ok: true }))
    await host.take(String(id))
    for (const webhook_url of ["http://new.example/", "http://other.example/", "http://other.example/", null])
      expect((await customer.patch("/api/instances/a", { webhook_url })).status).toBe(200)
    expect(host.calls).toEqual([])
  })

  test("the same URL restarts a session whose place another has taken", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const host = await aScriptedHost((_, response) => sayJson(response, 200, { ok: true }))
    const report = await taken(String(id), host)
    for (const status of ["replaced", "connected"] as const) {
      await report(status)
      expect((await customer.patch("/api/instances/a", { webhook_url: null })).status).toBe(200)
      expect(host.calls.map(({ path }) => path)).toEqual(["/restart"])
    }
  })

  test("the holder refuses: 502 orchestrator_failed, and nothing is written", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const host = await aScriptedHost((_, response) =>
      sayJson(response, 500, { error: "secret upstream text" }),
    )
    await taken(String(id), host)
    const answer = await customer.patch("/api/instances/a", { webhook_url: "http://new.example/" })
    expect(answer.status).toBe(502)
    const body = await answer.text()
    expect(body).toContain("orchestrator_failed")
    expect(body).not.toContain("upstream")
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({ webhook_url: "" })
  })

  test("the holder does not answer: 502 within its 10 s, and nothing is written", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const host = await aScriptedHost(() => "never answers")
    await taken(String(id), host)
    const answer = await customer.patch("/api/instances/a", { webhook_url: "http://new.example/" })
    expect(answer.status).toBe(502)
    expect(host.calls).toHaveLength(1)
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({ webhook_url: "" })
  })

  test("a paused or suspended bridge is 409; one paused for idleness is woken", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    const patch = () => customer.patch("/api/instances/a", { webhook_url: "http://new.example/" })
    await Lease.stop(String(id), "operator")
    const paused = await patch()
    expect([paused.status, (await json(paused)).code]).toEqual([409, "bridge_paused"])
    await Lease.wake(String(id), "operator")
    await Lease.stop(String(id), "suspended")
    const suspended = await patch()
    expect([suspended.status, (await json(suspended)).code]).toEqual([409, "bridge_suspended"])
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({ webhook_url: "" })

    await Lease.wake(String(id), "suspended")
    await Lease.stop(String(id), "idle")
    const woken = await patch()
    expect(woken.status).toBe(200)
    expect(await woken.json()).toMatchObject({ state: "running" })
    expect(await Lease.get(String(id))).toMatchObject({ host: Lease.FREE })
  })

  test("a bridge that has moved is 409, whatever is asked of it, but can be looked at and deleted", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    await Move.leave((await Stored.byId(String(id)))!, "an export")
    for (const [method, path, body] of [
      ["PATCH", "", { events: ["message"] }],
      ["GET", "/webhooks"],
      ["POST", "/webhooks", { url: "http://new.example/" }],
      ["GET", "/events?state=inbox"],
      ["POST", "/webhook-secret/roll"],
      ["POST", "/proxy/send/text", { chat: "491711234567", body: "hello" }],
      ["GET", "/proxy/status"],
    ] as const) {
      const answer = await customer.call(method, `/api/instances/a${path}`, body)
      expect([path, answer.status, (await json(answer)).code]).toEqual([path, 409, "bridge_moved"])
    }
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({
      state: "moved",
      manager: { health: "stopped" },
    })
    expect((await customer.call("DELETE", "/api/instances/a")).status).toBe(204)
    expect((await customer.post("/api/instances", { customer_ref: "a" })).status).toBe(201)
  })

  test("the store does not wake it: 502 orchestrator_failed, and it stays as it was", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
    await Lease.stop(String(id), "idle")
    const when = (request: object) => "Key" in request && JSON.stringify(request).includes(String(id))
    const back = dynamoDb.faults.add({ fault: "transaction-conflict", operation: "UpdateItem", when })
    const refused = await customer.patch("/api/instances/a", { webhook_url: "http://new.example/" })
    back()
    expect([refused.status, (await json(refused)).code]).toEqual([502, "orchestrator_failed"])
    expect(await Lease.get(String(id))).toMatchObject({ host: Lease.STOPPED, stopped: ["idle"] })
    expect(await json(customer.get("/api/instances/a"))).toMatchObject({ webhook_url: "" })
    expect((await customer.patch("/api/instances/a", { webhook_url: null })).status).toBe(200)
  })
})
