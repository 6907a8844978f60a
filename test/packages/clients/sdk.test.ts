import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { inspect } from "node:util"
import * as fc from "fast-check"
import { Hono } from "hono"
import { describe, expect, onTestFinished, test } from "vitest"
import { generated } from "#contract/sdks/generate.ts"
import { Receiver } from "#core/event/receiver.ts"
import { batchOf } from "#functions/delivery/attempt.ts"
import { stopListening, listen } from "#one-machine/listen.ts"
import { BridgeError, messagingBridge, type Settings, webhooks } from "#sdk-typescript/index.ts"
import { aReceiver } from "../../support/service/receiver.ts"
import { type Answer, silence } from "../../support/service/start-receiver.ts"

test.for(Object.entries(generated()))("%s is what the contract says", ([path, text]) => {
  expect(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")).toBe(text)
})

const key = "mbk_abcdefghijkl_secretsecretsecretsecretsecret12check1"

/** A service that answers by script, and its client. */
async function aService(script: Answer[], settings: Settings = {}) {
  const server = await aReceiver(script)
  const client = messagingBridge({ url: `http://127.0.0.1:${server.port}`, key, ...settings })
  return { arrivals: server.arrivals, client, shop: client.bridge("shop") }
}

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body))
const refuses = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  says(status, { error: `it is ${code}`, code, request_id: "req-1", ...more }, headers)
const breaks: Answer = (response) => response.destroy()
const sent = says(200, { message_id: "M1", timestamp: 1 })

/** Begins a 200, and breaks off in it. */
const cut: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": 100 }).write("{")
  response.destroy()
}

/** The error with which this ends. */
async function errorOf(work: Promise<unknown>): Promise<BridgeError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(BridgeError)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("secretsecret")
  return error as BridgeError // asserted above
}

describe("a call", () => {
  test("has its path, query, body and key where the reference has them", async () => {
    const { arrivals, shop, client } = await aService([sent, says(200, {}), says(201, { key: "k" })])
    await shop.editMessage({ id: "a/b c", body: "new" }, { idempotencyKey: "order-1" })
    await shop.getMessage({ id: "A", chat: "49171" })
    await client.createKey({ name: "n" })
    expect(arrivals.map(({ method, path, body }) => [method, path, body.toString()])).toEqual([
      ["PATCH", "/api/instances/shop/proxy/messages/a%2Fb%20c/edit", '{"body":"new"}'],
      ["GET", "/api/instances/shop/proxy/messages/A?chat=49171", ""],
      ["POST", "/api/keys", '{"name":"n"}'],
    ])
    expect(arrivals.map(({ headers }) => headers["idempotency-key"])).toEqual([
      "order-1",
      undefined,
      undefined,
    ])
    expect(arrivals[0]!.headers.authorization).toBe(`Bearer ${key}`)
  })

  test("that sends is made again under the same key, until its outcome is known", async () => {
    const failures = [
      breaks,
      cut,
      refuses(503, "session_unavailable", {}, { "retry-after": "0" }),
      refuses(504, "send_outcome_unknown"),
    ]
    const { arrivals, shop } = await aService([...failures, sent])
    expect(await shop.sendText({ chat: "49171", body: "Hi" })).toEqual({ message_id: "M1", timestamp: 1 })
    const keys = arrivals.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toHaveLength(5)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.for<[what: string, call: "createKey" | "sendText", answer: Answer]>([
    ["a key is not created twice because the connection broke", "createKey", breaks],
    [
      "a message that the network refused",
      "sendText",
      refuses(502, "network_rejected", { network_code: 463 }),
    ],
    ["a message that the pacing holds back", "sendText", refuses(429, "pacing", {}, { "retry-after": "1" })],
    [
      "a wait that is longer than a minute",
      "sendText",
      refuses(503, "session_unavailable", {}, { "retry-after": "3600" }),
    ],
    ["a wrong key", "sendText", refuses(401, "unauthorized")],
    ["a page of HTML that says 200", "sendText", says(200, "<p>", { "content-type": "text/html" })],
  ])("is not made again: %s", async ([, call, answer]) => {
    const { arrivals, client, shop } = await aService([answer])
    await errorOf(
      call === "createKey" ? client.createKey({ name: "n" }) : shop.sendText({ chat: "1", body: "b" }),
    )
    expect(arrivals).toHaveLength(1)
  })

  test("that fails for good says all that the service has said, and the key under which to ask again", async () => {
    const issues = [{ path: "chat", message: "is missing" }]
    const { shop } = await aService(
      [
        refuses(400, "invalid_request", { issues }),
        refuses(504, "send_outcome_unknown", { message_id: "M2" }),
      ],
      { retries: 0 },
    )
    expect(await errorOf(shop.sendText({ chat: "", body: "b" }))).toMatchObject({
      code: "invalid_request",
      status: 400,
      requestId: "req-1",
      issues,
      message: "it is invalid_request",
    })
    const unknown = await errorOf(shop.sendText({ chat: "1", body: "b" }, { idempotencyKey: "order-2" }))
    expect(unknown).toMatchObject({ messageId: "M2", idempotencyKey: "order-2" })
  })

  test.for<[what: string, answer: Answer, code: string, message: RegExp]>([
    ["nobody answers in time", silence, "no_answer", /did not answer in time$/],
    ["the connection breaks", breaks, "no_answer", /^GET http:\S+\/proxy\/status has no answer/],
    [
      "a proxy answers with HTML",
      says(502, "<h1>Bad", { "content-type": "text/html" }),
      "unexpected_answer",
      /502 and text\/html, not the JSON/,
    ],
    [
      "the address leads elsewhere",
      says(301, "", { location: "https://new.example/x?y=secret" }),
      "unexpected_answer",
      /redirect \(301\) to https:\/\/new\.example: give/,
    ],
    [
      "something else answers",
      says(404, '{"detail":"no"}'),
      "unexpected_answer",
      /404 and application\/json/,
    ],
  ])("says clearly that %s", async ([, answer, code, message]) => {
    const { shop } = await aService([answer], { retries: 0, timeoutMs: 1000 })
    const error = await errorOf(shop.status())
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
  })

  test("ends with the reason of its signal, also while it waits for the next try", async () => {
    const leaving = new AbortController()
    const { shop } = await aService([
      (response, arrival) => {
        ;(refuses(429, "rate_limited", {}, { "retry-after": "60" }) as Exclude<Answer, number>)(
          response,
          arrival,
        )
        setImmediate(() => leaving.abort(new Error("the user left")))
      },
    ] as Answer[])
    await expect(shop.status({ signal: leaving.signal })).rejects.toThrow("the user left")
  })

  test.for<[Settings, RegExp]>([
    [{ url: "http://u:secretsecret@h" }, /^url has a user name/],
    [{ url: "secretsecret" }, /^url is not one/],
    [{ url: "" }, /^url is missing/],
    [{ key: "mbk_secretsecret\n" }, /^key has a space/],
    [{ key: "" }, /^key is missing/],
  ])("is not made with %j", async ([settings, message]) => {
    const made = async () => messagingBridge({ url: "http://h", key, ...settings })
    expect(await errorOf(made())).toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message) as string,
    })
  })

  test("whose path would lead elsewhere is not made", async () => {
    const { arrivals, shop, client } = await aService([])
    for (const id of ["", ".", ".."])
      expect((await errorOf(shop.getMessage({ id }))).code).toBe("invalid_argument")
    expect((await errorOf(client.bridge("..").status())).code).toBe("invalid_argument")
    expect((await errorOf(shop.sendText({ chat: "1", body: "b" }, { idempotencyKey: "ä" }))).code).toBe(
      "invalid_argument",
    )
    expect(arrivals).toEqual([])
  })

  test("that no request can carry is not made", async () => {
    const { arrivals, shop } = await aService([])
    const cyclic: { name?: unknown } = {}
    cyclic.name = cyclic
    for (const body of [1n, cyclic])
      expect((await errorOf(shop.sendText({ chat: "1", body: body as string }))).code).toBe(
        "invalid_argument",
      )
    expect((await errorOf(shop.getMessage({ id: "\ud800" }))).code).toBe("invalid_argument")
    expect(arrivals).toEqual([])
  })
})

const jids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ jid: `${from + i}@x` }))

describe("a list", () => {
  test("is a page when it is awaited, and everything in a loop", async () => {
    const { arrivals, shop } = await aService([
      says(200, jids(0, 2)),
      says(200, jids(0, 2)),
      says(200, jids(2, 3)),
    ])
    expect(await shop.listGroups({ limit: 2 })).toHaveLength(2)
    const seen = []
    for await (const { jid } of shop.listGroups({ limit: 2 })) seen.push(jid)
    expect(seen).toEqual(["0@x", "1@x", "2@x"])
    expect(arrivals.map(({ path }) => path.split("?")[1])).toEqual([
      "limit=2",
      "limit=2",
      "limit=2&after=1%40x",
    ])
  })

  test("goes on where the answer says so", async () => {
    const { arrivals, shop } = await aService([
      says(200, [{ event_id: "e1" }], { "x-next-after": "e7" }),
      says(200, []),
    ])
    const seen = []
    for await (const event of shop.listEvents({ state: "inbox" })) seen.push(event.event_id)
    expect(seen).toEqual(["e1"])
    expect(arrivals[1]!.path).toContain("after=e7")
  })

  test("that fails throws once, in the loop", async () => {
    const { shop } = await aService([refuses(404, "not_found")])
    const all = async () => {
      for await (const _ of shop.listContacts()) expect.unreachable()
    }
    expect((await errorOf(all())).code).toBe("not_found")
  })
})

const event = (id: string, body = id) =>
  `id: ${id}\ndata: ${JSON.stringify({ event_id: id, event: { event: "message", body } })}\n\n`
/** A stream of these parts, which then breaks or ends. */
const streams =
  (parts: (string | Uint8Array)[], { broken = true } = {}): Answer =>
  async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const part of parts) {
      await new Promise((done) => response.write(part, done))
    }
    if (broken) response.destroy()
    else response.end()
  }

describe("the stream of events", () => {
  const begins = "id: e0\n\n"

  test("goes on behind the last whole event, whatever breaks it", async () => {
    const [half, ofCharacter] = [event("e2").slice(0, 20), Buffer.from(event("e2", "ä"))]
    const { arrivals, shop } = await aService([
      streams([begins, ": still here\n\n"]),
      streams([event("e1"), half]),
      says(502, "<h1>", { "content-type": "text/html" }),
      streams([ofCharacter.subarray(0, -8), ofCharacter.subarray(-8), "retry: 1000\r\n\r\n"], {
        broken: false,
      }),
      streams([event("e3").replaceAll("\n", "\r\n")]),
    ])
    const interruptions: string[] = []
    const openedAfter: number[] = []
    const seen = []
    for await (const { event_id, event } of shop.events({
      from: "now",
      types: ["message", "poll_vote"],
      onOpen: () => openedAfter.push(arrivals.length),
      onInterruption: ({ code }) => interruptions.push(code),
    })) {
      seen.push(`${event_id} ${event.event === "message" ? event.body : ""}`)
      if (event_id === "e3") break
    }
    expect(seen).toEqual(["e1 e1", "e2 ä", "e3 e3"])
    expect(arrivals.map(({ headers }) => headers["last-event-id"])).toEqual([
      undefined,
      "e0",
      "e1",
      "e1",
      "e2",
    ])
    expect(arrivals[1]!.path).toBe("/api/instances/shop/events?type=message%2Cpoll_vote")
    expect(interruptions).toEqual(["no_answer", "no_answer", "unexpected_answer"])
    expect(openedAfter).toEqual([1])
  }, 20_000)

  test("ends when the key is revoked, and at once if there is none to open", async () => {
    const { shop } = await aService([streams([begins, event("e1")]), refuses(401, "unauthorized")])
    const all = async () => {
      for await (const _ of shop.events({ from: "now" })) continue
    }
    expect((await errorOf(all())).code).toBe("unauthorized")
    const elsewhere = await aService([says(200, "<p>", { "content-type": "text/html" })])
    const error = await errorOf(elsewhere.shop.events({ after: "e1" }).next())
    expect(error.code).toBe("unexpected_answer")
  })

  test("ends without an error when its signal fires", async () => {
    const stop = new AbortController()
    const { shop } = await aService([
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(event("e1"))
      },
    ])
    const seen = []
    for await (const one of shop.events({ after: "e0", signal: stop.signal })) {
      seen.push(one.event_id)
      setImmediate(() => stop.abort())
    }
    expect(seen).toEqual(["e1"])
  })
})

const now = () => Math.floor(Date.now() / 1000)
const fails = () => {
  throw new Error("the database is away")
}

describe("a webhook", () => {
  const secret = "whsec_ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMsIHRoaXM="
  const message = { event: "message", body: "Grüße 👋", message_id: "M1" }

  function aDelivery(
    more: {
      body?: Uint8Array
      id?: string
      batch?: number
      headers?: Record<string, string>
      url?: string
    } = {},
  ) {
    const { body = Buffer.from(JSON.stringify(message)), id = "evt_1", batch } = more
    const headers = Receiver.signedHeaders({
      secrets: [secret],
      id,
      attempt: 2,
      body,
      timestamp: now(),
      batch,
    })
    return new Request(more.url ?? "http://h/", {
      method: "POST",
      headers: { ...headers, ...more.headers },
      body: new Uint8Array(body),
    })
  }

  test("gets each event by its type, with what is known of its delivery", async () => {
    const got: unknown[] = []
    const hook = webhooks.handler(
      {
        message: (event, about) => got.push([event.body, about.eventId, about.attempt, about.isResend]),
        other: (event) => got.push(event.event),
      },
      { secret },
    )
    const batch = batchOf([
      { eventId: "evt_2", body: Buffer.from(JSON.stringify(message)) },
      { eventId: "evt_3", body: Buffer.from('{"event":"a_type_of_next_year"}') },
    ])
    const batched = aDelivery({ ...batch, batch: 2, headers: { "x-webhook-resend": "true" } })
    expect((await hook(aDelivery())).status).toBe(204)
    expect((await hook(batched)).status).toBe(204)
    expect(got).toEqual([
      ["Grüße 👋", "evt_1", 2, false],
      ["Grüße 👋", "evt_2", 2, true],
      "a_type_of_next_year",
    ])
  })

  test("is told once a delivery of what was given up before it, and takes the events though that throws", async () => {
    const told: unknown[] = []
    const onError = (error: unknown) => told.push(error)
    const settings = { secret, onError, onUndelivered: (about: unknown) => told.push(about) }
    const hook = webhooks.handler({ other: ({ event }) => told.push(event) }, settings)
    const body = Buffer.from(JSON.stringify(message))
    const batch = batchOf(["evt_2", "evt_3"].map((eventId) => ({ eventId, body })))
    const headers = { "x-webhook-undelivered": "12", "x-webhook-undelivered-since": "1795160000" }
    await hook(aDelivery({ ...batch, batch: 2, headers }))
    await hook(aDelivery())
    expect(told).toEqual([{ count: 12, since: 1_795_160_000 }, "message", "message", "message"])
    const failing = webhooks.handler({}, { ...settings, onUndelivered: fails })
    expect((await failing(aDelivery({ headers }))).status).toBe(204)
    expect(told.at(-1)).toEqual(new Error("the database is away"))
  })

  test("says of which bridge an event is where the webhook is the account's", async () => {
    const body = Buffer.from(JSON.stringify({ ...message, customer_ref: "shop" }))
    const [ofAll] = await webhooks.verify(aDelivery({ id: "evt_1", body }), secret)
    const [ofBridge] = await webhooks.verify(aDelivery(), secret)
    expect([ofAll?.customerRef, ofBridge?.customerRef]).toEqual(["shop", undefined])
  })

  test("refuses what is not genuine, and has failed if its handler throws", async () => {
    const errors: unknown[] = []
    const hook = webhooks.handler({ message: fails }, { secret, onError: (error) => errors.push(error) })
    const forged = aDelivery({ headers: { "x-webhook-signature": `t=${now()},v1=${"0".repeat(64)}` } })
    const answers = [await hook(forged), await hook(new Request("http://h/")), await hook(aDelivery())]
    expect(answers.map(({ status }) => status)).toEqual([401, 405, 500])
    expect(errors).toEqual([new Error("the database is away")])
    expect(await answers[2]!.text()).toBe("")
  })

  test("refuses a thousand bodies, times and signatures that were changed on the way", async () => {
    const at = now()
    const body = Buffer.from(JSON.stringify(message))
    const signature = Receiver.signedHeaders({ secrets: [secret], id: "e", attempt: 1, body, timestamp: at })[
      "x-webhook-signature"
    ]!
    const changed = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }))
    await fc.assert(
      fc.asyncProperty(fc.boolean(), changed, async (ofBody, [place, by]) => {
        const bytes = new Uint8Array(ofBody ? body : Buffer.from(signature))
        bytes[place % bytes.length]! ^= by
        const header = ofBody ? signature : Buffer.from(bytes).toString("latin1")
        expect(await webhooks.isGenuine(ofBody ? bytes : new Uint8Array(body), header, secret, at)).toBe(
          false,
        )
      }),
      { numRuns: 1000 },
    )
    expect(await webhooks.isGenuine(new Uint8Array(body), signature, secret, at)).toBe(true)
  })

  test.for(["", "secret", undefined])("is not made with the secret %j", (given) => {
    expect(() => webhooks.handler({}, { secret: given as string })).toThrow(/^secret is missing/)
  })

  test("works in Hono and in Node, and tells Express where to put it", async () => {
    const got: string[] = []
    const hook = webhooks.handler({ message: ({ body }) => void got.push(body) }, { secret })
    const app = new Hono().post("/hook", (c) => hook(c.req.raw))
    expect((await app.fetch(aDelivery({ url: "http://h/hook" }))).status).toBe(204)

    const node = webhooks.node(hook)
    const parsed: { body?: unknown } = {}
    const server = createServer((request, response) => {
      void node(Object.assign(request, parsed), response)
    })
    const url = `http://127.0.0.1:${await listen(server)}/`
    onTestFinished(() => stopListening(server))
    const ask = async (request: Request) => {
      const { status } = await fetch(url, {
        method: "POST",
        headers: request.headers,
        body: await request.arrayBuffer(),
      })
      return status
    }
    expect(await ask(aDelivery())).toBe(204)
    expect((await fetch(url)).status).toBe(405)
    expect(await ask(new Request(url, { method: "POST", body: Buffer.alloc(16_000_001) }))).toBe(413)
    parsed.body = message
    const late = await fetch(url, { method: "POST", body: "{}" })
    expect([late.status, await late.text()]).toEqual([500, expect.stringContaining("before express.json()")])
    expect(got).toEqual(["Grüße 👋", "Grüße 👋"])
  })
})
