import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { BridgeError, canBeAnswered, type CursorStore, messagingBridge } from "#sdk-typescript/index.ts"
import type { EventOptions } from "#sdk-typescript/messaging-bridge.ts"
import { type Arrival, startReceiver } from "../../support/service/start-receiver.ts"

const key = "mbk_abcdefghijkl_secretsecretsecretsecretsecret12check1"
const root = new URL("../../../", import.meta.url).pathname

const message = (n: number, more: object = {}) => ({
  event: "message",
  message_id: `M${n}`,
  chat_id: "491711234567@s.whatsapp.net",
  contact_id: "491711234567@s.whatsapp.net",
  phone: "491711234567",
  name: "Ada",
  body: `${n}`,
  type: "text",
  media_type: "",
  is_group: false,
  from_me: false,
  timestamp: n,
  ...more,
})

/** A bridge whose stream goes on behind each of its events, and that notes what is sent. */
async function aBridge() {
  const events: object[] = []
  const readers = new Set<ServerResponse>()
  const sent: string[] = []
  const textOf = (n: number) =>
    `id: e${n}\ndata: ${JSON.stringify({ event_id: `e${n}`, state: "inbox", created_at: n, event: events[n - 1] })}\n\n`
  const usually =
    ({ method, headers, body }: Arrival) =>
    (response: ServerResponse) => {
      if (method === "POST") {
        sent.push((JSON.parse(body.toString()) as { body: string }).body)
        response
          .writeHead(200, { "content-type": "application/json" })
          .end('{"message_id":"M","timestamp":1}')
        return
      }
      const last = Number((headers["last-event-id"] as string | undefined)?.slice(1) ?? events.length)
      response.writeHead(200, { "content-type": "text/event-stream" }).write(`id: e${last}\n\n`)
      for (let n = last + 1; n <= events.length; n++) response.write(textOf(n))
      readers.add(response.once("close", () => readers.delete(response)))
    }
  const server = await startReceiver(usually)
  onTestFinished(server.stop)
  const url = `http://127.0.0.1:${server.port}`
  const happen = (...more: object[]) => {
    for (const one of more) {
      events.push(one)
      for (const reader of readers) reader.write(textOf(events.length))
    }
  }
  const shop = messagingBridge({ url, key }).bridge("shop")
  return { url, shop, sent, happen, say: server.say, until: server.until, arrivals: server.arrivals }
}

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cursors-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const burst = Array.from({ length: 60 }, (_, i) => message(i + 1))

/** How many of a burst were left out, and how many came more than once. */
const skippedIn = (bodies: string[]) => burst.filter(({ body }) => !bodies.includes(body)).length
const repeatedIn = (bodies: string[]) => bodies.length - new Set(bodies).size

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL")
  await once(child, "close")
}

test("a program that is killed before its first event, and in a burst, skips none and repeats one at most", async () => {
  const folder = aFolder()
  const { url, sent, happen } = await aBridge()
  const source = new URL("packages/sdk-typescript/src/index.ts", `file://${root}`).href
  const program = `import { messagingBridge } from ${JSON.stringify(source)}
    const shop = messagingBridge().bridge("shop")
    for await (const { event, event_id } of shop.messages({ resume: "answer" }))
      await shop.sendText({ chat: event.chat_id, body: event.body }, { idempotencyKey: event_id })`
  writeFileSync(join(folder, "answer.mjs"), program)
  const start = () => {
    const env = { ...process.env, BRIDGE_URL: url, BRIDGE_KEY: key }
    const child = spawn(process.execPath, ["answer.mjs"], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    return child
  }
  const file = join(folder, ".messaging-bridge/answer.json")
  const first = start()
  await expect.poll(() => existsSync(file)).toBe(true)
  await killed(first)
  happen(...burst)
  for (const enough of [4, 20]) {
    const child = start()
    await expect.poll(() => sent.length).toBeGreaterThanOrEqual(enough)
    await killed(child)
  }
  start()
  await expect.poll(() => sent.includes("60")).toBe(true)
  expect({ skipped: skippedIn(sent), repeatedAtMost2: repeatedIn(sent) <= 2 }).toEqual({
    skipped: 0,
    repeatedAtMost2: true,
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
}, 30_000)

/** The error with which a stream begins. */
async function errorOf(stream: AsyncGenerator): Promise<BridgeError> {
  const error = await stream.next().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(BridgeError)
  return error as BridgeError // asserted above
}

test("a cursor is written when the loop asks for the next event, and not when it is left", async () => {
  const store = aFolder()
  const { shop, happen } = await aBridge()
  const from = { resume: "a/b", store, after: "e0" } as const
  happen(message(1), message(2), message(3))
  const seen = []
  for await (const { event_id } of shop.events(from)) if (seen.push(event_id) === 2) break
  for await (const { event_id } of shop.events(from)) if (seen.push(event_id) === 4) break
  expect(seen).toEqual(["e1", "e2", "e2", "e3"])
  expect(JSON.parse(readFileSync(join(store, "a%2Fb.json"), "utf8"))).toMatchObject({
    bridge: "shop",
    after: "e2",
  })
})

test("a store of the caller's keeps a cursor, and of two programs with one cursor the earlier is refused", async () => {
  const kept = new Map<string, string>()
  const store: CursorStore = {
    get: async (name) => kept.get(name) ?? null,
    set: async (name, value) => kept.set(name, value),
  }
  const { shop, happen } = await aBridge()
  happen(message(1), message(2))
  const first = shop.events({ resume: "shop", store, after: "e0" })
  await first.next()
  expect(JSON.parse(kept.get("shop")!)).toMatchObject({ after: "e0" })
  const second = shop.events({ resume: "shop", store })
  expect((await second.next()).value).toMatchObject({ event_id: "e1" })
  expect(await errorOf(first)).toMatchObject({ code: "cursor_in_use" })
  expect((await second.next()).value).toMatchObject({ event_id: "e2" })
  await second.return(undefined)
})

test("a second program with the same cursor is refused while the first lives, and not once it is dead", async () => {
  const store = aFolder()
  const { url, shop } = await aBridge()
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])
  onTestFinished(() => void child.kill("SIGKILL"))
  const kept = { url, bridge: "shop", after: "e0", writer: "another", pid: child.pid }
  writeFileSync(join(store, "shop.json"), JSON.stringify(kept))
  const begin = () => shop.events({ resume: "shop", store })
  expect(await errorOf(begin())).toMatchObject({
    code: "cursor_in_use",
    message: expect.stringMatching(
      /shop\.json is used by another program \(process \d+\): give each program a `resume`/,
    ) as string,
  })
  await killed(child)
  const going = begin()
  const next = going.next()
  await expect.poll(() => readFileSync(join(store, "shop.json"), "utf8")).not.toContain("another")
  void next.catch(() => "its service ends")
})

test("a dead program of which its parent has not taken note holds no cursor", async () => {
  const store = aFolder()
  const { url, shop } = await aBridge()
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"])
  onTestFinished(() => void parent.kill("SIGKILL"))
  const [line] = (await once(parent.stdout, "data")) as [Buffer]
  const pid = Number(line.toString())
  // A shell would take note.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8")).toBe("sleep\n")
  process.kill(pid, "SIGKILL")
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(") Z ")
  const kept = { url, bridge: "shop", after: "e0", writer: "another", pid }
  writeFileSync(join(store, "shop.json"), JSON.stringify(kept))
  const next = shop.events({ resume: "shop", store }).next()
  void next.catch(() => "its service ends")
  await expect.poll(() => readFileSync(join(store, "shop.json"), "utf8")).not.toContain("another")
})

test.each([-120, 7200])(
  "a cursor whose file says %i s is free, though a process has the number that is in it",
  async (seconds) => {
    const store = aFolder()
    const { url, shop, happen } = await aBridge()
    happen(message(1))
    const file = join(store, "shop.json")
    const kept = { url, bridge: "shop", after: "e0", writer: "another", pid: process.ppid }
    writeFileSync(file, JSON.stringify(kept))
    const at = Date.now() / 1000 + seconds
    utimesSync(file, at, at)
    const events = shop.events({ resume: "shop", store })
    expect((await events.next()).value).toMatchObject({ event_id: "e1" })
    await events.return(undefined)
  },
)

test.for<[what: string, text: string, says: RegExp]>([
  ["is cut", '{"url":"http', /is damaged: remove it/],
  ["is something else", "[]", /is damaged/],
  [
    "is another bridge's",
    '{"url":"URL","bridge":"other","after":"e1","writer":"w"}',
    /is that of the bridge other at http/,
  ],
  [
    "is another service's",
    '{"url":"http://x","bridge":"shop","after":"e1","writer":"w"}',
    /of the bridge shop at http:\/\/x/,
  ],
])("a cursor that %s is told of, and left as it is", async ([, given, says]) => {
  const store = aFolder()
  const { url, shop } = await aBridge()
  const text = given.replace("URL", url)
  writeFileSync(join(store, "shop.json"), text)
  const error = await errorOf(shop.events({ resume: "shop", store }))
  expect(error).toMatchObject({ code: "cursor_unusable", message: expect.stringMatching(says) as string })
  expect(readFileSync(join(store, "shop.json"), "utf8")).toBe(text)
})

test("a cursor that cannot be read or written is told of", async () => {
  const file = join(aFolder(), "a-file")
  writeFileSync(file, "")
  const { shop } = await aBridge()
  expect((await errorOf(shop.events({ resume: "shop", store: file }))).message).toMatch(
    /cannot be read: ENOTDIR/,
  )
  const full: CursorStore = {
    get: async () => undefined,
    set: async () => await Promise.reject(new Error("ENOSPC: no space left on device")),
  }
  expect(await errorOf(shop.events({ resume: "shop", store: full }))).toMatchObject({
    code: "cursor_unusable",
    message: 'the cursor "shop" cannot be written: ENOSPC: no space left on device',
  })
})

test("a stream is not begun without saying where, nor with a cursor where there is no file system", async () => {
  const { shop, arrivals } = await aBridge()
  const nowhere = {} as unknown as EventOptions
  expect(await errorOf(shop.events(nowhere))).toMatchObject({
    code: "invalid_argument",
    message: expect.stringMatching(/resume: "a-name".*from: "now"/) as string,
  })
  expect(await errorOf(shop.events({ resume: "", after: "e0" }))).toMatchObject({
    code: "invalid_argument",
    message: "resume: a cursor needs a name",
  })
  const { process } = globalThis
  onTestFinished(() => void Object.assign(globalThis, { process }))
  Object.assign(globalThis, { process: { env: {} } })
  const error = await errorOf(shop.events({ resume: "shop" }))
  Object.assign(globalThis, { process })
  expect(error.message).toMatch(/there is no file system here .*give `store`/)
  expect(arrivals).toEqual([])
})

test("events that are no longer kept end the stream with their number, or are told of, and it goes on", async () => {
  const store = aFolder()
  const { shop, say, happen } = await aBridge()
  happen(...burst)
  const missed = 'id: e1\n\nevent: missed\nid: e40\ndata: {"missed":39}\n\n'
  const streams = (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(missed)
    setImmediate(() => response.destroy())
  }
  const options = { resume: "shop", store, after: "e1" }
  say(streams, streams)
  expect(await errorOf(shop.events(options))).toMatchObject({ code: "events_missed", missed: 39 })
  const told: number[] = []
  const goesOn = shop.events({ ...options, onMissed: (count) => told.push(count) })
  expect((await goesOn.next()).value).toMatchObject({ event_id: "e41" })
  expect(told).toEqual([39])
  await goesOn.return(undefined)
})

test("a cursor whose event the bridge never had is told of", async () => {
  const { url, shop, say } = await aBridge()
  const store = aFolder()
  writeFileSync(join(store, "shop.json"), JSON.stringify({ url, bridge: "shop", after: "e1", writer: "w" }))
  const body = {
    error: "no",
    code: "invalid_request",
    issues: [{ path: "Last-Event-ID", message: "not an event of this bridge" }],
  }
  say((response) => response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body)))
  expect(await errorOf(shop.events({ resume: "shop", store }))).toMatchObject({
    code: "cursor_unusable",
    message: expect.stringContaining("names an event that this bridge never had") as string,
  })
})

const group = { is_group: true, chat_id: "120363041234567890@g.us" }

test("messages are what people write who can be answered, in groups only if these are asked for", async () => {
  const { shop, happen, arrivals } = await aBridge()
  const others = [
    { from_me: true },
    { edit: "edit", target_id: "M1" },
    { edit: "revoke", target_id: "M1" },
    { type: "reaction", target_id: "M1", reaction: {} },
    { type: "unknown", target_id: "M1" },
    { is_broadcast: true, chat_id: "status@broadcast" },
    { is_group_status: true, ...group },
    { part_of: { message_id: "M1", as: "hd" } },
    { chat_id: "0@s.whatsapp.net" },
    { chat_id: "120363041234567890@newsletter" },
  ]
  happen(message(1), ...others.map((more, i) => message(i + 2, more)), message(20, group), message(21))
  const read = async (groups: boolean, count: number) => {
    const bodies: string[] = []
    for await (const { event } of shop.messages({ after: "e0", groups }))
      if (bodies.push(event.body) === count) break
    return bodies
  }
  expect([await read(false, 2), await read(true, 3)]).toEqual([
    ["1", "21"],
    ["1", "20", "21"],
  ])
  expect(arrivals[0]!.path).toBe("/api/instances/shop/events?direction=in&type=message")
  const parts = { message_id: "M1", as: "album" }
  expect(canBeAnswered(message(1, { part_of: parts }) as Parameters<typeof canBeAnswered>[0])).toBe(true)
})
