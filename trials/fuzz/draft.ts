import type { Random } from "#test/support/random.ts"
import type { KnownValues } from "./known-values.ts"
import { type Route, routes } from "./routes.ts"
import { validValue } from "./values.ts"

/** A request in the making. */
export interface Draft {
  route: Route
  method: string
  ref: string
  parameters: Record<string, string>
  query: [string, string][]
  headers: [string, string][]
  body: Record<string, unknown> | undefined
  /** Sent in place of `body`, if a mutation made it. */
  bytes?: Buffer
  /** Sent in place of the route's own path. */
  path?: string
  mutations: string[]
}

/** Their success takes or gives away what the rest of the run needs. */
const onSparesOnly = new Set(["removeBridge", "logout", "updateBridge", "pair", "passkey", "qr"])

/** A request that the service should accept, as far as the contract says. */
export function validDraft(random: Random, known: KnownValues, apiKey: string): Draft {
  const route = random.pick(routes)! // there are some
  const { operation, name } = route
  const refs = onSparesOnly.has(name)
    ? known.spares
    : random.below(3) > 0
      ? [known.shop, "default"]
      : known.spares
  const draft: Draft = {
    route,
    method: route.method,
    ref: random.pick(refs) ?? "",
    parameters: {},
    query: [],
    headers: [["authorization", `Bearer ${apiKey}`]],
    body: bodyFor(route, random, known),
    mutations: [],
  }
  for (const { in: where, name: field, schema, required } of operation.parameters ?? []) {
    if (field === "customer_ref") continue
    const value = String(validValue(field, schema, random, known))
    if (where === "path") draft.parameters[field] = value
    if (where === "query" && (required === true || random.below(2) === 0)) draft.query.push([field, value])
    if (where === "header" && random.below(3) === 0)
      draft.headers.push([field, random.pick([...known.foreign.idempotencyKeys, `key-${random.below(50)}`])!])
  }
  if (draft.body) draft.headers.push(["content-type", "application/json"])
  return draft
}

function bodyFor(
  { operation }: Route,
  random: Random,
  known: KnownValues,
): Record<string, unknown> | undefined {
  const schema = operation.requestBody?.content["application/json"]?.schema
  if (!schema) return undefined
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => required.has(name) || random.below(3) === 0)
    .map(([name, field]) => [name, validValue(name, field, random, known)])
  return Object.fromEntries(fields) as Record<string, unknown> // its names are strings
}

/** The path with its query, as it is sent. */
export function pathOf({ route, ref, parameters, query, path }: Draft): string {
  if (path !== undefined) return path
  const given: Record<string, string> = { ...parameters, customer_ref: ref }
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(given[name] ?? ""))
  const asked = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  return asked.length > 0 ? `${filled}?${asked.join("&")}` : filled
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** The body as it is sent. JSON cannot express infinity; a number that is too large is read as infinity. */
export function bytesOf({ body, bytes }: Draft): Buffer | undefined {
  if (bytes) return bytes
  if (!body) return undefined
  const json = JSON.stringify(body, (_, value: unknown) => (value === Infinity ? "\0infinite" : value))
  return Buffer.from(json.replaceAll(String.raw`"\u0000infinite"`, "1e400"))
}
