import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, expect, test, vi } from "vitest"
import { z } from "zod"
import { type RouteName, routes } from "#contract/routes.ts"
import { inlineBytes } from "#contract/send.ts"
import { apiClient, Unexpected } from "#one-machine/api-client.ts"
import { untilConnected } from "#one-machine/network/link.ts"
import { noRateLimits } from "#one-machine/service/spawn-service.ts"
import { asking, type Route } from "#test/e2e/asking.ts"
import { letRest } from "#test/support/network/gateway.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { admin as atMachine, start as startMachine } from "#test/support/service/killable-service.ts"
import { newPasskey } from "#test/support/service/passkey.ts"
import { customersOf } from "#test/support/service/service.ts"
import { until } from "#test/support/until.ts"
import { evaluate } from "../evaluate.ts"
import { type Graph, graphOf } from "../graph.ts"
import { operatorsVerbs } from "../operators-verbs.ts"
import { nouns } from "../with-billing.ts"
import { everyDoor, everyRoute } from "./every-door.ts"
import { byChance, kept } from "./kept-rights.ts"
import { aBrowser, admin as asOperator, movePassphrase, textOf } from "./people.ts"
import { rightsOf, unused } from "./rights.ts"
import { type Stage, startStage } from "./stage.ts"

// Every route, page, form, stream and verb, with every option on and off. At the end each right has been
// needed, or has a reason in `kept-rights.ts`.

// For the clients that stand in for Lambda's own.
const local = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" }
const withoutOptions = { ...noRateLimits, MAIL_FROM: "bridge@mail.example.com" }
Object.assign(process.env, local, withoutOptions)

const network = await aNetwork()
const stage = await startStage(network)
const graphs: Graph[] = []
let sandbox: Stage | undefined

afterAll(async () => {
  for (const one of new Set(denied())) console.error(`refused by its policy: ${one}`)
  for (const line of stage.lines) if (line.includes('"request failed"')) console.error(line)
  await sandbox?.close()
  await stage.close()
  await network.close()
})

const judged = () => [...stage.judged, ...(sandbox?.judged ?? [])]

function denied(): string[] {
  return judged().flatMap(({ isAllowed, role, action, resource }) =>
    isAllowed ? [] : [`${role}: ${action} on ${resource}`],
  )
}

/** `sst deploy --stage staging` with these settings. */
async function deploy(to: Stage, settings: Record<string, string>): Promise<void> {
  vi.resetModules()
  Object.assign(process.env, settings)
  const graph = graphOf(await evaluate("staging"))
  for (const name of Object.keys(settings)) delete process.env[name]
  graphs.push(graph)
  await to.deploy(graph)
}

const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE } = stage.stripe.environment
const origin = `https://${new URL(stage.url).host}`
await deploy(stage, {
  BILLING: "stripe",
  STRIPE_SECRET_KEY,
  STRIPE_WEBHOOK_SECRET,
  STRIPE_PRICE,
  DASHBOARD_URL: origin,
})

/** `npm run admin -- --json`: the first row that the verb prints. */
async function firstRow<Row>(row: z.ZodType<Row>, ...words: string[]): Promise<Row> {
  const [first] = await asOperator(stage, ...words)
  if (!first) throw new Unexpected(`${words.join(" ")} printed nothing`)
  return row.parse(first)
}

// After the deploy, which has every module loaded anew.
const { place, wholeOf } = await import("#test/e2e/whole-service.ts")
place.start = async () =>
  await wholeOf({
    admin: firstRow,
    network: network.control,
    customer: customersOf({ admin: firstRow, baseUrl: stage.url, network: network.control }),
    stop: async () => {},
    remove: () => {},
  })
const [
  { bridges },
  { messages },
  { people },
  { planneds },
  { groups },
  { chats },
  { channels },
  { ada, adaWrites, arrived, grace, whole },
] = [
  await import("#test/e2e/endpoints/bridges.ts"),
  await import("#test/e2e/endpoints/messages.ts"),
  await import("#test/e2e/endpoints/people.ts"),
  await import("#test/e2e/endpoints/planned.ts"),
  await import("#test/e2e/endpoints/groups.ts"),
  await import("#test/e2e/endpoints/chats.ts"),
  await import("#test/e2e/endpoints/channels.ts"),
  await import("#test/e2e/endpoints/stage.ts"),
]
const cases = { ...bridges, ...messages, ...people, ...planneds, ...groups, ...chats, ...channels }
// As declared there.
const all = Object.values(routes).flatMap((group) => Object.entries(group)) as [RouteName, Route][]

test.for(all)("the route %s does what it says, under its policy", async ([name, route]) => {
  expect(cases).toHaveProperty(name)
  await cases[name](asking(whole, route, () => {}))
})

test("every route answers whatever the contract's example finds", async () => {
  await whole.bridge("nobody")
  await everyRoute(whole.call, "nobody")
  // The account's own, if it names none.
  for (const [method, path] of [
    ["GET", "/logs"],
    ["POST", "/webhook-test"],
  ] as const) {
    const answer = await whole.call(method, `/api/instances/default${path}`)
    expect([answer.status, (await textOf(answer)).length > 0]).toEqual([200, true])
  }
  expect(denied()).toEqual([])
})

test("an agent opens the file of a message", async () => {
  const data = Buffer.from("one, two").toString("base64")
  const id = await adaWrites({
    media: { kind: "document", mimetype: "text/plain", data, filename: "list.txt" },
  })
  await arrived(id)
  const made = await whole.call("POST", "/api/keys", { name: "agent" })
  const { key } = z.object({ key: z.string() }).parse(await made.json())
  const agent = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await agent.connect(new StreamableHTTPClientTransport(new URL("/mcp", stage.url), { requestInit }))
  const told = await agent.callTool({ name: "open_file", arguments: { number: "shop", message_id: id } })
  await agent.close()
  expect(JSON.stringify(told)).toContain("one, two")
  expect(denied()).toEqual([])
})

const eve = aBrowser(stage)
/** The verbs that were used. */
const verbs = new Set<string>()
const admin = async (noun: string, ...words: string[]) => {
  const [first = ""] = words
  verbs.add(`${noun} ${Object.keys(nouns[noun] ?? {}).includes(first) ? first : ""}`)
  return await asOperator(stage, noun, ...words)
}
/** The account of the last person who signed in. */
let accountId = ""

/** Signs in a person whose account may add numbers without paying. @returns the account's id */
async function guest(browser: ReturnType<typeof aBrowser>, email: string): Promise<string> {
  const known = new Set((await admin("account", "list")).map(({ id }) => id))
  await browser.signInByLink(email)
  const id = String((await admin("account", "list")).find((one) => !known.has(one.id))!.id)
  await admin("account", "subscription", id, "active")
  return id
}

const receiver = whole.webhook
/** The event that a page shows first. */
const eventIn = (body: string) =>
  /\/numbers\/till\/events\/(evt_\w+)/.exec(body.replaceAll("&#x2F;", "/"))?.[1]
const at = (path: string) => `/numbers/till${path}`

/** Sends a form, and expects that it does what it is for. */
async function send(path: string, form: Record<string, string> = {}) {
  const answer = await eve.page("POST", path, form)
  expect([path, answer.status < 400 || answer.body]).toEqual([path, true])
  return answer
}

async function opens(path: string, status = 200) {
  const answer = await eve.page("GET", path)
  expect([path, answer.status]).toEqual([path, status])
  return answer.body
}

/** A file that came, an answer with a file, and one that is refused, whose key is free again. */
async function inChat(phone: string): Promise<void> {
  const chat = at(`/chats/${ada.number}`)
  const png = { kind: "image", mimetype: "image/png", data: "iVBORw0KGgo=" }
  const picture = await whole.write(ada, phone, { media: png })
  await until(async () => (await eve.page("GET", `${chat}/files/${picture}`)).type === "image/png")
  const number = /name="number" value="([^"]+)" autocomplete/.exec(await opens(chat))![1]!
  const form = new FormData()
  form.append("key", crypto.randomUUID())
  form.append("number", number)
  form.append("file", new File([new Uint8Array(inlineBytes + 1)], "list.bin"))
  expect(await eve.page("POST", `${chat}/answer`, form)).toMatchObject({ status: 303 })
  const toNobody = { key: crypto.randomUUID(), number, text: "Hello?" }
  const refused = await eve.page("POST", at("/chats/4999000111222/answer"), toNobody)
  expect([refused.status < 500, refused.body]).toEqual([true, expect.stringContaining("Not sent")])
  for (const path of [at("/chats"), at("/chats/stream")]) await opens(path)
}

test("a newcomer signs in, adds a number, links a phone to it, and follows it on every page", async () => {
  await eve.signUp("eve@example.com")
  await eve.page("POST", "/sign-out", {})
  accountId = String((await admin("account", "list")).find(({ name }) => name === "eve@example.com")!.id)
  await admin("account", "subscription", accountId, "active")
  await eve.signInByLink("eve@example.com")

  await send("/new-number", { customer_ref: "till", webhook_url: receiver.urlOf("till") })
  const phone = await network.phone("Tilda")
  for (const path of [at("/connect"), "/live/numbers", at("/stream"), at("/connect/stream")])
    await opens(path)
  const code = await until(
    async () => {
      const { body } = await eve.page("POST", at("/connect"), { phone: phone.number })
      return />([0-9A-Z]{4}-[0-9A-Z]{4})</.exec(body)?.[1]
    },
    { what: "a code to type", withinMs: 60_000 },
  )
  await network.control.typeCode(phone.number, code)
  await until(async () => (await opens(at(""))).includes("Connected"), { withinMs: 60_000 })

  // Given up, and sent again.
  receiver.refuseNext("till", "message")
  await whole.write(ada, phone.number, { text: "to be given up" })
  const given = await until(async () => eventIn(await opens(at("/events?type=message"))))
  await until(async () => (await opens(at(`/events/${given}`))).includes("400"))
  await until(async () => (await opens(at("/deliveries"))).includes("Undelivered: 1"))
  await send(at(`/events/${given}/resend`))
  await send(at("/deliveries/resend"), { within: "3600" })
  await send(at("/deliveries/test"))
  // Waits for a receiver that cannot be reached.
  await send(at("/webhooks/first/address"), { webhook_url: "http://127.0.0.1:1/nobody" })
  await whole.write(ada, phone.number, { text: "to be skipped" })
  const head = await until(async () => {
    const found = eventIn(await opens(at("/events?type=message")))
    return found !== given && found
  })
  for (const act of ["retry", "skip"])
    await until(async () => (await eve.page("POST", at(`/events/${head}/${act}`), {})).status === 200, {
      what: act,
    })
  for (const path of ["/events/stream", "/deliveries", "/deliveries/stream", "/log", "/log/stream"])
    await opens(at(path))

  await inChat(phone.number)

  await send(at("/webhooks/first/secret/roll"))
  await opens(at("/webhooks/first/secret"))
  await send(at("/webhooks/first/secret/finish"))
  await send(at("/settings/events"), { events: "message" })
  await send(at("/settings/pause"))
  await send(at("/settings/wake"))
  await send(at("/restart"))
  await until(async () => (await opens(at(""))).includes("Connected"), { withinMs: 60_000 })
  await send("/account/troubles", { to: "owners", url: receiver.urlOf("till") })
  await until(async () => (await eve.page("POST", at("/settings/unlink"), {})).status === 200)
  const isTold = async () => {
    await stage.tell()
    return stage.mails.some(({ subject }) => subject === "till: its phone was unlinked")
  }
  await until(isTold, { what: "a mail that the phone was unlinked", withinMs: 60_000 })
  const key = (await send("/keys", { name: "all", may: "all", numbers: "*" })).body
  await send(`/keys/${/mbk_(\w{12})_/.exec(key)![1]}/revoke`)
  await send(at("/settings/delete"), { confirm: "till" })
  await stage.tell()
  for (const path of ["/", "/usage", "/keys", "/requests", "/account"]) await opens(path)
  expect(await opens("/numbers")).not.toContain("till")
}, 240_000)

test("people are invited, join, change their role, leave, and sign in with a passkey", async () => {
  await send("/account/rename", { name: "The till" })
  for (const email of ["bob@example.com", "dan@example.com", "joe@example.com"])
    await send("/account/invite", { email, role: "member" })
  await send("/account/withdraw", { email: "joe@example.com" })
  for (const [email, act] of [
    ["bob@example.com", "join"],
    ["dan@example.com", "decline"],
  ] as const) {
    const browser = aBrowser(stage)
    await browser.signInByLink(email)
    expect((await browser.page("GET", "/accounts")).body).toContain("The till")
    expect((await browser.page("POST", `/accounts/${act}`, { account: accountId })).status).toBeLessThan(400)
    expect((await browser.page("POST", "/accounts/open", {})).status).toBeLessThan(400)
    if (act === "join") await browser.page("POST", "/accounts/turn", { account: accountId })
  }
  const bob = /name="person"[^>]*>[\s\S]*?value="([^"]+)"/.exec(await opens("/account"))![1]!
  await send("/account/role", { person: bob, as: "viewer" })
  await send("/account/remove", { person: bob })

  const Asked = z.object({ challenge: z.string() })
  const offered = await eve.page("POST", "/account/passkeys/options", JSON.stringify({ name: "phone" }))
  const made = newPasskey({ ...Asked.parse(JSON.parse(offered.body)), origin })
  const added = JSON.stringify({ response: made, name: "phone" })
  expect((await eve.page("POST", "/account/passkeys", added)).body).toContain("/account")
  await eve.page("POST", "/sign-in/passkey/options", "{}")
  // It is found, and its signature is none.
  const used = { ...made, response: { ...made.response, authenticatorData: "", signature: "" } }
  const refused = await eve.page("POST", "/sign-in/passkey", JSON.stringify({ response: used }))
  expect(refused.status).toBe(400)
  await send("/account/passkeys/remove", { passkey: made.id })
})

test("a link session leads a person without an account to a code", async () => {
  await whole.bridge("handed-on")
  const answer = await whole.call("POST", "/api/instances/handed-on/link-sessions", {})
  const { url } = z.object({ url: z.string() }).parse(await answer.json())
  const { pathname } = new URL(url)
  const stranger = aBrowser(stage)
  expect((await stranger.page("GET", pathname)).status).toBe(200)
  const live = async () =>
    await textOf(await fetch(`${stage.url}${pathname}/stream?begun=${Date.now()}`), "base64,")
  await until(async () => (await live()).includes("base64,"), { what: "a code", withinMs: 60_000 })
  const phone = await network.phone("Somebody")
  expect((await stranger.page("POST", pathname, { phone: phone.number })).status).toBe(200)
})

test("a number is paid for, changed at Stripe and paid for again, and Stripe's webhooks are taken", async () => {
  const payer = aBrowser(stage)
  await payer.signInByLink("fay@example.com")
  const begun = await payer.page("POST", "/subscription/begin", {})
  const body = new URLSearchParams({ card: "4242424242424242" })
  const paid = await fetch(begun.leadsTo!, { method: "POST", body, redirect: "manual" })
  const { pathname, search } = new URL(paid.headers.get("location")!)
  expect(await payer.page("GET", pathname + search)).toMatchObject({ status: 303 })
  const added = await payer.page("POST", "/new-number", { customer_ref: "paid" })
  expect(added).toMatchObject({ status: 303, leadsTo: "/numbers/paid/connect" })
  for (const path of ["/subscription/portal", "/subscription/cancel", "/subscription/pay"])
    expect((await payer.page("POST", path, {})).status).toBe(303)
  expect((await payer.page("GET", "/subscription/changed")).status).toBe(303)
  expect((await payer.page("GET", "/subscription")).status).toBe(200)
  stage.stripe.advance(8)
  const isPaid = async () => {
    await stage.lookAtDue()
    const list = await admin("account", "list")
    return list.some(({ name, subscription }) => name === "fay@example.com" && subscription === "active")
  }
  expect(await until(isPaid, { withinMs: 30_000 })).toBe(true)
})

test("the operator finds and stops numbers on the pages", async () => {
  await admin("account", "operator", accountId)
  await eve.signInByLink("eve@example.com")
  const id = await whole.idOf("shop")
  const { number } = await network.phone("Nobody")
  for (const path of ["/operator", `/operator/find?id=${id}`, "/operator/find?id=Bakery", "/dev/mail"])
    expect([path, (await eve.page("GET", path)).status]).not.toEqual([path, 500])
  for (const act of ["pause", "wake", "suspend", "resume"]) await send(`/operator/${act}`, { id })
  for (const sought of ["hello", "order-12345678"])
    expect((await eve.page("GET", `/where?q=${sought}`)).status).toBe(200)
  expect((await eve.page("GET", `/operator/find?id=${number}`)).status).toBe(404)
})

test("every page, form and stream answers whatever it is sent", async () => {
  const gus = aBrowser(stage)
  await guest(gus, "gus@example.com")
  expect((await gus.page("POST", "/new-number", { customer_ref: "shop" })).status).toBe(303)
  await everyDoor(gus, "shop")
})

test("a host that dies is replaced, and its bridges live on", async () => {
  const [task] = stage.tasks()
  stage.kill(task!)
  await until(() => !stage.tasks().includes(task!) && stage.tasks().length > 0, { withinMs: 150_000 })
  await until(async () => (await whole.statusOf("shop")) === "connected", { withinMs: 60_000 })
  expect(stage.tasks()).not.toContain(task)
})

test("a number moves to a service on one machine and back, and is linked and heard in both", async () => {
  const folder = mkdtempSync(join(tmpdir(), "one-machine-"))
  writeFileSync(join(folder, "ca.pem"), network.ca)
  const { url, controlUrl } = network
  const rootKey = Buffer.from(network.rootKey).toString("hex")
  const dataDir = join(folder, "data")
  const machine = await startMachine(
    { url, controlUrl, rootKey, caFile: join(folder, "ca.pem") },
    { dataDir, beat: 1000, output: join(folder, "output") },
  )
  const there = async (...words: string[]) => {
    const environment = { DATA_DIR: dataDir, MOVE_PASSPHRASE: movePassphrase }
    const { code, out, said } = await atMachine(environment, ...words).ended
    expect([words[0], code, said]).toEqual([words[0], 0, said])
    return z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(out))
  }
  try {
    const id = await whole.idOf("shop")
    await admin("export", join(folder, "back"), "--bridge", id)
    await admin("take-back", id, "shop")
    await admin("export", join(folder, "out"), "--bridge", id)
    const refused = await whole.call("GET", "/api/instances/shop/proxy/status")
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({ code: "bridge_moved" }),
    ])
    const waiting = await whole.write(ada, grace.number, { text: "on its way" })
    const [came] = await there("import", join(folder, "out"))
    const [key] = await there("key", "create", String(came!.account))
    const api = apiClient(machine.baseUrl, String(key!.key))
    await untilConnected("shop", { api, signal: AbortSignal.timeout(60_000) })
    await whole.webhook.event("shop", "message", ({ message_id }) => message_id === waiting)
    await there("export", join(folder, "home"), "--bridge", id)
    await admin("import", join(folder, "home"))
    expect(await admin("undo-import")).toEqual([])
    await until(async () => (await whole.statusOf("shop")) === "connected", { withinMs: 90_000 })
    const heard = await whole.write(ada, grace.number, { text: "home again" })
    await whole.webhook.event("shop", "message", ({ message_id }) => message_id === heard)
    // It leaves for a program with Baileys, and comes back from there as another bridge.
    const keys = join(folder, "keys")
    await admin("export", "baileys", id, keys)
    letRest(keys)
    const [moved] = await admin("import", "baileys", keys, "--account", String(came!.account))
    await until(async () => (await whole.statusOf("keys")) === "connected", { withinMs: 90_000 })
    // Its phone stays linked: no host can be asked to unlink it.
    await admin("bridge", "pause", String(moved!.imported))
    await admin("bridge", "delete", String(moved!.imported))
    await admin("take-back", id, "shop")
    await until(async () => (await whole.statusOf("shop")) === "connected", { withinMs: 90_000 })
  } finally {
    await machine.kill()
    rmSync(folder, { recursive: true })
  }
}, 240_000)

test("every verb of the operator", async () => {
  const id = await whole.idOf("shop")
  const bob = String((await admin("account", "create", "Bob", "active"))[0]!.id)
  await admin("account", "limit", bob, "20")
  await admin("account", "rename", bob, "Bob's bakery")
  await admin("login-link", "bob@example.com")
  await admin("account", "subscription", bob, "past_due")
  await admin("key", "create", bob)
  const [key] = await admin("key", "list", bob)
  await admin("key", "revoke", bob, String(key!.id))
  for (const words of [["list", accountId], ["why", id], ["down"], ["find", "491711234567"]])
    await admin("bridge", ...words)
  await whole.call("PATCH", "/api/instances/shop", { webhook_url: "http://127.0.0.1:1/nobody" })
  await whole.write(ada, grace.number, { text: "waits" })
  await until(async () => (await admin("bridge", "skip", id).catch(() => [])).length > 0, {
    withinMs: 60_000,
  })
  for (const verb of ["pause", "wake", "suspend", "resume"]) await admin("bridge", verb, id)
  await until(async () => (await whole.statusOf("shop")) === "connected", { withinMs: 60_000 })
  await admin("bridge", "restart", id)
  await admin("bridge", "make-anew", "all", new Date().toISOString())
  await until(async () => (await whole.statusOf("shop")) === "connected", { withinMs: 60_000 })
  await whole.call("PATCH", "/api/instances/shop", { webhook_url: receiver.urlOf("shop") })
  // Else it is sent again by itself.
  await whole.call("PATCH", "/api/instances/shop/webhooks/first", { healing: false })
  receiver.refuseNext("shop", "message")
  await whole.write(ada, grace.number, { text: "given up" })
  await until(async () => (await admin("events", "undelivered", id)).length > 0, { withinMs: 60_000 })
  await admin("events", "resend", id, "all")
  await admin("wrapping", "rotate")
  await admin("wrapping", "rewrap")
  await admin("host", "list")
  await admin("host", "stop", "all")
  await admin("host", "start")
  await admin("bridge", "delete", await whole.idOf("made"))
  await admin("account", "delete", bob)
  // It is for a service that is paid for no more.
  await expect(admin("billing", "end")).rejects.toThrow(/numbers are paid for/)
  expect([...verbs].toSorted()).toEqual(operatorsVerbs())
})

test("a stage with a sandbox, without payments and mail: each route, page, form, stream and answer", async () => {
  delete process.env.MAIL_FROM
  sandbox = await startStage(network, { sandbox: true })
  await deploy(sandbox, { SANDBOX: "1" })
  const ann = aBrowser(sandbox)
  await ann.signInByLink("ann@example.com")
  const made = await ann.page("POST", "/keys", { name: "all", may: "all", numbers: "*" })
  const key = /mbk_\w{12}_\w{38}/.exec(made.body)![0]
  const call = async (method: string, path: string, body?: unknown, headers = {}) =>
    await fetch(`${sandbox!.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const Contacts = z.array(z.looseObject({ name: z.string(), phone: z.string() }))
  const contacts = await until(
    async () => {
      const answer = await call("GET", "/api/instances/sandbox/proxy/contacts")
      return answer.ok && Contacts.parse(await answer.json())
    },
    { what: "the sandbox's contacts", withinMs: 90_000 },
  )
  const echo = contacts.find(({ name }) => name === "Echo")!.phone
  const sent = await call("POST", "/api/instances/sandbox/proxy/send/text", { chat: echo, body: "hello?" })
  expect(sent.status).toBe(200)
  await until(async () =>
    (await (await call("GET", "/api/instances/sandbox/events?state=inbox")).text()).includes("hello?"),
  )
  await everyRoute(call, "sandbox")
  await everyDoor(ann, "sandbox")
}, 400_000)

test("no policy refused a call, and nothing answered 500", () => {
  expect([...new Set(denied())]).toEqual([])
  const failed = [stage, sandbox!].flatMap(({ lines }) =>
    lines.filter((line) => line.includes('"status":500')),
  )
  expect(failed).toEqual([])
})

test("every right has been needed, or has its reason", () => {
  const idle = new Set(graphs.flatMap((graph) => unused(graph, judged())))
  const idleFor = [...idle].filter((one) => !(one in kept) && !(one in byChance)).toSorted()
  expect(idleFor.join("\n")).toBe("")
  // A reason whose right is needed, or gone.
  const there = new Set(graphs.flatMap((graph) => [...rightsOf(graph).keys()]))
  const pointless = [
    ...Object.keys(kept).filter((one) => !idle.has(one)),
    ...Object.keys(byChance).filter((one) => !there.has(one)),
  ]
  expect(pointless.join("\n")).toBe("")
  console.log(`${there.size - idle.size} rights were needed, ${idle.size} have a reason`)
})
