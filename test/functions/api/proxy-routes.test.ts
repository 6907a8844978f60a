import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { AttemptLog } from "#core/event/attempt-log.ts"
import { Receiver } from "#core/event/receiver.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { Lease } from "#core/lease/lease.ts"
import { listen } from "#one-machine/listen.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aCustomer, json } from "#test/support/service/customer.ts"
import { until } from "#test/support/until.ts"

const unpaired = { status: "unpaired", jid: "", lid: "", name: "", phone: "" }

/** A customer with one bridge, `shop`, and shortcuts to its proxy. */
async function aShop() {
  const customer = await aCustomer()
  const { id } = await json(customer.post("/api/instances", { customer_ref: "shop" }))
  const proxy = "/api/instances/shop/proxy"
  return {
    ...customer,
    id: String(id),
    status: (headers?: Record<string, string>) => customer.call("GET", `${proxy}/status`, undefined, headers),
    send: (body: unknown, key?: string) =>
      customer.call("POST", `${proxy}/send/text`, body, key === undefined ? {} : { "idempotency-key": key }),
    read: (suffix: string) => customer.get(`${proxy}${suffix}`),
  }
}

const sayOk = (_: unknown, response: ServerResponse) =>
  sayJson(response, 200, { message_id: "x", timestamp: 1 })

/** A port on which no server listens. */
async function aDeadAddress() {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, "close")
  return `127.0.0.1:${port}`
}

describe("a call that reaches its host", () => {
  test("carries method, path with its query, bridge, epoch and request id, signed", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) => sayJson(response, 200, unpaired))
    const lease = await host.take(shop.id)
    const answer = await shop.call("GET", "/api/instances/shop/proxy/status?x=%2F1", undefined, {
      "x-request-id": "request-1",
    })
    expect([answer.status, await answer.json()]).toEqual([200, unpaired])
    expect(host.calls).toHaveLength(1)
    expect(host.calls[0]).toMatchObject({ method: "GET", path: "/status?x=%2F1", body: "" })
    const { bridgeId, epoch, requestId, messageId } = host.calls[0]!.token!
    expect({ bridgeId, epoch, requestId }).toEqual({
      bridgeId: shop.id,
      epoch: lease.epoch,
      requestId: "request-1",
    })
    expect(messageId).toBeUndefined()
  })

  test("that sends carries the message id that the API chose, a new one each time", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((call, response) =>
      sayJson(response, 200, { message_id: call.token?.messageId, timestamp: 1 }),
    )
    await host.take(shop.id)
    const body = { chat: "+491711234567", body: "Grüße 👋" }
    const [first, second] = [await json(shop.send(body)), await json(shop.send(body))]
    expect(first.message_id).toMatch(/^3EB0[0-9A-F]{18}$/)
    expect(second.message_id).not.toBe(first.message_id)
    expect(JSON.parse(host.calls[0]!.body)).toEqual(body)
  })

  test("names messages and calls by whatever their senders called them, and needs no body to read one", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) => sayJson(response, 200, { ok: true }))
    await host.take(shop.id)
    const proxy = "/api/instances/shop/proxy"
    for (const id of ["a/b?c=d#e", "50% grüße 🌍", "SEND#1\n", "x".repeat(256)]) {
      const path = `/messages/${encodeURIComponent(id)}/read`
      expect((await shop.post(proxy + path)).status).toBe(200)
      const call = `/calls/${encodeURIComponent(id)}/reject`
      expect((await shop.post(proxy + call, { contact_id: "491711234567" })).status).toBe(200)
      expect(host.calls.splice(0)).toMatchObject([{ path, body: "{}" }, { path: call }])
    }
    for (const id of ["%00", "x".repeat(257)])
      expect((await shop.post(`${proxy}/messages/${id}/read`)).status).toBe(400)
  })

  test("passes a picture and its headers on, and no header of the host's own", async () => {
    const shop = await aShop()
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff])
    const host = await aScriptedHost((_, response) => {
      response.writeHead(200, {
        "content-type": "image/png",
        "x-qr-expires": "1999",
        "x-host-name": "ip-10-0-0-1",
      })
      response.end(png)
    })
    await host.take(shop.id)
    const answer = await shop.read("/qr")
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/png",
      "x-qr-expires": "1999",
      "cache-control": "no-store",
    })
    expect(answer.headers.has("x-host-name")).toBe(false)
  })

  test("of a bridge that is called `proxy` reaches the host under the same path", async () => {
    const customer = await aCustomer()
    const { id } = await json(customer.post("/api/instances", { customer_ref: "proxy" }))
    const host = await aScriptedHost((_, response) => sayJson(response, 200, unpaired))
    await host.take(String(id))
    expect((await customer.get("/api/instances/proxy/proxy/status")).status).toBe(200)
    expect(host.calls[0]!.path).toBe("/status")
  })

  test("gives a stranger's picture as a download that no browser runs", async () => {
    const shop = await aShop()
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0])
    const host = await aScriptedHost((_, response) =>
      response.writeHead(200, { "content-type": "image/jpeg", "set-cookie": "a=b" }).end(jpeg),
    )
    await host.take(shop.id)
    for (const suffix of ["/contacts/491711234567@s.whatsapp.net/avatar", "/profile/avatar"]) {
      const answer = await shop.read(suffix)
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(jpeg)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "image/jpeg",
        "content-disposition": "attachment",
        "content-security-policy": "sandbox",
        "cache-control": "private",
        "x-content-type-options": "nosniff",
      })
      expect(answer.headers.has("set-cookie")).toBe(false)
    }
  })

  test("gives media from the bucket in which the host has put them, byte for byte and as a download", async () => {
    const shop = await aShop()
    const [folder, key] = [mkdtempSync(join(tmpdir(), "media-")), `${shop.id}/one`]
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const bytes = randomBytes(9 * 1024 * 1024)
    writeFileSync(join(folder, "file"), bytes)
    const file = { key, path: join(folder, "file"), contentType: "text/html", fileName: 'a"\r\nx: y.html' }
    await StoredMedia.put(file)
    const host = await aScriptedHost(
      (_, response) => void response.writeHead(200, AnswerInBucket.pointerTo(key)).end(),
    )
    await host.take(shop.id)
    const answer = await shop.read("/messages/3EB0AA/media")
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/html",
      "content-disposition": expect.stringMatching(
        /^attachment; filename\*=UTF-8''a%22%0D%0Ax%3A%20y\.html$/,
      ),
      "content-security-policy": "sandbox",
      "cache-control": "private",
      "x-content-type-options": "nosniff",
    })
    expect(answer.headers.has("x")).toBe(false)
  })

  test("gives an account eight files at once, however slowly they are read, and others theirs", async () => {
    const [shop, other] = [await aShop(), await aShop()]
    const folder = mkdtempSync(join(tmpdir(), "media-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, "file"), Buffer.alloc(1024 * 1024))
    const key = `${shop.id}/slow`
    await StoredMedia.put({ key, path: join(folder, "file"), contentType: "a/b", fileName: "" })
    const host = await aScriptedHost(
      (_, response) => void response.writeHead(200, AnswerInBucket.pointerTo(key)).end(),
    )
    await Promise.all([host.take(shop.id), host.take(other.id)])
    const ask = async (from = shop) => await from.read("/messages/3EB0AA/media")
    const open = await Promise.all(Array.from({ length: 8 }, () => ask()))
    const refused = await ask()
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"])
    const theirs = await ask(other)
    expect(theirs.status).toBe(200)
    await open[0]!.body!.cancel()
    await until(async () => (await ask()).status === 200)
    await Promise.all([theirs, ...open.slice(1)].map((answer) => answer.body!.cancel()))
  })

  test("gives the host's documented refusal, with the caller's request id", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) =>
      sayJson(response, 409, { error: "pair it first", code: "not_paired" }),
    )
    await host.take(shop.id)
    const answer = await shop.send({ chat: "491711234567", body: "hi" })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toEqual({
      error: "pair it first",
      code: "not_paired",
      request_id: answer.headers.get("x-request-id"),
    })
  })

  test("never shows what a host says beside the contract", async () => {
    const shop = await aShop()
    const sayings: [status: number, body: unknown][] = [
      [500, { error: "at host.ts:12 ip-10-0-0-1" }],
      [418, { error: "teapot ip-10-0-0-1", code: "not_paired" }],
      [401, { error: "ip-10-0-0-1", code: "unauthorized" }],
      [502, "upstream ip-10-0-0-1"],
    ]
    const host = await aScriptedHost((_, response) => sayJson(response, ...sayings[host.calls.length - 1]!))
    await host.take(shop.id)
    for (const [said] of sayings) {
      const answer = await shop.status()
      expect([said, answer.status]).toEqual([said, 500])
      expect(await answer.text()).not.toContain("ip-10")
    }
  })

  test("is no success that is not what the contract says: 500, and 504 for a send", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end("<html>ip-10-0-0-1"),
    )
    await host.take(shop.id)
    const status = await shop.status()
    expect([status.status, (await json(status)).code]).toEqual([500, "internal_error"])
    const body = { chat: "491711234567", body: "hi" }
    for (const sent of [await shop.send(body), await shop.send(body, "a key")])
      expect([sent.status, (await json(sent)).code]).toEqual([504, "send_outcome_unknown"])
  })
})

describe("a host that is not there", () => {
  test("the lease has moved to another host: the call follows it at once", async () => {
    const shop = await aShop()
    const old = await aScriptedHost((_, response) => {
      if (old.calls.length === 1) return sayJson(response, 200, { ...unpaired, name: "old" })
      response.writeHead(421).end()
    })
    const held = await old.take(shop.id)
    expect(await json(shop.status())).toMatchObject({ name: "old" })
    await Lease.release(held)
    const next = await aScriptedHost((_, response) => sayJson(response, 200, { ...unpaired, name: "new" }))
    await next.take(shop.id)
    expect(await json(shop.status())).toMatchObject({ name: "new" })
    expect(old.calls).toHaveLength(2)
  })

  test("a call for a bridge that no host holds yet waits, and is answered by the host that takes it", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) => sayJson(response, 200, unpaired))
    const answer = shop.status()
    await host.take(shop.id)
    expect((await answer).status).toBe(200)
  })

  test("a call for a bridge that no host takes is 503 session_unavailable with Retry-After, after 5 s", async () => {
    const shop = await aShop()
    const answer = await shop.status()
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"])
    expect(await answer.json()).toMatchObject({ code: "session_unavailable" })
  })

  test("a host is told how long the call may still wait: what was spent on finding it is gone", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) => {
      if (host.calls.length > 3) return sayJson(response, 200, unpaired)
      response.writeHead(421).end()
    })
    await host.take(shop.id)
    expect((await shop.status()).status).toBe(200)
    const waits = host.calls.map(({ token }) => token!.waitMs!)
    expect(waits).toHaveLength(4)
    expect(waits[0]).toBeLessThanOrEqual(5000)
    expect(waits.slice(1).every((wait, i) => wait < waits[i]!)).toBe(true)
  })

  test("a dead host's lease is freed and taken meanwhile: the call is answered, a send is sent once", async () => {
    const shop = await aShop()
    const free = (await Lease.get(shop.id))!
    const dead = (await Lease.acquire(free, { id: "dead", addr: await aDeadAddress() }))!
    const sent = shop.send({ chat: "491711234567", body: "hi" })
    const host = await aScriptedHost((_, response) =>
      sayJson(response, 200, { message_id: "x", timestamp: 1 }),
    )
    await Lease.release(dead)
    await host.take(shop.id)
    expect((await sent).status).toBe(200)
    expect(host.calls).toHaveLength(1)
  })

  test("a host ends between two calls over one connection: a send goes to the next one, and once", async () => {
    const shop = await aShop()
    const host = await aScriptedHost(sayOk)
    let connections = 0
    host.server.on("connection", () => connections++)
    const held = await host.take(shop.id)
    for (let i = 0; i < 3; i++) expect((await shop.status()).status).toBe(200)
    expect(connections).toBe(1)

    const next = await aScriptedHost(sayOk)
    // The process has just died, and the API has not noticed yet.
    host.server.close()
    host.server.closeAllConnections()
    const sent = shop.send({ chat: "491711234567", body: "hi" })
    await Lease.release(held)
    await next.take(shop.id)
    expect((await sent).status).toBe(200)
    expect([host.calls.length, next.calls.length]).toEqual([3, 1])
  })

  test("the host takes a send and breaks: 504 send_outcome_unknown, and the API does not send again", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) => response.socket?.resetAndDestroy())
    await host.take(shop.id)
    const answer = await shop.send({ chat: "491711234567", body: "hi" })
    expect([answer.status, (await json(answer)).code]).toEqual([504, "send_outcome_unknown"])
    expect(host.calls).toHaveLength(1)
    const status = await shop.status()
    expect([status.status, (await json(status)).code]).toEqual([503, "session_unavailable"])
  })
})

describe("a bridge that must not run", () => {
  test.for([
    ["operator", "bridge_paused", /ask them to wake it/],
    ["billing", "bridge_paused", /settle the account's payment/],
    ["suspended", "bridge_suspended", /ask them to resume it/],
  ] as const)(
    "stopped as %s answers 409 %s on each proxy route, and whom to ask",
    async ([reason, code, sentence]) => {
      const shop = await aShop()
      await Lease.stop(shop.id, reason)
      const answers = [
        shop.status(),
        shop.read("/qr"),
        shop.read("/healthz"),
        shop.read("/debug/stats"),
        shop.read("/webhook-logs"),
        shop.send({ chat: "491711234567", body: "hi" }),
      ]
      for (const answer of await Promise.all(answers))
        expect([answer.status, await json(answer)]).toMatchObject([
          409,
          { code, error: expect.stringMatching(sentence) },
        ])
    },
  )

  test("paused for idleness is woken by any proxy call", async () => {
    const shop = await aShop()
    await Lease.stop(shop.id, "idle")
    expect((await shop.read("/webhook-logs")).status).toBe(200)
    expect(await Lease.get(shop.id)).toMatchObject({ host: Lease.FREE })

    await Lease.stop(shop.id, "idle")
    const host = await aScriptedHost((_, response) => sayJson(response, 200, unpaired))
    const answer = shop.status()
    await expect.poll(() => host.take(shop.id).catch(() => "not woken yet")).toMatchObject({ host: host.id })
    expect((await answer).status).toBe(200)
  })
})

describe("a send", () => {
  test("of the longest body in the longest spelling is taken", async () => {
    const shop = await aShop()
    const host = await aScriptedHost((_, response) =>
      sayJson(response, 200, { message_id: "x", timestamp: 1 }),
    )
    await host.take(shop.id)
    const answer = await shop.send(`{"chat":"491711234567","body":"${"\\u00e4".repeat(65_536)}"}`)
    expect(answer.status).toBe(200)
  })
})

test("webhook-logs shows the latest 200 attempts, newest first, with no host needed", async () => {
  const shop = await aShop()
  expect(await (await shop.read("/webhook-logs")).json()).toEqual([])
  const entries = Array.from({ length: 203 }, (_, i) => ({
    count: i + 1,
    n: i + 1,
    isResend: false,
    signatures: { signature: "t=1,v1=00", standard: "v1,AA" },
    attempt: {
      attempt: 1,
      error: "",
      event: "message",
      event_id: `evt_${i + 1}`,
      latency_ms: 1,
      status_code: 200,
      success: true,
      timestamp: new Date().toISOString(),
    },
  }))
  for (let from = 0; from < entries.length; from += 25)
    await AttemptLog.append(Receiver.first(shop.id), entries.slice(from, from + 25), randomBytes(32))
  // The contract's shape.
  const logged = (await (await shop.read("/webhook-logs")).json()) as { event_id: string }[]
  expect(logged).toHaveLength(200)
  expect([logged[0]!.event_id, logged[199]!.event_id]).toEqual(["evt_203", "evt_4"])
  expect(Object.keys(logged[0]!).toSorted()).toEqual(
    ["attempt", "error", "event", "event_id", "latency_ms", "status_code", "success", "timestamp"].toSorted(),
  )
})

test("a query that is longer than a host takes is refused before it is asked", async () => {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "a" })
  const answer = await customer.get(`/api/instances/a/proxy/contacts?more=${"x".repeat(5000)}`)
  expect([answer.status, (await json(answer)).code]).toEqual([400, "invalid_request"])
})
