import type { RouteConfig } from "@hono/zod-openapi"
import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import type { z } from "zod"
import "#core/platform/zod-sentences.ts"
import { CustomerRef } from "#contract/bridge.ts"
import { examples } from "#contract/examples.ts"
import { ChatAddress, ChatId, ContactId, PersonAddress } from "#contract/field-types.ts"
import { IdempotencyKey } from "#contract/idempotency-key.ts"
import { openapi, type Parameter, type Schema } from "#contract/openapi.ts"
import { type RouteName, routes as contract } from "#contract/routes.ts"
import { listEvents } from "#contract/stored-event.ts"
import { Proxy } from "#core/bridge/proxy.ts"
import { parseWebhookUrl } from "#core/bridge/webhook-url.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { hasChoice } from "#functions/api/write-choice.ts"
import { isBeyondSchemas } from "#test/support/beyond-schemas.ts"
import { edgesOf } from "#test/support/edges.ts"

const { components, paths } = openapi()
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: "document", components })

function inDocument(schema: object): (value: unknown) => boolean {
  const pointed: unknown = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))
  return ajv.compile(pointed as object)
}

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1)
  return name === undefined ? schema : components.schemas[name]!
}

/** Fields that the domain checks by itself, since each has an error code of its own. */
const judged: Record<string, (value: unknown) => unknown> = {
  customer_ref: (value) => CustomerRef.parse(value),
  webhook_url: (value) => parseWebhookUrl(value),
  url: (value) => Webhook.parseFurtherUrl(value),
  proxy_url: (value) => value === null || Proxy.sealed(value as string, "", Buffer.alloc(32)),
}
const needed: Partial<Record<RouteName, (body: object) => string | false>> = {
  createBridge: () => "customer_ref",
  updateBridge: (body: { proxy_url?: string; media_store?: null }) =>
    !hasChoice({ ...body, proxy: body.proxy_url, mediaStore: body.media_store }) && "webhook_url",
  createWebhook: () => "url",
  updateWebhook: () => false,
  createAccountWebhook: () => "url",
  updateAccountWebhook: () => false,
}

/** A URL of another scheme is refused when it is fetched (`url_not_allowed`). */
function isRefusedLater(value: unknown): boolean {
  const { url } = (value ?? {}) as { url?: unknown }
  return typeof url === "string" && !/^https?:/i.test(url)
}

/** What the service says of a body; undefined if it takes it. */
function refusalOf(name: RouteName, schema: z.ZodType, value: unknown): string | undefined {
  const { success, error, data } = schema.safeParse(value)
  if (!success) return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)[0]
  const body = data as Record<string, unknown> // a body is an object
  const also = needed[name]?.(body)
  if (also === undefined) return undefined
  try {
    for (const field of [...Object.keys(body), also || ""]) judged[field]?.(body[field])
    return undefined
  } catch (refusal) {
    return String(refusal)
  }
}

const routes = Object.values(contract).flatMap((group) =>
  Object.entries(group).map(([name, config]: [string, RouteConfig]) => {
    const operation = paths[config.path]![config.method]! // the document has every route
    return { name: name as RouteName, config, operation }
  }),
)

const bodies = routes.flatMap((route) => {
  const schema = route.operation.requestBody?.content["application/json"]?.schema
  return schema ? [{ ...route, schema }] : []
})

test.for(bodies.map((route) => [route.name, route] as const))(
  "the document takes the bodies that the service takes: %s",
  ([name, { schema, config }]) => {
    // In the contract's form.
    const { schema: service } = config.request!.body!.content["application/json"] as { schema: z.ZodType }
    const fits = inDocument(schema)
    const differing = edgesOf(schema, examples[name].body, resolve).flatMap((value) => {
      const refusal = refusalOf(name, service, value)
      const isExcused = refusal === undefined ? isRefusedLater(value) : isBeyondSchemas(refusal)
      if (fits(value) === (refusal === undefined) || isExcused) return []
      return [{ value: shortened(value), service: refusal ?? "takes it" }]
    })
    expect(differing).toEqual([])
  },
)

const malformed = [
  "@g.us @lid @LID @s.whatsapp.net @S.WhatsApp.net @broadcast @newsletter @hosted.lid @lid:1234 @c.us:1234 x@ @",
  "x@lid 491711234567:1@s.whatsapp.net 1:1@lid 491711234567@ 491711234567@g.us@lid status@broadcast 120363@newsletter",
  `٤٩١٧١١٢٣٤٥٦٧ ٤٩@lid ${"1".repeat(21)}@lid ${"1".repeat(21)}@g.us 1--2@g.us @${"a".repeat(36)} @ab @ada:123`,
  `@ada:12345 @ädä 123456 ${"1".repeat(16)} ++491711234567`,
].flatMap((line) => line.split(" "))
malformed.push("", " ", "491711234567@s.whatsapp.net\n", " 491711234567", "491711 234567")
const wellFormed = ["491711234567", "+491711234567", "491711234567@s.whatsapp.net", "1@lid"]

test("a name of a chat or a person has one of its forms: a JID without its beginning is no username", () => {
  const usernames = ["@ada", "@ada:1234", "@lidia", "@g.usa", "@A.b_1"]
  const groups = ["1-2@g.us", "120363041234567890@g.us"]
  for (const [schema, others] of [
    [ChatId, [...usernames, ...groups]],
    [ContactId, usernames],
    [ChatAddress, groups],
    [PersonAddress, []],
  ] as const) {
    expect(malformed.filter((name) => schema.safeParse(name).success)).toEqual([])
    const all = [...wellFormed, ...usernames, ...groups]
    expect(all.filter((name) => schema.safeParse(name).success)).toEqual([...wellFormed, ...others])
  }
})

test("events are looked for by a chat as they name it: by digits or a JID, and not by a username", () => {
  const ofEvents = [...wellFormed, "120363041234567890@g.us", "status@broadcast", "0@s.whatsapp.net"]
  const others = ["@ada", "@g.us", "123", "491711234567:1@s.whatsapp.net", "491711-234567", "1@lid@lid"]
  others.push("", " ", "1@lid ", "1@lid\n", "1\0@lid", "1@")
  const { query } = listEvents.request
  expect([...ofEvents, ...others].filter((chat) => query.safeParse({ chat }).success)).toEqual(ofEvents)
})

test("a body is required where an empty one is refused", () => {
  const required = bodies.map(({ name, operation }) => [name, operation.requestBody?.required === true])
  const refused = bodies.map(({ name, schema }) => [name, !inDocument(schema)({})])
  expect(required).toEqual(refused)
})

test("the document takes the Idempotency-Keys that the service takes", () => {
  const { operation } = routes.find(({ name }) => name === "sendText")!
  const { schema } = operation.parameters!.find(({ name }) => name === "idempotency-key")!
  const fits = inDocument(schema)
  const keys = edgesOf(schema, "order-17", resolve).filter((value) => typeof value === "string")
  expect(keys.filter((key) => fits(key) !== IdempotencyKey.safeParse(key).success)).toEqual([])
})

const parameters = routes.flatMap((route) =>
  (route.operation.parameters ?? [])
    .filter(({ in: where, name }) => where !== "header" && name !== "customer_ref")
    .map((parameter) => ({ ...route, parameter })),
)

test.for(parameters.map((one) => [`${one.parameter.name} of ${one.name}`, one] as const))(
  "the document takes the parameters that the service takes: %s",
  ([, { name, config, parameter }]) => {
    const place = parameter.in === "path" ? "params" : "query"
    const service = (config.request![place] as z.ZodObject).shape[parameter.name] as z.ZodType
    const fits = inDocument(parameter.schema)
    const example: unknown = examples[name].parameters?.[parameter.name]
    const differing = edgesOf(parameter.schema, example, resolve).flatMap((value) => {
      // In a URL everything is text.
      if (typeof value === "object" || (parameter.in === "path" && value === "")) return []
      const given = typeof value === "string" ? value : JSON.stringify(value)
      const { success, error } = service.safeParse(given)
      return fits(asTyped(given, parameter)) === success
        ? []
        : [{ value: shortened(value), service: error?.issues[0]?.message ?? "takes it" }]
    })
    expect(differing).toEqual([])
  },
)

/** What a text of a URL is, by its parameter's type. */
function asTyped(given: string, { schema }: Parameter): unknown {
  const isNumber = ["integer", "number"].includes([resolve(schema).type].flat()[0] ?? "")
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text
}
