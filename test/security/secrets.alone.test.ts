import { randomBytes, randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb"
import { PNG } from "pngjs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { EventIndex } from "#core/event/event-index.ts"
import { DataKeys } from "#core/keys/data-keys.ts"
import { open } from "#core/keys/seal.ts"
import { AllHostsStop } from "#core/lease/all-hosts-stop.ts"
import { localAgent } from "#core/platform/aws-client-options.ts"
import { getRow } from "#core/store/store.ts"
import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { Packing, decompress } from "#session-host/memory/compress.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import { until } from "#test/support/until.ts"
import { newPasskey } from "../support/service/passkey.ts"
import { type Customer, type Service, startService, statusOf } from "../support/service/service.ts"
import { startReceiver } from "../support/service/start-receiver.ts"

let service: Service
/** The strings that must appear nowhere, by name. */
let secrets: Record<string, string>
/** Further strings that must not appear in a log but may in a table, since rows are named after them. */
let people: Record<string, string>
/** The pages that a caller without a key gets. */
const pages: string[] = []

beforeAll(async () => {
  service = await startService({ BILLING: "pretend" })
  const told = await aLife(service)
  secrets = { ...told.secrets, ...(await innermost(service, told.bridgeId)) }
  people = told.people
}, 240_000)
const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
  await service.stop()
  service.remove()
})

const marked = (what: string) => `${what}-${randomBytes(9).toString("hex")}`

/** The token in an answer's cookie. */
function cookieOf(answer: Response): string {
  return /=([\w-]{43});/.exec(answer.headers.getSetCookie().join())![1]!
}

/**
 * The life of an account: it pairs, sends, receives, makes every kind of mistake, and survives the end of its
 * host.
 */
async function aLife({ network, ...whole }: Service) {
  const words = "text caption question option place occasion about quoted planned refused wrong"
  const said = Object.fromEntries(words.split(" ").map((what) => [what, marked(what)]))
  const [heard, idempotencyKey, answered] = [marked("heard"), marked("idempotency-key"), marked("answered")]
  // It answers a picture with 500, and says more than it was asked.
  const receiver = await startReceiver(({ body }) => (response) => {
    response.writeHead(body.includes("image") ? 500 : 200, { "x-words": answered }).end(answered)
  })
  stops.push(receiver.stop)
  const got = (part: string, count: number) =>
    receiver.until((all) => all.filter(({ body }) => body.includes(part)).length >= count)
  const owner = await network.create(marked("owner"))
  const contact = await network.create(marked("contact"))
  const customer = await whole.customer("a customer")
  const query = marked("token")
  const bridge = await customer.linked("shop", owner.number, { webhook_url: `${receiver.url}?${query}` })

  await theCustomerSends(customer, said, { chat: contact.number, idempotencyKey, files: receiver.url })
  await network.send(contact.number, owner.number, heard)
  await got(heard, 1)
  const storeKey = marked("store-key")
  const nowhere = { bucket: "media", endpoint: "http://127.0.0.1:9", access_key_id: "AKID" }
  const media_store = { ...nowhere, secret_access_key: storeKey }
  await customer.call("PATCH", "/instances/shop", { media_store })
  const image = { kind: "image", data: picture.toString("base64"), mimetype: "image/png", caption: heard }
  await network.post(contact.number, owner.number, { media: image })
  await got(heard, 2)

  const expected = { expected_phone: contact.number, return_url: `https://shop.example/${said.wrong}` }
  const second = await aSecondBridge(customer, expected)
  const further = await aFurtherWebhook(customer, receiver.url)
  await network.send(contact.number, owner.number, heard)
  await got(heard, 3)
  const { link } = await whole.admin(z.object({ link: z.string() }), "login-link", "life@example.com")
  const ofPerson = await aSignedInLife(link)
  const made = await customer.call("POST", "/keys", { name: "read", scope: "read" })
  const { key: readKey } = z.object({ key: z.string() }).parse(await made.json())
  await anAgentReads(whole.baseUrl, readKey, contact.number)
  await strangersLook(whole.baseUrl, customer, said.wrong!)

  for (const pid of await sessionHostPids(whole)) process.kill(pid, "SIGKILL")
  await until(async () => (await statusOf(customer.call, "shop")) === "connected")
  const more = { chat: contact.number, body: said.text }
  await until(async () => (await customer.call("POST", "/instances/shop/proxy/send/text", more)).ok)

  const numbers = { owner: owner.number, contact: contact.number, unknown }
  const names = { "contact's name": contact.name, "owner's name": owner.name }
  return {
    bridgeId: bridge.id,
    people: { ...numbers, ...names, "webhook's query": query },
    secrets: {
      ...said,
      ...second,
      ...further,
      ...ofPerson,
      heard,
      idempotencyKey,
      answered,
      storeKey,
      "QR code": readQr(Buffer.from(bridge.qr, "latin1"))!,
      "API key": customer.key.slice(17),
      "API key that reads": readKey.slice(17),
      "webhook secret": bridge.webhook_secret,
      "webhook key": bridge.webhook_secret.slice("whsec_".length),
    },
  }
}

/** A number that no phone has. */
const unknown = "4999000111222"

/** Messages of several kinds, a profile, and every kind of mistake. */
async function theCustomerSends(
  customer: Customer,
  said: Record<string, string>,
  { chat, idempotencyKey, files }: { chat: string; idempotencyKey: string; files: string },
): Promise<void> {
  const { text: first, caption, question, option, place, occasion, about } = said
  const { quoted, planned, refused, wrong } = said
  const proxy = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    customer.call(method, `/instances/shop/proxy/${path}`, body, headers)
  await customer.call("PATCH", "/instances/shop", { keep: 7 })
  const sent = await proxy("POST", "send/text", { chat, body: first }, { "idempotency-key": idempotencyKey })
  const { message_id } = z.object({ message_id: z.string() }).parse(await sent.json())
  await proxy("POST", "send/text", { chat, body: quoted, quoted_message_id: message_id })
  const messages = [{ chat, body: planned }]
  const send_at = Math.floor(Date.now() / 1000) + 3600
  for (const cancelled of [true, false]) {
    const later = await proxy("POST", "send/text", { chat, body: planned, send_at })
    const { message_id: id } = z.object({ message_id: z.string() }).parse(await later.json())
    if (cancelled) await proxy("DELETE", `planned/${id}`)
  }
  await proxy("POST", "jobs", { name: planned, messages, send_at })
  await proxy("POST", "send/poll", { chat, question, options: [option, "other"] })
  await proxy("POST", "send/location", { chat, lat: 1, lng: 2, name: place })
  await proxy("POST", "send/event", { chat, name: occasion, start_time: 1_900_000_000 })
  await proxy("PATCH", "profile/status", { status: about })
  await proxy("POST", "send/media", { chat, url: `${files}/${wrong}`, caption })
  await proxy("POST", "send/media", { chat, url: `http://${wrong}:pass@127.0.0.1/`, caption })
  await proxy("POST", "send/text", { chat: unknown, body: refused })
  await proxy("POST", "send/text", { chat, body: `${refused}\0` })
  await proxy("POST", "send/text", { chat: refused, body: [refused] })
  await proxy("POST", "pair", { phone: "491711234567" })
  await proxy("GET", `contacts/${chat}`)
  await proxy("GET", `messages/${wrong}/media`)
  for (const path of ["debug/stats", "status", "profile", "contacts", "webhook-logs"])
    await proxy("GET", path)
}

/** It shows a link code, has a link page, and gets another webhook secret. */
async function aSecondBridge(customer: Customer, expected: object): Promise<Record<string, string>> {
  await customer.call("POST", "/instances", { customer_ref: "second" })
  await until(async () => (await statusOf(customer.call, "second")) === "unpaired")
  const paired = await customer.call("POST", "/instances/second/proxy/pair", { phone: "491711234567" })
  const { code } = z.object({ code: z.string() }).parse(await paired.json())
  const replaced = await customer.call("POST", "/instances/second/webhook-secret/roll")
  const { webhook_secret } = z.object({ webhook_secret: z.string() }).parse(await replaced.json())
  const page = await customer.call("POST", "/instances/second/link-sessions", expected)
  const { url } = z.object({ url: z.string() }).parse(await page.json())
  return {
    "link code": code,
    "link code as typed": code.replace("-", ""),
    "rolled secret": webhook_secret,
    "link session": url.split("/link/")[1]!,
  }
}

async function aFurtherWebhook(customer: Customer, url: string): Promise<Record<string, string>> {
  const header = marked("header")
  const asked = { url, headers: { "X-Api-Key": header } }
  const added = await customer.call("POST", "/instances/shop/webhooks", asked)
  const { id, secret } = z.object({ id: z.string(), secret: z.string() }).parse(await added.json())
  for (const path of ["webhooks", `webhooks/${id}`]) await customer.call("GET", `/instances/shop/${path}`)
  const ofAll = await customer.call("POST", "/webhooks", {
    url: `${url}/all`,
    headers: { "X-Api-Key": header },
  })
  const { secret: secretOfAll } = z.object({ secret: z.string() }).parse(await ofAll.json())
  await customer.call("GET", "/webhooks")
  return {
    "secret of a further webhook": secret,
    "secret of a webhook of the account": secretOfAll,
    "header of a webhook": header,
  }
}

/** A member signs in, by a link and nearly by a passkey, and does what members do in a browser. */
async function aSignedInLife(link: string): Promise<Record<string, string>> {
  const form = { method: "POST", headers: { "sec-fetch-site": "same-origin" }, redirect: "manual" } as const
  const signedIn = await fetch(link, form)
  const asked = await fetch(new URL("/sign-in/passkey/options", link), form)
  await aPersonsLife(link, signedIn)
  await aSubscription(link, signedIn)
  const codes = await codesOfPrograms(link, signedIn)
  return { ...codes, card, "browser's cookie": cookieOf(signedIn), "passkey's challenge": cookieOf(asked) }
}

/** Callers without a good key, and the beginning of a bridge's log. */
async function strangersLook(baseUrl: string, customer: Customer, wrong: string): Promise<void> {
  for (const key of [wrong, `${customer.key}x`, customer.key.slice(0, -1)])
    await look(`${baseUrl}/api/instances?key=${customer.key}`, { authorization: `Bearer ${key}` })
  for (const path of ["/healthz", "/api/docs", "/api/openapi.json", "/", `/api/${wrong}`])
    await look(`${baseUrl}${path}`)
  const logs = await customer.call("GET", "/instances/shop/logs?tail=10000")
  const reader = logs.body!.getReader()
  const { value } = await reader.read()
  pages.push(Buffer.from(value ?? "").toString())
  await reader.cancel()
}

/** A member who is signed in makes a passkey, and invites another person. */
async function aPersonsLife(link: string, signedIn: Response): Promise<void> {
  const { origin } = new URL(link)
  const [session = ""] = signedIn.headers.getSetCookie()
  const post = async (path: string, body: string | URLSearchParams, cookies: string[]) => {
    const cookie = cookies.map((one) => one.split(";")[0]).join("; ")
    const type = typeof body === "string" ? "application/json" : "application/x-www-form-urlencoded"
    const headers = { cookie, "sec-fetch-site": "same-origin", "content-type": type }
    const answer = await fetch(origin + path, { method: "POST", headers, body: String(body) })
    expect([path, answer.status]).toEqual([path, 200])
    return answer
  }
  const offered = await post("/account/passkeys/options", "{}", [session])
  const { challenge } = z.object({ challenge: z.string() }).parse(await offered.json())
  const made = JSON.stringify({ name: "Laptop", response: newPasskey({ challenge, origin }) })
  await post("/account/passkeys", made, [session, ...offered.headers.getSetCookie()])
  const invited = new URLSearchParams({ email: "invited@example.com", role: "viewer" })
  await post("/account/invite", invited, [session])
  await post("/account/troubles", new URLSearchParams({ to: "members", url: "" }), [session])
}

/** An agent's program asks what was said in a chat. */
async function anAgentReads(baseUrl: string, key: string, chat: string): Promise<void> {
  const params = { name: "read_chat", arguments: { number: "shop", chat } }
  const answer = await fetch(`${baseUrl}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  })
  expect(await answer.text()).toContain("untrusted")
}

/** Two programs ask for a key: one with a browser, whose user says yes to it, and one without. */
async function codesOfPrograms(link: string, signedIn: Response): Promise<Record<string, string>> {
  const { origin } = new URL(link)
  const [session = ""] = signedIn.headers.getSetCookie()
  const headers = { cookie: session.split(";")[0]!, "sec-fetch-site": "same-origin" }
  const redirect_uri = "https://agent.example/back"
  const registration = JSON.stringify({ client_name: "agent", redirect_uris: [redirect_uri] })
  const registered = await fetch(`${origin}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: registration,
  })
  const { client_id } = z.object({ client_id: z.string() }).parse(await registered.json())
  const pkce = { code_challenge: "c".repeat(43), code_challenge_method: "S256" }
  const asked = new URLSearchParams({ client_id, redirect_uri, response_type: "code", ...pkce })
  const body = new URLSearchParams({ answer: "yes", may: "read", numbers: "*" })
  const allowed = await fetch(`${origin}/oauth/authorize?${asked.toString()}`, {
    method: "POST",
    headers,
    body,
  })
  const grant = /code=([\w-]{43})/.exec(allowed.headers.get("refresh") ?? "")?.[1]
  const waiting = await fetch(`${origin}/oauth/device`, {
    method: "POST",
    body: new URLSearchParams({ client_id: "agent" }),
  })
  const Waiting = z.object({ device_code: z.string(), user_code: z.string() })
  const { device_code, user_code } = Waiting.parse(await waiting.json())
  return {
    "grant's code": z.string().parse(grant),
    "device code": device_code,
    "device's user code": user_code.replace("-", ""),
  }
}

const card = "4242424242424242"

/** They pay for a number, with a card that Stripe alone sees. */
async function aSubscription(link: string, signedIn: Response): Promise<void> {
  const { origin } = new URL(link)
  const [session = ""] = signedIn.headers.getSetCookie()
  const headers = { cookie: session.split(";")[0]!, "sec-fetch-site": "same-origin" }
  const led = async (path: string, form?: Record<string, string>) => {
    const sent = form && { method: "POST", body: new URLSearchParams(form) }
    const answer = await fetch(new URL(path, origin), { ...sent, headers, redirect: "manual" })
    return answer.headers.get("location") ?? ""
  }
  expect(await led("/new-number", { customer_ref: "paid", webhook_url: "" })).toBe("/subscription")
  const checkout = await led("/subscription/begin", {})
  await fetch(checkout, { method: "POST", body: new URLSearchParams({ card }), redirect: "manual" })
  expect(await led("/subscription/return")).toBe("/numbers/paid/connect")
}

/**
 * An account is to be looked at, and Stripe was away at the first look. The service's own looks may come
 * first.
 */
async function aFailedLook(): Promise<void> {
  const { Due } = await import("#billing/due-for-a-look.ts")
  const { getRow } = await import("#core/store/store.ts")
  const accountId = randomUUID()
  await until(async () => {
    await Due.mark(accountId)
    const mark = (await Due.list()).find((one) => one.accountId === accountId)
    if (mark) await Due.postpone(mark)
    const row = await getRow("Accounts", { pk: "BILLING-DUE", sk: accountId })
    return row?.failures === 1
  })
}

/** Records whatever a stranger is shown. */
async function look(url: string, headers: Record<string, string> = {}): Promise<void> {
  const answer = await fetch(url, { headers })
  pages.push(JSON.stringify([...answer.headers]), await answer.text())
}

const picture = PNG.sync.write(new PNG({ width: 4, height: 4 }))

const KeyPair = z.object({ private: z.object({ data: z.base64() }) })
const Credentials = z.object({
  noiseKey: KeyPair,
  signedIdentityKey: KeyPair,
  signedPreKey: z.object({ keyPair: KeyPair }),
  advSecretKey: z.string(),
})

/** The keys under all others, and the session's private keys, obtained as the service itself obtains them. */
async function innermost(
  { environment, dataDir }: Service,
  bridgeId: string,
): Promise<Record<string, string>> {
  Object.assign(process.env, environment)
  const keys = await DataKeys.get(bridgeId)
  // So many events have not come.
  await EventIndex.complete(bridgeId, async () => keys!.delivery, { after: 0, to: EventIndex.perRow })
  const item = { pk: `BRIDGE#${bridgeId}`, sk: "CREDS" }
  const row = await getRow("Sessions", item)
  const opened = open(keys!.session, item, row!.sealed as Uint8Array)
  const creds = Credentials.parse(
    JSON.parse(decompress(opened, row!.packing === Packing ? Packing : undefined).toString()),
  )
  const wrapping = z
    .record(z.string(), z.array(z.string()).length(1).transform(String))
    .parse(JSON.parse(readFileSync(join(dataDir, "wrapping-keys.json"), "utf8")))
  const stripe = z
    .object({ secret: z.string() })
    .parse(JSON.parse(readFileSync(join(dataDir, "pretend-stripe-secret.json"), "utf8")))
  return {
    "Stripe's webhook secret": stripe.secret,
    "session key": base64(keys!.session),
    "delivery key": base64(keys!.delivery),
    "noise key": creds.noiseKey.private.data,
    "identity key": creds.signedIdentityKey.private.data,
    "signed prekey": creds.signedPreKey.keyPair.private.data,
    "adv secret": creds.advSecretKey,
    pepper: environment.API_KEY_PEPPER!,
    "host secret": environment.HOST_TOKEN_SECRET!,
    ...wrapping,
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")

/** The names of the strings found in these bytes, as they are or in a common encoding. */
function found(bytes: Buffer, wanted: Record<string, string>): string[] {
  return Object.entries(wanted)
    .filter(([, secret]) => formsOf(secret).some((form) => bytes.includes(form)))
    .map(([name]) => name)
}

function formsOf(secret: string): Buffer[] {
  const plain = Buffer.from(secret)
  const forms = [
    plain,
    Buffer.from(plain.toString("base64").replace(/=+$/, "").slice(0, -1)),
    Buffer.from(plain.toString("hex")),
  ]
  // Keys are written in base64: also look for their bytes and other spellings.
  const isKey = /^[A-Za-z0-9+/_-]{40,}=*$/.test(secret)
  const key = Buffer.from(secret, "base64")
  return isKey
    ? [...forms, key, Buffer.from(key.toString("hex")), Buffer.from(key.toString("base64url"))]
    : forms
}

/** The files that the service keeps on purpose, with mode 600, and those of the simulated network. */
const kept =
  /^(?:account|secrets|wrapping-keys|running|pretend-stripe-secret)\.json$|^simulator\/|^logs\/simulator\.log$/

function filesWritten(): string[] {
  return readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(service.dataDir, join(entry.parentPath, entry.name)))
    .filter((path) => !kept.test(path))
}

test("no secret and no text is in a file that the run wrote, in what it printed, or on a stranger's page", () => {
  const files = filesWritten()
  expect(files).toEqual(
    expect.arrayContaining([
      "logs/service.log",
      "logs/session-host.log",
      expect.stringMatching(/^logs\/bridges\//),
    ]),
  )
  const leaks = files.flatMap((path) =>
    found(readFileSync(join(service.dataDir, path)), secrets).map((name) => `${name} in ${path}`),
  )
  expect(leaks).toEqual([])
  expect(found(Buffer.from(service.said()), secrets)).toEqual([])
  expect(pages.length).toBeGreaterThan(15)
  expect(found(Buffer.from(pages.join("\n")), { ...secrets, ...people })).toEqual([])
})

test("no person stands in a log: neither number nor name", () => {
  const logs = filesWritten().filter((path) => path.startsWith("logs/"))
  const leaks = logs.flatMap((path) =>
    found(readFileSync(join(service.dataDir, path)), people).map((name) => `${name} in ${path}`),
  )
  expect(leaks).toEqual([])
  expect(readFileSync(join(service.dataDir, "logs/service.log"), "utf8")).toContain("request answered")
})

/** Each value of a row, however deep, as bytes. */
function bytesOf(value: unknown): Buffer[] {
  if (value instanceof Uint8Array) return [Buffer.from(value)]
  if (value && typeof value === "object")
    return Object.entries(value).flatMap(([name, inner]) => [Buffer.from(name), ...bytesOf(inner)])
  return [Buffer.from(`${String(value)}\n`)]
}

/** The beginning of a row's key, for each kind of row. */
const kinds: Record<string, string[]> = {
  Accounts: [
    "ACCOUNT",
    "PROFILE",
    "BRIDGE",
    "KEY",
    "READ",
    "PERSON",
    "EMAIL",
    "MEMBER",
    "INVITATION",
    "INVITED",
    "PASSKEY",
    "SIGN-IN",
    "PAYER",
    "TROUBLES",
    "TRIAL",
    "BILLING-DUE",
    "BROWSER",
    "CHALLENGE",
    "GRANT",
    "DEVICE",
    "DEVICE-CODE",
    "LINK",
    "LINK-OF",
  ],
  Leases: ["HOSTS", "HOST_STOP", "BRIDGE", "LEASE", "KEYS"],
  Sessions: [
    "CREDS",
    "SIGNAL",
    "SEND",
    "MESSAGE",
    "CONTACT",
    "SAID",
    "CHAT",
    "PAST",
    "PLAN",
    "PLANNED",
    "JOB",
  ],
  Events: ["EVENT", "STATE", "DELIVERY", "ATTEMPT", "FAILURE", "WORDS"],
  Requests: ["RATE", "IDEM", "CALLS", "CALL"],
}

test("no row of any table holds a secret, a text or a person's name as it is", async () => {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint: service.environment.AWS_ENDPOINT_URL_DYNAMODB!,
      region: "local",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      requestHandler: { httpAgent: localAgent({}, service.environment.SOCKET_DIR) },
    }),
  )
  // Comes last: it ends the session hosts.
  await AllHostsStop.begin()
  await aFailedLook()
  const { "contact's name": contact } = people
  const leaks: string[] = []
  for (const [table, expected] of Object.entries(kinds)) {
    const rows: Record<string, unknown>[] = []
    for (let start: Record<string, unknown> | undefined, first = true; first || start; first = false) {
      const page = await client.send(new ScanCommand({ TableName: table, ExclusiveStartKey: start }))
      rows.push(...(page.Items ?? []))
      start = page.LastEvaluatedKey
    }
    const beginnings = new Set(
      rows.flatMap((row) => [row.pk, row.sk].map((key) => String(key).split("#")[0])),
    )
    expect([table, [...beginnings]]).toEqual([table, expect.arrayContaining(expected)])
    for (const row of rows)
      for (const name of found(Buffer.concat(bytesOf(row)), { ...secrets, contact: contact! }))
        leaks.push(`${name} in ${table} ${String(row.sk)}`)
  }
  client.destroy()
  expect(leaks).toEqual([])
})
