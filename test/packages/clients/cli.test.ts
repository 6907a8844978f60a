import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { toBuffer } from "qrcode"
import { expect, onTestFinished, test } from "vitest"
import { type Command, options } from "#cli/command.ts"
import { told } from "#cli/forward.ts"
import { inTerminal, modulesOf } from "#cli/qr-picture.ts"
import { type Event, webhooks } from "#sdk-typescript/index.ts"
import { readQr } from "#simulator/phone/qr-image.ts"
import { aReceiver } from "../../support/service/receiver.ts"
import { type Answer, type Arrival, startReceiver } from "../../support/service/start-receiver.ts"
import { home, key, run, secret } from "./command-line.ts"

const json =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

const refusal = (status: number, code: string) =>
  json(status, { error: `it is ${code}`, code, request_id: "req-1" })

function eventOf(id: string): string {
  const stored = {
    event_id: id,
    created_at: 1_795_166_760,
    event: { event: "message", name: "Ada\u001b[2J", body: id },
  }
  return `id: ${id}\ndata: ${JSON.stringify(stored)}\n\n`
}

/** A service with a bridge, whose stream of events is each of these in turn, and then an open one. */
async function aService(...streams: string[]) {
  const service = await startReceiver(({ headers }: Arrival): Answer => {
    if (headers.accept === "text/event-stream")
      return (response) => {
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write(`id: evt_0\n\n: still here\n\n${streams[0] ?? ""}`)
        if (streams.length > 0) setImmediate(() => response.destroy())
        streams.shift()
      }
    return json(200, { webhook_secret: secret })
  })
  onTestFinished(service.stop)
  const opened = () => service.arrivals.filter(({ headers }) => headers.accept === "text/event-stream")
  return { url: `http://127.0.0.1:${service.port}`, opened, until: service.until }
}

const bodies = (arrivals: Arrival[]) => arrivals.map(({ eventId, attempt }) => `${eventId} ${attempt}`)

test("listen posts each event, signed, the next after a 2xx, and after a break goes on behind the last one", async () => {
  const service = await aService(
    `${eventOf("evt_1")}${eventOf("evt_2")}${eventOf("evt_3").slice(0, 30)}`,
    eventOf("evt_3"),
  )
  const program = await aReceiver([200, 500, (response) => response.destroy(), 200, 404])
  const listener = run(service, "listen", "--forward", program.url)
  await program.atLeast(6)
  expect(bodies(program.arrivals)).toEqual(["evt_1 1", "evt_2 1", "evt_2 2", "evt_2 3", "evt_3 1", "evt_3 2"])
  for (const { headers, body } of program.arrivals) {
    const signature = headers["x-webhook-signature"] as string
    expect(await webhooks.isGenuine(new Uint8Array(body), signature, secret)).toBe(true)
  }
  expect(service.opened().map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "evt_2"])
  await service.until(() => service.opened().length === 3)
  listener.child.kill("SIGINT")
  const { code, out, err } = await listener.ended
  expect(code).toBe(0)
  expect(err).toContain(`listening to default, forwarding to ${program.url}; Ctrl-C ends it`)
  expect(out).toMatch(/evt_2 {2}Ada \[2J: evt_2 {2}500 {2}\d+ ms {2}again in 1 s\n/)
  expect(out).toMatch(/404 {2}\d+ ms {2}the service would give it up now; again in 1 s\n/)
}, 30_000)

test("an event that a program has not taken when listen ends comes first when it is resumed", async () => {
  const service = await aService(eventOf("evt_1"))
  const program = await aReceiver([503])
  const listener = run(service, "listen", "-f", program.url)
  await program.atLeast(1)
  await expect.poll(() => listener.said.out).toContain("503")
  listener.child.kill("SIGINT")
  const { code, err } = await listener.ended
  expect(code).toBe(1)
  expect(err).toContain("has not taken evt_1: it comes first when you listen again")

  const again = run(service, "listen", "-f", program.url)
  await service.until(() => service.opened().length === 2)
  expect(service.opened()[1]!.headers["last-event-id"]).toBe("evt_0")
  again.child.kill("SIGINT")
  expect((await again.ended).code).toBe(0)

  const anew = run(service, "listen", "-f", program.url, "--now")
  await service.until(() => service.opened().length === 3)
  expect(service.opened()[2]!.headers["last-event-id"]).toBe(undefined)
  anew.child.kill("SIGINT")
  expect((await anew.ended).code).toBe(0)
})

test("call makes any call of the reference, with fields of text and of JSON", async () => {
  const service = await aReceiver([
    json(200, { state: "asked", messages: [], is_end: false }),
    json(200, { name: "The Shop" }),
    (response) => response.writeHead(200, { "content-type": "image/png" }).end("a picture"),
  ])
  const url = `http://127.0.0.1:${service.port}`
  const asked = run({ url }, "call", "askForOlder", "chat=491711234567", "count:=20", "--json", "-b", "shop")
  expect(await asked.ended).toMatchObject({
    code: 0,
    out: '{"state":"asked","messages":[],"is_end":false}\n',
  })
  expect((await run({ url }, "call", "setName", "name=The Shop").ended).out).toContain('"The Shop"')
  expect((await run({ url }, "call", "ownAvatar").ended).out).toBe("a picture")
  expect(service.arrivals.map(({ path, body }) => [path, String(body)])).toEqual([
    ["/api/instances/shop/proxy/chats/491711234567/history", '{"count":20}'],
    ["/api/instances/default/proxy/profile/name", '{"name":"The Shop"}'],
    ["/api/instances/default/proxy/profile/avatar", ""],
  ])
  for (const wrong of [["events"], ["nothing"], ["setName", "name"], ["setName", "name:=The"]])
    expect((await run({ url }, "call", ...wrong).ended).code).toBe(2)
}, 30_000)

test("login takes the key from its input, and keeps it where no other user reads it", async () => {
  const service = await aReceiver([
    json(200, { id: "a", name: "A shop" }),
    json(200, [{ customer_ref: "shop", state: "running" }]),
  ])
  const url = `http://127.0.0.1:${service.port}`
  const login = run(undefined, "login", url, "--with-key")
  login.child.stdin.end(`${key}\n`)
  expect(await login.ended).toMatchObject({ code: 0, out: expect.stringContaining("as A shop") as string })
  const [file = ""] = readdirSync(join(home, "messaging-bridge")).filter((name) => name.startsWith("login"))
  expect(statSync(join(home, "messaging-bridge", file)).mode & 0o777).toBe(0o600)
  expect((await run(undefined, "list", "--json").ended).out).toBe(
    '{"customer_ref":"shop","state":"running"}\n',
  )
  expect(service.arrivals[1]!.headers.authorization).toBe(`Bearer ${key}`)
  expect((await run(undefined, "logout").ended).code).toBe(0)
  expect(await run(undefined, "list").ended).toMatchObject({
    code: 1,
    err: expect.stringContaining("not signed in") as string,
  })
})

test("login leads to a page of the service, and waits until a person there has said yes", async () => {
  const asked = {
    device_code: "d",
    user_code: "BCDF-GHJK",
    verification_uri_complete: "http://localhost/device?code=BCDF-GHJK",
    interval: 0.01,
  }
  const pending = json(400, { error: "authorization_pending" })
  const account = json(200, { id: "a", name: "A shop" })
  const busy = refusal(503, "session_unavailable")
  const service = await aReceiver([
    json(200, asked),
    pending,
    busy,
    json(200, { access_token: key }),
    account,
  ])
  const url = `http://127.0.0.1:${service.port}`
  const said = await run(undefined, "login", url).ended
  expect(said).toMatchObject({ code: 0, out: expect.stringContaining("as A shop") as string })
  expect(said.err).toContain(asked.verification_uri_complete)
  expect(service.arrivals.at(-1)!.headers.authorization).toBe(`Bearer ${key}`)
  await run(undefined, "logout").ended

  const refusing = await aReceiver([
    json(200, asked),
    json(400, { error: "access_denied", error_description: "no" }),
  ])
  const refused = await run(undefined, "login", `http://127.0.0.1:${refusing.port}`).ended
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("not signed in: no") as string })
  const other = await aReceiver([json(404, { code: "not_found" })])
  const unknown = await run(undefined, "login", `http://127.0.0.1:${other.port}`).ended
  expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining("--with-key") as string })
})

test.for<[what: string, args: string[], answer: Answer, code: number, says: RegExp]>([
  [
    "a wrong or revoked key",
    ["list"],
    refusal(401, "unauthorized"),
    1,
    /^it is unauthorized; sign in with another one: bridge login <url> \(request req-1\)\n$/,
  ],
  [
    "a key that may only read",
    ["listen", "-f", "http://h/"],
    json(200, { webhook_secret: "" }),
    1,
    /^this key may only read/,
  ],
  [
    "a page of HTML",
    ["list"],
    (r) => r.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    1,
    /answered with 200 and text\/html, not the JSON of a messaging bridge/,
  ],
  [
    "a bridge that is not connected",
    ["status"],
    json(200, { state: "running", status: "replaced", waiting: 2 }),
    1,
    /^$/,
  ],
  ["no such command", ["lisen"], 200, 2, /^there is no command `lisen`\nusage:/],
  ["an option of another command", ["list", "--tail", "3"], 200, 2, /^`list` takes no --tail/],
  [
    "a key on the command line",
    ["list", "--key", key],
    200,
    2,
    /^a key on the command line can be seen by others/,
  ],
  ["a URL that is none", ["listen", "--forward", "localhost:3000"], 200, 2, /^not a URL/],
  ["a bridge without contacts", ["trigger", "message", "-b", "shop"], 200, 2, /^--bridge: only the sandbox/],
  ["a missing word", ["send", "4917"], 200, 2, /^<text> is missing/],
  ["no such time", ["resend", "--since", "yesterday"], 200, 2, /^--since: a time such as/],
  ["an end without a beginning", ["resend", "--until", "2026-11-26T08:00Z"], 200, 2, /^--until and --all go/],
  [
    "all of one bridge",
    ["resend", "--since", "0", "--all", "-b", "shop"],
    200,
    2,
    /^--all is of every bridge/,
  ],
])("%s is told in clear words, with the right exit code", async ([, args, answer, code, says]) => {
  const service = await startReceiver(() => answer)
  onTestFinished(service.stop)
  const result = await run({ url: `http://127.0.0.1:${service.port}` }, ...args).ended
  expect(result.code).toBe(code)
  expect(result.err).toMatch(says)
})

test("what was given up in a span of time of all bridges is asked for page by page, and said of which", async () => {
  const pages = [
    { ok: true, count: 2, requested: [requestedAt("cafe", true)], next: "cafe" },
    { ok: true, count: 2, requested: [requestedAt("shop", false)] },
  ]
  const service = await startReceiver(() => json(202, pages.shift()!))
  onTestFinished(service.stop)
  const args = ["resend", "--since", "2026-11-26T08:00Z", "--until", "1795000000", "--all"]
  const result = await run({ url: `http://127.0.0.1:${service.port}` }, ...args).ended
  expect(result).toMatchObject({
    code: 0,
    out: "cafe  first  2 will be sent again\nshop  first  2 will be sent again, and more later: ask again\n",
  })
  expect(service.arrivals.map(({ path, body }) => [path, JSON.parse(body.toString()) as object])).toEqual([
    ["/api/deliveries/resend", { since: 1_795_680_000, until: 1_795_000_000 }],
    ["/api/deliveries/resend", { since: 1_795_680_000, until: 1_795_000_000, after: "cafe" }],
  ])
})

function requestedAt(customer_ref: string, all: boolean) {
  return { customer_ref, webhook: "first", count: 2, all }
}

test("where finds a message by its key, and by words what is kept, else what the events have", async () => {
  const [message_id, chat_id, body] = ["3EB0CAFE01", "1@s.whatsapp.net", "two blue ones"]
  const message = { message_id, chat_id, body, status: "read", read_at: 1_795_680_000 }
  const event = { event_id: "evt_1", state: "delivered", created_at: 1_795_680_000, event: { body } }
  const service = await startReceiver(({ path }) => {
    if (path.includes("idempotency_key=")) return json(200, message)
    if (path.includes("/messages/")) return refusal(404, "not_found")
    return path.includes("/search?") ? refusal(409, "not_kept") : json(200, [event])
  })
  onTestFinished(service.stop)
  const found = async (...words: string[]) =>
    await run({ url: `http://127.0.0.1:${service.port}` }, "where", ...words).ended
  expect(await found("order-2026")).toMatchObject({
    code: 0,
    out: `2026-11-26T08:00:00  read  ${message_id}  ${chat_id}  ${body}\n`,
  })
  expect(await found("two", "blue")).toMatchObject({
    code: 0,
    out: `2026-11-26T08:00:00  delivered  evt_1  ${body}\n`,
  })
  expect(service.arrivals.map(({ path }) => path.split("proxy")[1] ?? path.split("?")[1])).toEqual([
    "/messages/order-2026",
    "/messages?idempotency_key=order-2026",
    "/search?words=two+blue",
    expect.stringContaining("search=two+blue"),
  ])
})

test("the status of a bridge whose session is silent is told without asking it again and again", async () => {
  const service = await startReceiver(({ path }) =>
    path.endsWith("/status")
      ? refusal(503, "session_unavailable")
      : json(200, { state: "running", explanation: "Uncertain.", waiting: 0 }),
  )
  onTestFinished(service.stop)
  const result = await run({ url: `http://127.0.0.1:${service.port}` }, "status").ended
  expect(result).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^Uncertain\. 0 events wait/) as string,
  })
  expect(service.arrivals.map(({ path }) => path.split("/").at(-1))).toEqual([
    "default",
    "status",
    "deliveries",
  ])
})

test.for<[where: string, args: string[]]>([
  ["sandbox/proxy/contacts", ["message"]],
  ["sandbox/proxy/contacts", ["message", "--bridge", "sandbox"]],
  ["default/webhook-test", ["test"]],
  ["shop/webhook-test", ["test", "--bridge", "shop"]],
])(
  "trigger asks for %s when told %j: only the sandbox has contacts, and any bridge may have a webhook",
  async ([where, args]) => {
    const service = await startReceiver(() => refusal(401, "unauthorized"))
    onTestFinished(service.stop)
    await run({ url: `http://127.0.0.1:${service.port}` }, "trigger", ...args).ended
    expect(service.arrivals.map(({ path }) => path.split("?")[0])).toEqual([
      expect.stringContaining(`/instances/${where}`),
    ])
  },
)

/** The commands as they declare themselves. */
async function commands(): Promise<[string, Command][]> {
  const folder = new URL("../../../packages/cli/src/commands/", import.meta.url)
  const files = await Promise.all(readdirSync(folder).map((file) => import(new URL(file, folder).href)))
  const all = files.flatMap((file) => Object.entries(file as Record<string, Command>))
  return all.filter(([, one]) => typeof one === "object" && "says" in one)
}

const help = async (...words: string[]) => (await run(undefined, "help", ...words).ended).out

test("the help lists each command with all its options, and that of a command says what each does", async () => {
  const all = await help()
  const found = await commands()
  expect(found.length).toBeGreaterThan(9)
  for (const [name, { takes, says, options: its = [] }] of found) {
    const usage = all.split("\n").find((line) => line.startsWith(`  bridge ${name}`))
    const one = await help(name)
    for (const text of [takes, ...its.map((option) => `[--${option}`)]) expect(usage).toContain(text)
    const lines = one.split("\n")
    for (const option of ["json", ...its] as const)
      expect(
        lines.filter((line) => line.startsWith(`  --${option} `) || line.startsWith(`  --${option},`)),
      ).toEqual([expect.stringContaining(options[option].says)])
    expect(one).toContain(says)
  }
})

test.for<[what: string, event: object, words: string]>([
  ["a text", { name: "Ada", body: "hello", type: "text" }, "Ada: hello"],
  ["a file without words", { name: "Ada", body: "", type: "media", file: { name: "a.pdf" } }, "Ada: a.pdf"],
  ["a photo without words", { name: "", phone: "4917", body: "", media_type: "image" }, "4917: image"],
  ["a reaction", { name: "Ada", body: "", reaction: { emoji: "👍" } }, "Ada: 👍"],
  ["a vote", { name: "Ada", selected_options: ["Mon", "Tue"] }, "Ada: Mon, Tue"],
  ["a status", { chat_id: "1@s.whatsapp.net", status: "read" }, "read"],
])("listen tells %s in words", ([, event, words]) => {
  expect(told(event as Event)).toBe(words)
})

test("the code in a terminal is the one in the picture", async () => {
  const text = `2@${"a/b+".repeat(50)},key,id`
  const picture = new Uint8Array(await toBuffer(text, { width: 348, margin: 4 }))
  const modules = modulesOf(picture)
  const shown = inTerminal(modules).split("\n")
  // As a camera would see it: each cell of the terminal is a pixel wide and two high.
  const rows = shown.flatMap((line) => {
    const cells = Array.from(line.replace("\u001b[30;107m", "").replace("\u001b[0m", ""))
    return [cells.map((cell) => "█▀".includes(cell)), cells.map((cell) => "█▄".includes(cell))]
  })
  const [size, scale] = [rows[0]!.length, 4]
  const { PNG } = await import("pngjs")
  const seen = new PNG({ width: size * scale, height: size * scale })
  for (let y = 0; y < size * scale; y++)
    for (let x = 0; x < size * scale; x++)
      seen.data.writeUInt32BE(
        rows[Math.floor(y / scale)]![Math.floor(x / scale)] ? 0x000000ff : 0xffffffff,
        (y * size * scale + x) * 4,
      )
  expect(readQr(PNG.sync.write(seen))).toBe(text)
})
