import { createServer, type ServerOptions } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { ErrorBody } from "#contract/error.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { log } from "#core/platform/log.ts"
import { updateRow } from "#core/store/store.ts"
import { handler } from "#functions/api/handler.ts"
import { bodyWithin } from "#functions/http/json-body.ts"
import { refuseAsApp } from "#one-machine/api/refuse-without-app.ts"
import { listen } from "#one-machine/listen.ts"
import { app, listener } from "#test/support/service/app.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { dynamoDb } from "#test/support/store.ts"

describe("API keys", () => {
  test("whatever is wrong with a key, the answer is the same 401", async () => {
    const { key, account } = await aCustomer()
    const revoked = await ApiKey.create(account.id, "old")
    await ApiKey.revoke(account.id, revoked.slice(4, 16))
    const headers = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Basic ${key}`,
      key,
      "Bearer mbk_nothing",
      `Bearer ${key.slice(0, -1)}${key.at(-1) === "x" ? "y" : "x"}`,
      `Bearer ${key.slice(0, 20)}${key[20] === "A" ? "B" : "A"}${key.slice(21)}`,
      `Bearer ${revoked}`,
      `Bearer ${key} ${key}`,
    ]
    const bodies = new Set<string>()
    for (const authorization of headers) {
      const answer = await app.request("/api/instances", {
        headers: {
          "x-request-id": "the-same-id",
          ...(authorization !== undefined && { authorization }),
        },
      })
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toBe("Bearer")
      bodies.add(await answer.text())
    }
    expect([...bodies]).toHaveLength(1)
    expect(JSON.parse([...bodies][0]!)).toEqual(expect.schemaMatching(ErrorBody.strict()))
  })

  test("a path that does not exist says 401 to a stranger, 404 to a customer", async () => {
    expect((await app.request("/api/nothing")).status).toBe(401)
    const answer = await (await aCustomer()).get("/api/nothing")
    expect([answer.status, (await json(answer)).code]).toEqual([404, "not_found"])
    expect((await app.request("/elsewhere")).status).toBe(404)
  })

  test("/healthz needs no key", async () => {
    const answer = await app.request("/healthz")
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }])
  })
})

describe("every answer", () => {
  test("carries its request id: the caller's where it is well shaped, else a new one", async () => {
    const customer = await aCustomer()
    const given = await customer.call("GET", "/api/instances", undefined, { "x-request-id": "abcDEF-12345" })
    expect(given.headers.get("x-request-id")).toBe("abcDEF-12345")
    for (const bad of ["short", "x".repeat(65), "with_underscore", "with space1"]) {
      const made = await customer.call("GET", "/api/nothing", undefined, { "x-request-id": bad })
      expect(made.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
      expect(await json(made)).toMatchObject({ request_id: made.headers.get("x-request-id") })
    }
  })

  test("forbids sniffing and storing", async () => {
    const customer = await aCustomer()
    for (const path of ["/api/instances", "/api/nothing", "/healthz"]) {
      const answer = await customer.get(path)
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
      expect(answer.headers.get("cache-control")).toBe("no-store")
    }
  })
})

describe("bodies", () => {
  test.for([
    ["200,000 levels deep", "[".repeat(200_000) + "]".repeat(200_000)],
    ["33 levels deep within a field", `{"customer_ref":"a","more":${"[".repeat(33)}${"]".repeat(33)}}`],
  ])("that are %s are 400 invalid_request", async ([, body]) => {
    const customer = await aCustomer()
    const answer = await customer.post("/api/instances", body)
    expect([answer.status, (await json(answer)).code]).toEqual([400, "invalid_request"])
    expect(await (await customer.get("/api/instances")).json()).toEqual([])
  })

  test("that are not UTF-8 are 400 invalid_request", async () => {
    const { key } = await aCustomer()
    const answer = await app.request("/api/instances", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: Buffer.from([...Buffer.from('{"customer_ref":"'), 0xff, ...Buffer.from('"}')]),
    })
    expect([answer.status, (await json(answer)).code]).toEqual([400, "invalid_request"])
  })

  test("that are empty are 400 where one is wanted, whatever they are called", async () => {
    const customer = await aCustomer()
    await customer.post("/api/instances", { customer_ref: "a" })
    const path = "/api/instances/a/proxy/calls/1/reject"
    for (const type of ["multipart/form-data; boundary=x", "text/plain", ""]) {
      const answer = await customer.call("POST", path, "", { "content-type": type })
      expect([type, answer.status, (await json(answer)).code]).toEqual([type, 400, "invalid_request"])
    }
  })

  test("that are encoded are 415, and the answer says what is taken", async () => {
    const customer = await aCustomer()
    for (const encoding of ["gzip", "br", "deflate", "identity, gzip", "none"]) {
      const headers = { "content-encoding": encoding }
      const answer = await customer.call("POST", "/api/instances", { customer_ref: "a" }, headers)
      expect([encoding, answer.status, (await json(answer)).code]).toEqual([
        encoding,
        415,
        "unsupported_media_type",
      ])
      expect(answer.headers.get("accept-encoding")).toBe("identity")
    }
    for (const encoding of ["identity", "Identity", ""])
      expect(
        (
          await customer.call(
            "POST",
            "/api/instances",
            { customer_ref: "a" },
            { "content-encoding": encoding },
          )
        ).status,
      ).toBeLessThan(300)
  })

  test.for([
    ["of a known length", "content-length: 20"],
    ["in chunks", "transfer-encoding: chunked"],
  ])("that trickle in %s are 408, and their connection ends", async ([, framing]) => {
    const { ms } = bodyWithin
    bodyWithin.ms = 50
    onTestFinished(() => void (bodyWithin.ms = ms))
    const { key } = await aCustomer()
    const socket = connect(await aServer(), "127.0.0.1")
    const type = "content-type: application/json"
    const head = ["POST /api/instances HTTP/1.1", "host: x", `authorization: Bearer ${key}`, type, framing]
    socket.write(`${head.join("\r\n")}\r\n\r\n${framing!.endsWith("chunked") ? "1\r\n{\r\n" : "{"}`)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"code":"request_timeout"')
  })

  test("of another type are 415", async () => {
    const customer = await aCustomer()
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"]) {
      const answer = await customer.call("POST", "/api/instances", "{}", { "content-type": type })
      expect([answer.status, (await json(answer)).code]).toEqual([415, "unsupported_media_type"])
    }
    const charset = { "content-type": "application/json; charset=utf-8" }
    const json8 = await customer.call("POST", "/api/instances", `{"customer_ref":"a"}`, charset)
    expect(json8.status).toBe(201)
  })

  test("are looked at, however JSON is spelled in their type", async () => {
    const customer = await aCustomer()
    await customer.post("/api/instances", { customer_ref: "a" })
    const path = "/api/instances/a/proxy/send/text"
    const types = [
      "application/json;",
      "APPLICATION/JSON",
      "application/json; charset",
      "application/json ;a=b;",
    ]
    for (const type of types) {
      const answer = await customer.call("POST", path, `{"chat":7}`, { "content-type": type })
      expect([type, answer.status, (await json(answer)).code]).toEqual([type, 400, "invalid_request"])
    }
  })

  test("are not looked at where a method has none", async () => {
    const customer = await aCustomer()
    const answer = await customer.call("GET", "/api/instances", undefined, { "content-length": "600000" })
    expect(answer.status).toBe(200)
  })

  test("longer than 800 KiB are 413, also when their length is not told or told wrong", async () => {
    const { key } = await aCustomer()
    const long = JSON.stringify({ customer_ref: "a", more: "x".repeat(800 * 1024) })
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(long))
        controller.close()
      },
    })
    for (const request of [
      new Request("http://x/api/instances", { method: "POST", headers, body: long }),
      new Request("http://x/api/instances", { method: "POST", headers, body: streamed, duplex: "half" }),
      new Request("http://x/api/instances", {
        method: "POST",
        headers: { ...headers, "content-length": "10" },
        body: long,
      }),
    ]) {
      const answer = await app.request(request)
      expect([answer.status, (await json(answer)).code]).toEqual([413, "payload_too_large"])
    }
  })

  test("say which forms a chat has, where it has none of them", async () => {
    const customer = await aCustomer()
    await customer.post("/api/instances", `{"customer_ref":"a"}`)
    const forms =
      "7 to 15 digits without spaces or dashes, a JID (<digits>@s.whatsapp.net, <digits>@lid, <id>@g.us), or @<username>"
    for (const chat of ["+1 555 000-1111", "12", "someone@example.com"]) {
      const answer = customer.post("/api/instances/a/proxy/send/text", { chat, body: "Hi" })
      expect(await json(answer)).toMatchObject({ error: `chat: ${forms}` })
    }
  })

  test("that are not there miss what an empty object misses", async () => {
    const customer = await aCustomer()
    const path = "/api/instances"
    const none = { "content-type": "application/json", "content-length": "0" }
    for (const [body, headers] of [[undefined], [undefined, none], [""], ["{}"]] as const) {
      const codes = [
        (await json(customer.call("POST", path, body, headers))).code,
        (await json(customer.call("POST", path, `{"customer_ref":"a"}`))).code,
        (await json(customer.call("PATCH", `${path}/a`, body, headers))).code,
      ]
      expect(codes).toEqual(["invalid_customer_ref", undefined, "invalid_webhook_url"])
      const text = await json(customer.call("POST", `${path}/a/proxy/send/text`, body, headers))
      expect(text).toMatchObject({
        error: "chat: is missing (and 1 more: see issues)",
        code: "invalid_request",
        issues: [{ path: "chat" }, { path: "body" }],
      })
    }
  })

  test("with unknown fields are taken without them, `__proto__` too", async () => {
    const customer = await aCustomer()
    const answer = await customer.post("/api/instances", `{"customer_ref":"a","x":1,"__proto__":{"y":2}}`)
    expect(answer.status).toBe(201)
    expect(({} as { y?: number }).y).toBeUndefined()
  })
})

test("the store is away: 503 with Retry-After, and nothing of it is told", async () => {
  const customer = await aCustomer()
  await customer.get("/api/instances")
  const restore = dynamoDb.faults.add({ fault: "gone" })
  const answer = await customer.get("/api/instances")
  restore()
  expect(answer.status).toBe(503)
  expect(answer.headers.get("retry-after")).toBe("2")
  expect(await answer.json()).toEqual(expect.schemaMatching(ErrorBody.strict()))
  expect((await customer.get("/api/instances")).status).toBe(200)
})

test("the log of a failed request does not name whom it was about", async () => {
  const customer = await aCustomer()
  const logged = vi.spyOn(log, "error")
  const back = dynamoDb.faults.add({ fault: "gone" })
  expect((await customer.get("/api/instances/a/proxy/contacts/491711234567")).status).toBe(503)
  back()
  expect(logged).toHaveBeenCalled()
  expect(JSON.stringify(logged.mock.calls)).not.toContain("491711234567")
  logged.mockRestore()
})

test("a bug of ours is 500 and says nothing of itself", async () => {
  const customer = await aCustomer()
  const { id } = await json(customer.post("/api/instances", { customer_ref: "a" }))
  await updateRow({
    TableName: "Leases",
    Key: { pk: `BRIDGE#${String(id)}`, sk: "LEASE" },
    UpdateExpression: "SET epoch = :x",
    ExpressionAttributeValues: { ":x": "a planted string" },
  })
  const answer = await customer.get("/api/instances")
  expect(answer.status).toBe(500)
  expect(await answer.json()).toEqual({
    error: "something went wrong on our side: try again, and if it persists, report the request_id",
    code: "internal_error",
    request_id: answer.headers.get("x-request-id"),
  })
})

/** The app behind Node's server. */
async function aServer(options: ServerOptions = {}) {
  const server = refuseAsApp(createServer({ requireHostHeader: false, ...options }, listener))
  const port = await listen(server)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return port
}

test("the app answers on a socket as it does in memory, also to what is not HTTP's best", async () => {
  const port = await aServer()
  const { key } = await aCustomer()
  const socket = connect(port, "127.0.0.1")
  socket.write(
    `POST /api/instances HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n` +
      `transfer-encoding: chunked\r\nconnection: close\r\n\r\n14\r\n{"customer_ref":"a"}\r\n0\r\n\r\n`,
  )
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /)
})

test.for([
  ["a backslash", "GET /api\\instances HTTP/1.1\r\nhost: x"],
  ["no path", "OPTIONS * HTTP/1.1\r\nhost: x"],
  ["a host that is none", "GET /api/instances HTTP/1.1\r\nhost: a b"],
  ["a method that nothing takes", "TRACE /api/instances HTTP/1.1\r\nhost: x"],
])("a request with %s is refused and counted like any other", async ([, head]) => {
  const socket = connect(await aServer(), "127.0.0.1")
  socket.write(Buffer.from(`${head}\r\nconnection: close\r\n\r\n`, "latin1"))
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 40[145] /)
  expect(answer).toMatch(/\r\nratelimit-limit: 300\r\n/i)
  expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i)
  expect(answer).toMatch(/"code":"(?:not_found|unauthorized|method_not_allowed)"/)
})

test.for([
  ["no HTTP", "hello\r\n\r\n", 400, "invalid_request"],
  ["a header that is none", "GET / HTTP/1.1\r\nhost: x\r\na b: c\r\n\r\n", 400, "invalid_request"],
  [
    "two lengths",
    "POST /api/instances HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    400,
    "invalid_request",
  ],
  ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n", 400, "invalid_request"],
  [
    "too many headers",
    `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(20_000)}\r\n\r\n`,
    431,
    "headers_too_large",
  ],
  [
    "too much beside its chunks",
    `POST /api/instances HTTP/1.1\r\nhost: x\r\nauthorization: Bearer KEY\r\ntransfer-encoding: chunked\r\n\r\n1;${"a".repeat(20_000)}\r\n`,
    413,
    "payload_too_large",
  ],
  ["no host", "GET /api/instances HTTP/1.1\r\nconnection: close\r\n\r\n", 404, "not_found"],
  [
    "an expectation that nobody knows",
    "GET /healthz2 HTTP/1.1\r\nhost: x\r\nexpect: tea\r\nconnection: close\r\n\r\n",
    404,
    "not_found",
  ],
] as const)("a request that is %s is refused with a sentence and its id", async ([, sent, status, code]) => {
  const { key } = await aCustomer()
  const socket = connect(await aServer(), "127.0.0.1")
  socket.write(sent.replace("KEY", key))
  const answer = await text(socket)
  const [head = "", body = ""] = answer.split(/\r\n\r\n(?:[0-9a-f]+\r\n)?(?=\{)/)
  expect(head.split("\r\n")[0]).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w`))
  const said = ErrorBody.strict().parse(JSON.parse(/^.*\}/.exec(body)?.[0] ?? "{}"))
  expect(said.code).toBe(code)
  expect(head.toLowerCase()).toContain(`\r\nx-request-id: ${said.request_id}`)
  expect(head.toLowerCase()).toContain("\r\nx-content-type-options: nosniff")
})

test("a request whose headers do not come is refused with a sentence and its id", async () => {
  const port = await aServer({ headersTimeout: 50, connectionsCheckingInterval: 20 })
  const socket = connect(port, "127.0.0.1")
  socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n")
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  expect(answer).toMatch(/"code":"request_timeout","request_id":"[0-9a-f-]{36}"/)
})

test("a connection ends when the rest of a request that nothing reads does not come", async () => {
  const server = refuseAsApp(
    createServer((_, response) => response.end("refused")),
    50,
  )
  onTestFinished(() => void server.close())
  const socket = connect(await listen(server), "127.0.0.1")
  socket.write("POST /sign-in HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{")
  expect(await text(socket)).toMatch(/refused$/)
})

test("the Lambda door answers with the same app", async () => {
  const { key } = await aCustomer()
  const event = {
    version: "2.0",
    routeKey: "$default",
    rawPath: "/api/instances",
    rawQueryString: "",
    headers: { authorization: `Bearer ${key}`, host: "x" },
    isBase64Encoded: false,
    body: null,
    requestContext: { http: { method: "GET", path: "/api/instances" } },
  }
  const answer = await handler(event as unknown as Parameters<typeof handler>[0]) // the parts that are read
  expect(answer).toMatchObject({ statusCode: 200, body: "[]" })
})
