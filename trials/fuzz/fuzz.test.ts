import { expect, test } from "vitest"
import { seeded } from "#test/support/random.ts"
import type { Answer } from "./ask.ts"
import { bytesOf, type Draft, pathOf, validDraft } from "./draft.ts"
import type { KnownValues } from "./known-values.ts"
import { mutate } from "./mutations.ts"
import { faultsOf } from "./oracle.ts"
import { routes } from "./routes.ts"
import { run } from "./run.ts"
import { startTenants } from "./tenants.ts"
import { changes } from "./visible-state.ts"

const known: KnownValues = {
  shop: "shop",
  spares: ["spare"],
  chats: ["491711234567"],
  phones: ["491711234567"],
  messageIds: ["3EB0A1B2C3D4E5F6A7B8C9"],
  eventIds: ["evt_abcdefghijklmnopqrstuvwxyz234567"],
  urls: ["https://shop.example/a.jpg"],
  webhookUrls: [null],
  foreign: {
    refs: ["canary"],
    messageIds: ["canary-1"],
    eventIds: [],
    idempotencyKeys: ["canary-2"],
    numbers: ["491711111111"],
  },
  wrongKeys: ["mbk_"],
}

/** The requests of a seed, as they would be sent. */
function requestsOf(seed: number, count: number) {
  return Array.from({ length: count }, (_, number) => {
    const random = seeded(seed + number)
    const draft = validDraft(random, known, "mbk_key")
    mutate(draft, random, known)
    return { draft, sent: [draft.method, pathOf(draft), draft.headers, bytesOf(draft)?.toString("base64")] }
  })
}

test("a seed makes the same requests each time, another seed others, and all routes are among them", () => {
  const [first, again, other] = [requestsOf(7, 800), requestsOf(7, 800), requestsOf(70_000, 800)]
  expect(again.map(({ sent }) => sent)).toEqual(first.map(({ sent }) => sent))
  expect(other.map(({ sent }) => sent)).not.toEqual(first.map(({ sent }) => sent))
  expect(new Set(first.map(({ draft }) => draft.route.name)).size).toBe(routes.length)
})

test("no request can take the linked bridge away", () => {
  for (const { draft } of requestsOf(1, 3000)) {
    const { pathname } = new URL(pathOf(draft), "http://localhost")
    const isOurs = /^\/api\/instances\/(?:shop|default)(?:\/proxy\/logout)?\/?$/.test(pathname)
    expect(isOurs && draft.method === "DELETE").toBe(false)
  }
})

const headers = {
  "content-type": "application/json",
  "x-request-id": "some-request",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "ratelimit-limit": "120",
  "ratelimit-remaining": "119",
  "ratelimit-reset": "60",
}

function theDraft(name: string, other: Partial<Draft> = {}): Draft {
  const route = routes.find((one) => one.name === name)!
  const about = { parameters: {}, query: [], headers: [], body: undefined, mutations: [] }
  return { route, method: route.method, ref: "shop", ...about, ...other }
}

function anAnswer(status: number, body: unknown, other: Record<string, string> = {}): Answer {
  return { status, headers: { ...headers, ...other }, body: Buffer.from(JSON.stringify(body)) }
}

const refusal = { error: "no", code: "not_found", request_id: "x" }

test("an answer as documented has no fault", () => {
  expect(faultsOf(theDraft("setAbout"), anAnswer(200, { ok: true }), ["canary"])).toEqual([])
  expect(faultsOf(theDraft("setAbout"), anAnswer(404, refusal), ["canary"])).toEqual([])
})

test.for<[string, string, Answer]>([
  ["another's string", "setAbout", anAnswer(404, { ...refusal, error: "canary" })],
  ["another's string in a header", "setAbout", anAnswer(404, refusal, { location: "canary" })],
  ["a field that is not documented", "setAbout", anAnswer(200, { ok: true, more: 1 })],
  ["a field of another type", "setAbout", anAnswer(200, { ok: "true" })],
  ["a status that is not documented", "setAbout", anAnswer(201, { ok: true })],
  ["a bug of ours", "setAbout", anAnswer(800, { ...refusal, code: "internal_error" })],
  ["a code with another status", "setAbout", anAnswer(400, refusal)],
  ["a code that is not this route's", "setAbout", anAnswer(422, { ...refusal, code: "media_fetch_failed" })],
  ["no error of ours", "setAbout", anAnswer(502, "<html>Bad gateway</html>")],
  ["a stack", "setAbout", anAnswer(404, { ...refusal, error: "x\n    at y (z.ts:1:2)" })],
  ["words of the store", "setAbout", anAnswer(404, { ...refusal, error: "ACCOUNT#1" })],
  ["nothing against sniffing", "setAbout", anAnswer(200, { ok: true }, { "x-content-type-options": "" })],
  ["nothing against caches", "setAbout", anAnswer(200, { ok: true }, { "cache-control": "public" })],
  ["a file that a browser runs", "messageMedia", anAnswer(200, "x", { "content-type": "text/html" })],
])("%s is a fault", ([, name, answer]) => {
  expect(faultsOf(theDraft(name, { parameters: { id: "x" } }), answer, ["canary"])).toHaveLength(1)
})

test("a change that a refused request made is reported", () => {
  expect(changes({ a: "1", b: "2" }, { a: "1", b: "2" })).toEqual([])
  expect(changes({ a: "1", b: "2" }, { a: "1", b: "3", c: "4" })).toHaveLength(2)
})

test("some requests to a whole running service find nothing", async () => {
  const tenants = await startTenants()
  try {
    const { findings } = await run(tenants, { runs: 60, seed: 1, from: 0 }, () => {})
    expect(findings).toEqual([])
  } finally {
    await tenants.stop()
  }
}, 120_000)
