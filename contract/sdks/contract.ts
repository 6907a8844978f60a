import {
  type Document,
  entriesOf,
  type Entry,
  openapi,
  type Operation,
  type Schema,
} from "#contract/openapi.ts"

// The parts of the contract from which the SDKs and their examples are generated.

/** Routes that are streams alone, under the names that the layer by hand has for them. */
const streams: Record<string, string> = { streamLogs: "logs" }

export type Call = Operation & { method: string; path: string }

/** The calls of an SDK, in the order of the reference. */
export function callsOf(document: Document): Call[] {
  return entriesOf(document)
    .map(callOf)
    .filter(({ operationId }) => !(operationId in streams))
}

function callOf({ method, path, operation }: Entry): Call {
  return { method: method.toUpperCase(), path, ...operation }
}

/**
 * The parts of a call's example in the reference: its name, its input, and what a program does with the
 * answer.
 */
export function exampleOf(entry: Entry) {
  const call = callOf(entry)
  const { parameters = [], requestBody, operationId } = call
  const named = parameters.filter(
    (one) => one.in !== "header" && one.name !== "customer_ref" && one.example !== undefined,
  )
  return {
    call,
    name: streams[operationId] ?? operationId,
    given: {
      ...Object.fromEntries(named.map(({ name, example }) => [name, example])),
      // The contract's: an object.
      ...(requestBody?.content["application/json"]?.example as object | undefined),
    },
    answer: operationId in streams ? "list" : recipe(call).answer,
  }
}

export function isOfBridge({ path }: { path: string }): boolean {
  return path.includes("{customer_ref}")
}

/** Path, query and body as one object. @throws Error if a name is in two of them */
export function inputOf(call: Call): Schema | undefined {
  const named = (call.parameters ?? []).filter((one) => one.in !== "header" && one.name !== "customer_ref")
  const body = resolved(call.requestBody?.content["application/json"]?.schema)
  const properties: Record<string, Schema> = {}
  for (const { name, schema, description } of named)
    properties[name] = { ...schema, ...(description !== undefined && { description }) }
  for (const [name, schema] of Object.entries(body?.properties ?? {})) {
    if (name in properties)
      throw new Error(`${call.operationId}: ${name} is in its path or query and in its body`)
    properties[name] = schema
  }
  const required = [...named.filter((one) => one.required).map(({ name }) => name), ...(body?.required ?? [])]
  return Object.keys(properties).length > 0 ? { type: "object", properties, required } : undefined
}

function resolved(schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split("/").at(-1)
  return name === undefined ? schema : openapi().components.schemas[name]
}

/** How a call is made. The layers by hand read it. */
export function recipe(call: Call) {
  const query = (call.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name)
  return {
    method: call.method,
    path: call.path,
    ...(query.length > 0 && { query }),
    ...(call.requestBody && { body: true }),
    ...(call.parameters?.some(({ name }) => name === "idempotency-key") && { takesKey: true }),
    answer: query.includes("after") ? "list" : kindOf(call),
  } as const
}

/** @throws Error for an answer of a kind that the layer by hand does not know */
function kindOf(call: Call): "json" | "bytes" | "nothing" {
  const [type] = Object.keys(successOf(call).content ?? {})
  if (type === undefined) return "nothing"
  if (type === "application/json") return "json"
  if (/^(?:image\/|application\/octet-stream$)/.test(type)) return "bytes"
  throw new Error(`${call.operationId} answers with ${type}`)
}

export function successOf(call: Call) {
  return Object.entries(call.responses).find(([status]) => Number(status) < 300)![1] // every route has one
}
