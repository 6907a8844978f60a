import "#test/support/store.ts"
import { createHash } from "node:crypto"
import { globSync } from "node:fs"
import { html } from "hono/html"
import { describe, expect, test } from "vitest"
import { updateBridge } from "#contract/bridge.ts"
import { sentences } from "#contract/error-codes.ts"
import { ErrorBody, errorStatus } from "#contract/error.ts"
import { Event } from "#contract/event.ts"
import { eventExamples, examples } from "#contract/examples.ts"
import { type Document, headersOfAnswers } from "#contract/openapi.ts"
import { exampleCalls } from "#contract/reference/example-calls.ts"
import { repositoryPages } from "#contract/reference/repository-pages.ts"
import { type RouteName, routes } from "#contract/routes.ts"
import { Status } from "#contract/status-and-objection.ts"
import { Receiver } from "#core/event/receiver.ts"
import { config } from "#core/platform/config.ts"
import { reference } from "#functions/api/reference.ts"
import { partsOfReference } from "#test/support/parts-of-reference.ts"
import { app } from "#test/support/service/app.ts"
import { aCustomer } from "#test/support/service/customer.ts"

// The document that it serves.
const document = (await (await app.request("/api/openapi.json")).json()) as Document
// As declared there.
const all = Object.values(routes).flatMap((group) => Object.entries(group)) as [RouteName, Route][]

interface Schema {
  parse: (value: unknown) => unknown
  strict?: () => Schema
}
interface Route {
  method: string
  path: string
  request?: { body?: { content: { "application/json": { schema: Schema } } } }
  responses: Record<number, { content?: { "application/json"?: { schema: Schema } } }>
}

/** Without the door, which would count each of some hundred requests. */
const pageAt = async (path: string) => await (await reference.request(path)).text()

describe("llms.txt", () => {
  test("leads to a page in Markdown for each call and each event, with its path and an example", async () => {
    const links = [...(await pageAt("http://bridge.example/llms.txt")).matchAll(/\((http\S+\.md)\)/g)]
    const pages = new Map<string, string>()
    const take = async (url: string) => pages.set(url.split("/").at(-1)!, await pageAt(url))
    // The service works at no more calls at once.
    for (let at = 0; at < links.length; at += 16)
      await Promise.all(links.slice(at, at + 16).map(async ([, url = ""]) => take(url)))
    const calls = exampleCalls(document)
    for (const [name, { method, path }] of all) {
      const page = pages.get(`${name}.md`)
      expect(page).toContain(`\`${method.toUpperCase()} ${path}\``)
      for (const { ending, text } of calls[name]!) expect(page).toContain(`\`\`\`${ending}\n${text}`)
      const { answer } = examples[name]
      expect(page).toContain(JSON.stringify(answer, undefined, 2) ?? "")
      const one: unknown = Array.isArray(answer) ? answer[0] : answer
      for (const field of Object.keys(one ?? {})) expect(page).toContain(`| \`${field}\``)
    }
    for (const { shape } of Event.options)
      expect(pages.get(`on_${shape.event.value}.md`)).toContain(`"event": "${shape.event.value}"`)
    for (const code of Object.keys(errorStatus)) expect(pages.get("errors.md")).toContain(`\`${code}\``)
    const whole = await pageAt("/llms-full.txt")
    for (const page of pages.values()) expect(whole).toContain(page.trimEnd())
  })

  test("leads to the pages of the documentation, in Markdown", async () => {
    const links = [...(await pageAt("/llms.txt")).matchAll(/\/docs\/([\w-]+)\.md\)/g)].map(
      ([, name]) => name!,
    )
    const listed = repositoryPages().filter(({ place }) => place)
    expect(listed.length).toBeGreaterThan(30)
    for (const { name, text, place } of listed) {
      expect([name, links.includes(name)]).toEqual([name, place!.part !== "How it is made"])
      expect(await pageAt(`/docs/${name}.md`)).toBe(text)
    }
  })

  test("a page that does not exist is 404", async () => {
    expect((await app.request("/api/docs/nothing.md")).status).toBe(404)
  })
})

/** The contacts, what is kept, and who answers in a chat: nothing is asked of the network. */
const storedHere = new Set([
  "listContacts",
  "listChats",
  "listMessages",
  "searchMessages",
  "setHandover",
  "listHandovers",
  "createJob",
])

describe("openapi.json", () => {
  test("is OpenAPI 3.1 and needs no key", async () => {
    const answer = await app.request("/api/openapi.json")
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect(document).toMatchObject({
      openapi: "3.1.0",
      components: { securitySchemes: { apiKey: { type: "http", scheme: "bearer" } } },
    })
  })

  test("lists every route that the app answers, and no other", () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const answered = app.routes
      .filter(({ method, path }) => method !== "ALL" && path.startsWith("/api/"))
      .filter(({ path }) => !path.startsWith("/api/docs") && path !== "/api/openapi.json")
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
    expect(documented.toSorted()).toEqual([...new Set(answered)].toSorted())
    expect(documented).toHaveLength(all.length)
  })

  test("says of each file that it fetches when it is `media_type_mismatch`", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const refusing = operations.filter((one) => JSON.stringify(one.responses).includes("media_type_mismatch"))
    expect(refusing.map(({ operationId }) => operationId)).toEqual([
      "sendText",
      "sendMedia",
      "sendStatus",
      "setGroupAvatar",
      "setAvatar",
    ])
    for (const { requestBody } of refusing) {
      const { url, preview } = requestBody!.content["application/json"]!.schema.properties!
      expect(JSON.stringify(url ?? preview)).toContain("`media_type_mismatch`")
    }
  })

  test("names each time for which a message can be pinned", () => {
    const pinned = document.paths["/api/instances/{customer_ref}/proxy/messages/{id}/pin"]!.post!
    const { duration } = pinned.requestBody!.content["application/json"]!.schema.properties!
    expect(duration!.enum).toEqual([86_400, 604_800, 2_592_000])
  })

  test("says what addresses and Idempotency-Key have to look like", () => {
    const fields = (name: RouteName, field: string) => {
      const [, route] = all.find(([one]) => one === name)!
      const operation = document.paths[route.path]![route.method]!
      return operation.requestBody!.content["application/json"]!.schema.properties![field]
    }
    for (const name of ["sendMedia", "setAvatar"] as const)
      expect(fields(name, "url")).toMatchObject({
        format: "uri",
        pattern: expect.any(String),
        maxLength: 2048,
      })
    for (const name of ["createBridge", "updateBridge"] as const)
      expect(fields(name, "webhook_url")).toMatchObject({ pattern: expect.any(String), maxLength: 2048 })
    const keys = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === "idempotency-key"))
    expect(keys.length).toBeGreaterThan(1)
    for (const { schema } of keys)
      expect(schema).toMatchObject({
        pattern: String.raw`^[\x20-\x7e]{1,255}$`,
        minLength: 1,
        maxLength: 255,
      })
  })

  test("has every event under `webhooks`, with an example that is one", () => {
    const types = Event.options.map((schema) => schema.shape.event.value)
    expect(Object.keys(document.webhooks)).toEqual(types)
    for (const type of types) {
      const { example } = document.webhooks[type]!.post.requestBody!.content["application/json"]!
      expect(example).toEqual(eventExamples[type])
      expect(example).toEqual(expect.schemaMatching(Event))
    }
  })

  test("has every error, each with its sentence, where it may be answered", () => {
    const shown = new Set<string>()
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        for (const [status, { content }] of Object.entries(responses))
          for (const [code, { value }] of Object.entries(content?.["application/json"]?.examples ?? {})) {
            expect(ErrorBody.strict().parse(value)).toMatchObject({ code })
            expect(errorStatus[code as keyof typeof errorStatus]).toBe(Number(status))
            shown.add(code)
          }
    // These come before a route is found.
    const before = ["method_not_allowed", "misdirected", "headers_too_large"]
    expect([...shown, ...before].toSorted()).toEqual(Object.keys(sentences).toSorted())
  })

  test("names no error of a route twice, and every refusal of the network where the network is asked", () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const { operationId, responses } of Object.values(methods)) {
        const codes = Object.values(responses).flatMap(({ description }) => description.match(/`\w+`/g) ?? [])
        expect([operationId, codes]).toEqual([operationId, [...new Set(codes)]])
        const isForNetwork = path.includes("/proxy/") && codes.includes("`not_paired`")
        const isAsked = isForNetwork && !storedHere.has(operationId)
        expect([operationId, isAsked && !codes.includes("`network_rejected`")]).toEqual([operationId, false])
      }
  })

  test("has every header that a delivery is sent with", () => {
    const about = {
      secrets: ["whsec_AAAA"] as [string],
      id: "evt_1",
      attempt: 1,
      body: Buffer.from("{}"),
      timestamp: 1,
    }
    const sent = Object.keys(Receiver.signedHeaders(about)).filter((name) => name !== "content-type")
    for (const { post } of Object.values(document.webhooks)) {
      const documented = (post.parameters ?? []).map(({ name }) => name.toLowerCase())
      const some = ["batch", "resend", "test", "undelivered", "undelivered-since"].map(
        (name) => `x-webhook-${name}`,
      )
      expect(documented.toSorted()).toEqual([...sent, ...some].toSorted())
    }
  })

  test("has every header that answers carry", async () => {
    const names = Object.keys(headersOfAnswers)
    const customer = await aCustomer()
    for (const path of ["/api/instances", "/api/instances/nobody"]) {
      const { headers } = await customer.get(path)
      expect(names.filter((name) => !headers.has(name))).toEqual([])
    }
    for (const methods of Object.values(document.paths))
      for (const { responses } of Object.values(methods))
        for (const { headers } of Object.values(responses))
          expect(Object.keys(headers ?? {})).toEqual(expect.arrayContaining(names))
    const { paths } = document
    const proxy = "/api/instances/{customer_ref}/proxy"
    expect(paths[`${proxy}/qr`]!.get!.responses[200]!.headers).toHaveProperty("X-QR-Expires")
    const { headers: ofSend } = paths[`${proxy}/send/text`]!.post!.responses[200]!
    expect(ofSend).toHaveProperty("X-Idempotency-Replayed")
    expect(ofSend).toHaveProperty("X-Idempotency-Mismatch")
  })

  test("speaks of no section of a document that its readers do not have", () => {
    expect(JSON.stringify(document)).not.toMatch(/Contract, "|\(\d+\.\d+\)/)
  })

  test("leads nowhere outside itself", () => {
    const text = JSON.stringify(document)
    const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!)
    expect(references.length).toBeGreaterThan(50)
    for (const name of references) expect(document.components.schemas).toHaveProperty(name)
  })
})

describe("the examples of", () => {
  test.for(all)("%s are what the route takes and answers", ([name, route]) => {
    const { body, answer } = examples[name]
    const asked = route.request?.body?.content["application/json"].schema
    expect(body !== undefined).toBe(asked !== undefined)
    if (asked) asked.parse(body)
    const [success] = Object.entries(route.responses).filter(([status]) => Number(status) < 300)
    const said = success?.[1].content?.["application/json"]?.schema
    expect(answer !== undefined).toBe(said !== undefined)
    if (said) (said.strict?.() ?? said).parse(answer)
  })
})

describe("/docs", () => {
  test("has every page of docs/, and each link and picture of each page leads somewhere", async () => {
    const pages = repositoryPages()
    const files = globSync("docs/**/*.md", { cwd: new URL("../../", import.meta.url).pathname })
    expect(files.filter((file) => !pages.some((page) => page.file === file))).toEqual([])
    const markdown = new Set(pages.map(({ name }) => `${name}.md`))
    const lost: string[] = []
    for (const { name, text } of pages) {
      const page = (await answered(`/docs/${name}`)) ?? ""
      if (!page.includes("<h1")) lost.push(name)
      const hrefs = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, href]) => href!)
      for (const href of new Set(hrefs)) if (!(await leads(href, page))) lost.push(`${name}: ${href}`)
      for (const [, to = ""] of text.matchAll(/\]\((?!https?:|\/|#|pictures\/)([^)#\s]+)/g))
        if (!markdown.has(to)) lost.push(`${name}.md: ${to}`)
    }
    expect(lost).toEqual([])
  })

  test("a call, an error and an address that a page names lead to the reference", async () => {
    const page = await pageAt("/docs/trouble")
    expect(page).toContain('<a href="/api/docs?part=events#listEvents"><code>listEvents</code></a>')
    expect(page).toContain('href="/api/docs?part=errors#error-media_expired"')
  })

  test("finds pages and calls by words, and runs nothing that is searched for", async () => {
    const page = await pageAt("/docs?q=waiting+for+this+message")
    expect(page).toContain(
      'href="/docs/trouble#it-was-sent-and-the-other-phone-shows-waiting-for-this-message"',
    )
    expect(await pageAt("/docs?q=sendPoll")).toContain('href="/api/docs?part=messages#sendPoll"')
    expect(await pageAt("/docs?q=%3Cscript%3Ealert")).not.toContain("<script>alert")
  })

  test("a page that does not exist is 404, for a person with the way to all others", async () => {
    const answer = await app.request("/docs/nothing", { headers: { accept: "text/html" } })
    expect([answer.status, (await answer.text()).includes('href="/docs"')]).toEqual([404, true])
    for (const path of ["/docs/nothing", "/docs/nothing.md", "/docs/pictures/nothing.png"])
      expect(await (await app.request(path)).json()).toMatchObject({ code: "not_found" })
  })
})

/** Whether a link leads to a page, and there to what it names. `page`: that on which it stands. */
async function leads(href: string, page: string): Promise<boolean> {
  if (/^(?:https?:|data:|mailto:)/.test(href) || href === "/") return true
  const [path = "", part] = href.split("#")
  const target = path === "" ? page : await answered(path)
  return target !== undefined && (part === undefined || target.includes(`id="${part}"`))
}

const known = new Map<string, string | undefined>()

async function answered(path: string): Promise<string | undefined> {
  if (!known.has(path)) {
    const answer = await reference.request(path)
    known.set(path, answer.status === 200 ? await answer.text() : undefined)
  }
  return known.get(path)
}

describe("/api/docs", () => {
  test("shows every route, event and error, each link leads somewhere, and it needs no key, host or script", async () => {
    const answer = await app.request("/api/docs")
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/)
    const [, script = ""] = /<script>([^]*)<\/script>/.exec(await answer.text())!
    const hash = createHash("sha256").update(script).digest("base64")
    expect(answer.headers.get("content-security-policy")).toContain(
      `default-src 'none'; script-src 'sha256-${hash}'`,
    )
    const page = await everyPart()
    for (const [, id] of page.matchAll(/href="(?:\/api\/docs)?\?part=[a-z-]+#([^"]+)"/g))
      expect(page).toContain(`id="${id}"`)
    for (const [name, { path }] of all) {
      expect(page).toContain(`id="${name}"`)
      expect(page).toContain(`<code>${path}</code>`)
      for (const { text } of exampleCalls(document)[name]!)
        expect(page).toContain(await html`<pre>${text}</pre>`)
    }
    for (const type of Object.keys(document.webhooks)) expect(page).toContain(`id="on_${type}"`)
    for (const code of Object.keys(sentences)) expect(page).toContain(code)
    expect(page).not.toMatch(
      /<script (?!>)|src=|@import|href="(?!\?part=|data:,"|\/llms\.txt"|openapi\.json"|docs\/\w+\.json"|\/try\/|\/"|\/docs(?:\/[\w-]+)?"|\/api\/docs")/,
    )
  })

  test("finds calls, events, errors and fields by words, those of that name first", async () => {
    expect((await found("sendText"))[0]).toMatch(/#sendText$/)
    expect((await found("pacing"))[0]).toMatch(/pacing/i)
    expect(await found("poll send")).not.toHaveLength(0)
    expect(await found("<script>alert(1)</script>")).toEqual([])
    expect(await (await app.request("/api/docs?q=%3Cscript%3Ealert")).text()).not.toContain("<script>alert")
  })

  test("is where a browser is led that opens the API, and without a dashboard the service", async () => {
    const answers = [await app.request("/api"), await reference.request("/"), await app.request("/")]
    expect(answers.map(({ headers }) => headers.get("location"))).toEqual([
      "/api/docs",
      "/api/docs",
      "/sign-in",
    ])
  })

  test("shows whatever is said of a route, an event or a field", async () => {
    const shown = textOf(await everyPart())
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const events = Object.values(document.webhooks).map(({ post }) => post)
    const said = [...operations, ...events].flatMap(({ description, parameters, requestBody }) => [
      ...(description ? [description] : []),
      ...descriptionsIn([parameters, requestBody]),
    ])
    expect(said).toContain(updateBridge.description)
    for (const { description } of events) expect(description).toBeTruthy()
    const missing = [...said, ...descriptionsIn(document.components.schemas)].filter(
      (one) => !shown.includes(flat(one.replaceAll("`", ""))),
    )
    expect(missing).toEqual([])
  })

  test("shows the fields that a schema has from another, and every form that a field may have", async () => {
    const page = await everyPart()
    const section = (id: string) => page.split(`<section id="${id}">`)[1]!.split("</section>")[0]!
    for (const field of ["customer_ref", "webhook_secret", "paused_reason", "manager"])
      expect(section("schema-BridgeWithManager")).toContain(`<td><code>${field}</code>`)
    const forms = textOf(section("schema-StoredEvent"))
    expect(forms).toContain("MessageEvent | MessageLostEvent |")
    expect(page).not.toContain("<td>any</td>")
    expect(page).not.toContain("<p>any</p>")
  })

  test("names base64 beside each field that takes it, and beside the other places of a file", () => {
    const { schema } =
      document.paths["/api/instances/{customer_ref}/proxy/send/media"]!.post!.requestBody!.content[
        "application/json"
      ]!
    const { data, url } = schema.properties!
    for (const field of [data, url]) expect(field!.description).toMatch(/\bbase64\b/)
    const takes = JSON.stringify(document).match(/"[^"]*In base64 \(RFC 4648/g)
    expect(takes).toHaveLength(3)
  })

  test("says what a customer needs who has nothing else: linking, limits, and code that verifies", async () => {
    const page = await everyPart()
    for (const status of Status.options) expect(page).toContain(`<td><code>${status}</code></td>`)
    const { RATE_LIMIT_PROVISION, RATE_LIMIT_PROXY, RATE_LIMIT_OTHER, RATE_LIMIT_ADDRESS } = config
    for (const limit of [RATE_LIMIT_PROVISION, RATE_LIMIT_PROXY, RATE_LIMIT_OTHER, RATE_LIMIT_ADDRESS])
      expect(page).toContain(`<td>${limit} a minute`)
    for (const header of ["X-QR-Expires", "X-Idempotency-Replayed"])
      expect(page).toContain(`<td><code>${header}`)
    expect(page).toMatch(/^URL=|>URL=/m)
    for (const language of ["sdk-typescript", "sdk-python", "receivers"])
      expect(page).toContain(`href="/docs/${language}"`)
  })
})

/** All parts, one after the other. */
async function everyPart(): Promise<string> {
  const parts = (await partsOfReference()).map(
    async (part) => await (await app.request(`/api/docs?part=${part}`)).text(),
  )
  return (await Promise.all(parts)).join("\n")
}

/** Where the results of a search lead. */
async function found(words: string): Promise<string[]> {
  const page = await (await app.request(`/api/docs?q=${encodeURIComponent(words)}`)).text()
  return [...page.matchAll(/<p>\s*<a href="\/api\/docs(\?part=[^"]+)">/g)].map(([, href]) => href!)
}

/** Every `description` in a part of the document. */
function descriptionsIn(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return []
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    // An example may have a field of that name.
    if (name === "example") return []
    return name === "description" && typeof value === "string" ? [value] : descriptionsIn(value)
  })
}

/** The text of a page, without its markup. */
function textOf(page: string): string {
  const named: Record<string, string> = {
    "&quot;": '"',
    "&#39;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
  }
  return flat(page.replaceAll(/<[^>]*>/g, "").replaceAll(/&[#\w]+;/g, (entity) => named[entity] ?? entity))
}

function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ")
}
