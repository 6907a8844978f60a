import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, expect, onTestFinished, test } from "vitest"
import { BridgeLog } from "#core/bridge/bridge-log.ts"
import { AnswerInBucket } from "#core/files/answer-in-bucket.ts"
import { StoredMedia } from "#core/files/stored-media.ts"
import { config } from "#core/platform/config.ts"
import { handler as api } from "#functions/api/handler.ts"
import { timing } from "#functions/stream/sse.ts"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aCustomer, anAddress, json } from "#test/support/service/customer.ts"
import { offerStreaming, stream, urlEvent } from "#test/support/service/function-url.ts"
import { startLambdaApi } from "#test/support/service/lambda-api.ts"
import { aReceiver } from "#test/support/service/receiver.ts"

const cloudWatch = await startCloudWatchLogs()
const lambda = await startLambdaApi({
  Api: api,
  Broken: () => Promise.reject(new Error("out of memory")),
})
afterAll(async () => {
  await cloudWatch.close()
  lambda.close()
})
config.AWS_ENDPOINT_URL_CLOUDWATCH_LOGS = cloudWatch.endpoint
config.AWS_ENDPOINT_URL_LAMBDA = lambda.endpoint
Object.assign(config, { LOG_GROUP: "/bridges", API_FUNCTION: "Api" })
offerStreaming()
const { handler } = await import("#functions/stream/handler.ts")

const usual = { ...timing }
afterEach(() => void Object.assign(timing, usual))

/** A customer with one bridge, who calls the function's URL. */
async function aShop(webhookUrl = "") {
  const { key, post } = await aCustomer()
  const { id } = await json(post("/api/instances", { customer_ref: "shop", webhook_url: webhookUrl }))
  const from = anAddress()
  const call = (method: string, suffix: string) =>
    stream(handler, urlEvent(method, `/api/instances/shop${suffix}`, { key, from }))
  return { id: String(id), key, post, call, from }
}

async function inBucket(key: string, bytes: Buffer | string, contentType: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "media-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "file")
  writeFileSync(path, bytes)
  await StoredMedia.put({ key, path, contentType, fileName: "film.mp4" })
  return key
}

test("a log stream comes from CloudWatch: the past, then each line, and a comment that keeps it open", async () => {
  const shop = await aShop()
  BridgeLog.append(shop.id, "info", "before")
  await BridgeLog.flush()
  const logs = await shop.call("GET", "/logs?tail=5")
  onTestFinished(logs.hangUp)
  expect(logs).toMatchObject({ statusCode: 200, headers: { "content-type": "text/event-stream" } })
  await logs.until((body) => body.includes("\n\n: "))
  BridgeLog.append(shop.id, "info", "after")
  await BridgeLog.flush()
  const said = (await logs.until((body) => body.includes("after"))).toString()
  expect(said).toMatch(/^data: \S+Z INFO before\n\n: .+\n\ndata: \S+Z INFO after\n\n$/)
})

test("a log stream says now and then that it is there, ends by itself, and its place is free then", async () => {
  // CloudWatch is asked after a second, and then after one and a half.
  Object.assign(timing, { endsAfterMs: 1500, commentEachMs: 100 })
  const shop = await aShop()
  const both = await Promise.all([shop.call("GET", "/logs"), shop.call("GET", "/logs")])
  for (const logs of both)
    expect((await logs.all()).toString()).toMatch(/^(: still here\n\n){2,}retry: 1000\n\n$/)
  const third = await shop.call("GET", "/logs")
  onTestFinished(third.hangUp)
  expect(third.statusCode).toBe(200)
})

test("a bridge has two log streams at most, counted over all instances of the function", async () => {
  const shop = await aShop()
  for (let i = 0; i < 2; i++) onTestFinished((await shop.call("GET", "/logs")).hangUp)
  const third = await shop.call("GET", "/logs")
  expect(third.statusCode).toBe(429)
  expect(third.headers["retry-after"]).toBeDefined()
  expect(JSON.parse((await third.all()).toString())).toMatchObject({ code: "rate_limited" })
})

test("a webhook is tested from here, where the internet is", async () => {
  const receiver = await aReceiver([418])
  const shop = await aShop(receiver.url)
  const tested = await shop.call("POST", "/webhook-test")
  expect(tested.statusCode).toBe(200)
  expect(JSON.parse((await tested.all()).toString())).toMatchObject({ status_code: 418, success: false })
  expect(receiver.arrivals).toHaveLength(1)
})

test("media come from the bucket into which the API had the host put them, however large", async () => {
  const shop = await aShop()
  // Twice what Lambda takes from a function that does not stream.
  const bytes = randomBytes(12 * 1024 * 1024)
  const key = await inBucket(`${shop.id}/größe 1`, bytes, "video/mp4")
  const host = await aScriptedHost(
    (_, response) => void response.writeHead(200, AnswerInBucket.pointerTo(key)).end(),
  )
  await host.take(shop.id)

  const media = await shop.call("GET", "/proxy/messages/3EB0AA/media")
  expect(media).toMatchObject({
    statusCode: 200,
    headers: {
      "content-type": "video/mp4",
      "content-length": String(bytes.length),
      "content-disposition": "attachment; filename*=UTF-8''film.mp4",
      "x-content-type-options": "nosniff",
      "ratelimit-remaining": "119",
    },
  })
  expect(media.headers).not.toHaveProperty("x-stored-at")
  expect((await media.all()).equals(bytes)).toBe(true)
})

test("an account fetches eight files at once, and one that is read makes room for the next", async () => {
  const shop = await aShop()
  const key = await inBucket(`${shop.id}/1`, randomBytes(4 * 1024 * 1024), "video/mp4")
  const host = await aScriptedHost(
    (_, response) => void response.writeHead(200, AnswerInBucket.pointerTo(key)).end(),
  )
  await host.take(shop.id)
  const media = async () => {
    const download = await shop.call("GET", "/proxy/messages/3EB0AA/media")
    onTestFinished(download.hangUp)
    return download
  }
  const open = await Promise.all(Array.from({ length: 8 }, media))
  expect(open.map(({ statusCode }) => statusCode)).toEqual(open.map(() => 200))
  for (const { headers } of open) expect(headers).not.toHaveProperty("x-stored-for")
  const refused = await media()
  expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "3"])
  expect(JSON.parse((await refused.all()).toString())).toMatchObject({ code: "rate_limited" })
  // Those of another account are not in its way.
  const other = await aShop()
  await host.take(other.id)
  const theirs = await other.call("GET", "/proxy/messages/3EB0AA/media")
  expect((await theirs.all()).length).toBe(4 * 1024 * 1024)

  await open[0]!.all()
  expect((await media()).statusCode).toBe(200)
})

test("an address book that is too long for the API's answer comes whole, as JSON", async () => {
  const shop = await aShop()
  const book = JSON.stringify(
    Array.from({ length: 20_000 }, (_, i) => ({ jid: `${i}`, name: "x".repeat(300) })),
  )
  const key = await inBucket(`${shop.id}/contacts/1`, book, "application/json")
  const host = await aScriptedHost(
    (_, response) => void response.writeHead(200, AnswerInBucket.pointerTo(key)).end(),
  )
  await host.take(shop.id)
  const contacts = await shop.call("GET", "/proxy/contacts")
  expect(contacts).toMatchObject({ statusCode: 200, headers: { "content-type": "application/json" } })
  expect((await contacts.all()).toString()).toBe(book)
})

test("a refusal of the API is passed on in its words", async () => {
  const shop = await aShop()
  const host = await aScriptedHost((_, response) =>
    sayJson(response, 410, { error: "the network has it no more", code: "media_expired" }),
  )
  await host.take(shop.id)
  const media = await shop.call("GET", "/proxy/messages/3EB0AA/media")
  expect(media.statusCode).toBe(410)
  expect(JSON.parse((await media.all()).toString())).toMatchObject({ code: "media_expired" })
  const nobody = await stream(handler, urlEvent("GET", "/api/instances/shop/logs", { from: shop.from }))
  expect(nobody.statusCode).toBe(401)
  for (const [method, path] of [
    ["DELETE", "/logs"],
    ["HEAD", "/logs"],
    ["HEAD", "/proxy/messages/3EB0AA/media"],
  ] as const) {
    const wrong = await shop.call(method, path)
    expect([method, path, wrong.statusCode, wrong.headers.allow]).toEqual([method, path, 405, "GET"])
  }
})

test("whatever else comes here is the API's to answer, with its body", async () => {
  const shop = await aShop()
  const event = urlEvent("POST", "/api/instances", {
    key: shop.key,
    body: { customer_ref: "other" },
    from: shop.from,
  })
  const made = await stream(handler, event)
  expect(made.statusCode).toBe(201)
  expect(JSON.parse((await made.all()).toString())).toMatchObject({ customer_ref: "other" })
})

/** The headers of every answer (Contract, "Headers of every answer" and "Rate limits"). */
const always = {
  "x-request-id": expect.stringMatching(/^[\w-]{8,}$/),
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "ratelimit-limit": expect.stringMatching(/^\d+$/),
  "ratelimit-remaining": expect.stringMatching(/^\d+$/),
  "ratelimit-reset": expect.stringMatching(/^\d+$/),
}

test.for(["Broken", "Nowhere"])(
  "an API function that is %s is 503, as every other answer is",
  async (name) => {
    const shop = await aShop()
    Object.assign(config, { API_FUNCTION: name })
    onTestFinished(() => void Object.assign(config, { API_FUNCTION: "Api" }))
    const answer = await shop.call("GET", "/proxy/messages/3EB0AA/media")
    expect(answer).toMatchObject({ statusCode: 503, headers: always })
    const said = JSON.parse((await answer.all()).toString())
    expect(said).toMatchObject({
      code: "session_unavailable",
      request_id: answer.headers["x-request-id"],
    })
  },
)

test("media that are not in the bucket are a failure as every other answer is, under the API's request id", async () => {
  const shop = await aShop()
  const ids: string[] = []
  const host = await aScriptedHost((call, response) => {
    ids.push(call.token?.requestId ?? "")
    response.writeHead(200, AnswerInBucket.pointerTo(`${shop.id}/gone`)).end()
  })
  await host.take(shop.id)
  const media = await shop.call("GET", "/proxy/messages/3EB0AA/media")
  expect(media).toMatchObject({ statusCode: 500, headers: { ...always, "ratelimit-limit": "120" } })
  expect(JSON.parse((await media.all()).toString())).toMatchObject({ code: "internal_error" })
  expect(ids).toEqual([media.headers["x-request-id"]])
})
