import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi"
import { errors } from "./error-codes.ts"
import { Event } from "./event.ts"
import { eventExamples, examples } from "./examples.ts"
import { string } from "./field-types.ts"
import { refusals } from "./route-parts.ts"
import { type RouteName, routes } from "./routes.ts"

/** The parts of an OpenAPI 3.1 document that are read here. */
export interface Document {
  info: { title: string; version: string; description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Schema> }
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<
    string,
    { description: string; content?: Record<string, Content>; headers?: Record<string, Header> }
  >
}

/** A route, or an event on its way to a webhook. */
export interface Entry {
  method: string
  path: string
  operation: Operation
}

/** Every route of the document, in its order. */
export function entriesOf({ paths }: Pick<Document, "paths">): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

export interface Header {
  description: string
  schema: object
}

export interface Parameter {
  name: string
  in: "path" | "query" | "header"
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

interface Content {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: unknown[]
  const?: unknown
  allOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
}

const description = `A bridge is one number of the messaging network, offered as JSON over HTTP. The dashboard calls it a number; paths call it
an instance.

Every call carries \`Authorization: Bearer <API_KEY>\`. In a path \`default\` stands for the account's first bridge. Every
error has a sentence (\`error\`), a word for machines (\`code\`) and the \`request_id\`, which every answer also has as
\`X-Request-Id\`: name it when you ask for help. A path that does not exist is 404, and a method that a path does not
take is 405. Unknown fields of a request are ignored.

\`sandbox\` is a bridge for trying things, if the service offers it. It is made when it is first named, needs no
subscription, counts against no limit and lives on a simulated network. Its simulated phone links itself, even after a
logout, so you can use it at once. It has two \`contacts\`: Echo sends back what it is sent, and Voter votes on polls and
answers event messages. It reaches nobody else, and nobody else reaches it.`

/** Contract, "Proof of a delivery" and "Delivery" */
const headers = z.object({
  Authorization: string(
    "`Bearer <webhook_secret>`. Prefer the signature, which also covers the body and the time.",
  ),
  "X-Webhook-Event-Id": string("The same across retries: use it to deduplicate."),
  "X-Webhook-Attempt": string("The number of this attempt at the event, from 1."),
  "X-Webhook-Signature": string(
    "`t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` under the webhook secret. There are two `v1=` " +
      "for 24 hours after `rollSecret`: accept either.",
  ),
  "webhook-id": string(
    "The event id. This and the next two headers are for the libraries of Standard Webhooks.",
  ),
  "webhook-timestamp": string("When this attempt was made, Unix seconds."),
  "webhook-signature": string(
    "`v1,<base64>`: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>` under the decoded bytes of the secret.",
  ),
  "X-Webhook-Batch": string(
    'How many events the body has, if the webhook takes batches: it is then an array of `{"event_id", "event"}`, and there ' +
      "is no `X-Webhook-Event-Id`.",
  ).optional(),
  "X-Webhook-Resend": z.literal("true").optional().openapi({
    description: "This event was requested with `resendEvent`: newer events may have come before it.",
  }),
  "X-Webhook-Test": z.literal("true").optional().openapi({
    description: "Nothing has happened: `testWebhook` sends this event, or an example of one.",
  }),
  "X-Webhook-Undelivered": string(
    "How many events were given up since this webhook last took one. It is there until a delivery with it is taken, so your " +
      "program is told at least once after an outage.",
  ).optional(),
  "X-Webhook-Undelivered-Since": string(
    "When the first of them was given up, Unix seconds: `resendSince` with this `since` sends them again.",
  ).optional(),
})

const integer = { type: "integer" }
const isTrue = { type: "string", enum: ["true"] }

/** The headers of every answer. */
export const headersOfAnswers: Record<string, Header> = {
  "X-Request-Id": {
    description: "The id of this request in the service's own log.",
    schema: { type: "string" },
  },
  "RateLimit-Limit": { description: "How many requests the limit allows in one window.", schema: integer },
  "RateLimit-Remaining": { description: "How many requests are left in the window.", schema: integer },
  "RateLimit-Reset": { description: "Seconds until the window ends.", schema: integer },
}

const retryAfter = { "Retry-After": { description: "Seconds.", schema: integer } }

/** Contract, "Idempotency" */
const replayed: Record<string, Header> = {
  "X-Idempotency-Replayed": {
    description: "Answered from the record of this `Idempotency-Key`: nothing was sent.",
    schema: isTrue,
  },
  "X-Idempotency-Mismatch": {
    description: "The record belongs to a different request. Comes with `X-Idempotency-Replayed`.",
    schema: isTrue,
  },
}

/** Further headers of successful answers, by route. */
const more: Partial<Record<RouteName, Record<string, Header>>> = {
  listEvents: {
    "X-Next-After": {
      description: "The id of the last event that was looked at: give it as `after`. Absent at the end.",
      schema: { type: "string" },
    },
  },
  qr: {
    "X-QR-Expires": { description: "When the code expires, Unix seconds.", schema: integer },
    "X-QR-Value": { description: "What the picture shows.", schema: { type: "string" } },
  },
}

let built: Document | undefined

/** The contract as an OpenAPI 3.1 document, built on first use. */
export function openapi(): Document {
  return (built ??= build())
}

function build(): Document {
  const api = new OpenAPIHono()
  const registry = api.openAPIRegistry
  registry.registerComponent("securitySchemes", "apiKey", { type: "http", scheme: "bearer" })
  for (const [tag, group] of Object.entries(routes))
    for (const [operationId, route] of Object.entries(group))
      registry.registerPath({ ...complete(route), operationId, tags: [tag], security: [{ apiKey: [] }] })
  for (const schema of Event.options) {
    const type = schema.shape.event.value
    registry.registerWebhook({ ...webhook(type), request: { headers, body: json(schema) } })
  }
  const document = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Messaging bridge", version: "1", description },
    servers: [{ url: "/", description: "The service that serves this document." }],
    tags: Object.keys(routes).map((name) => ({ name })),
  }) as unknown as Document // what it is made of stands above
  for (const path of Object.values(document.paths)) Object.values(path).forEach(illustrate)
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const content = post.requestBody!.content["application/json"]!
    content.example = eventExamples[type as Event["event"]] // registered under its type
    post.description = document.components.schemas[content.schema.$ref!.split("/").at(-1)!]!.description
  }
  return document
}

/** A route whose body is read, wanted or not, completed by the errors that any body may cause. */
function complete(route: RouteConfig): RouteConfig {
  if (route.method === "get") return route
  const ofBody = refusals("request_timeout", "payload_too_large", "unsupported_media_type")
  return { ...route, responses: { ...ofBody, ...route.responses } }
}

function webhook(type: Event["event"]) {
  return {
    method: "post" as const,
    path: type,
    operationId: `on_${type}`,
    summary: type === "test" ? "Sent by `webhook-test` alone" : `\`${type}\`, as it is POSTed to the webhook`,
    responses: {
      200: {
        description:
          "Accepted, as is any 2xx. Network errors, 429 and 5xx are tried again, up to five times.",
      },
    },
  }
}

function json(schema: (typeof Event.options)[number]) {
  return { required: true, content: { "application/json": { schema } } }
}

function illustrate(operation: Operation): void {
  const example = examples[operation.operationId as RouteName] // registered under it
  for (const parameter of operation.parameters ?? []) {
    const given = parameter.name === "customer_ref" ? "shop" : example.parameters?.[parameter.name]
    if (given !== undefined) parameter.example = given
  }
  const body = operation.requestBody?.content["application/json"]
  if (body) body.example = example.body
  const takesKey = operation.parameters?.some(({ name }) => name === "idempotency-key")
  for (const [status, response] of Object.entries(operation.responses)) {
    const isSuccess = Number(status) < 300
    response.headers = {
      ...headersOfAnswers,
      // Registered under it.
      ...(isSuccess && { ...more[operation.operationId as RouteName], ...(takesKey && replayed) }),
      ...((status === "429" || status === "503") && retryAfter),
    }
    const content = response.content?.["application/json"]
    if (!content) continue
    if (isSuccess) content.example = example.answer
    else content.examples = errorsOf(response.description, Number(status))
  }
}

/** The errors of a refusal, whose codes are named in its description. */
function errorsOf(description: string, status: number): Record<string, { value: object }> {
  const named = Object.entries(errors).filter(
    ([code, [its]]) => its === status && description.includes(`\`${code}\``),
  )
  return Object.fromEntries(
    named.map(([code, [, error]]) => [code, { value: { error, code, request_id: "5f3a9c0d-41" } }]),
  )
}

/** A schema with the fields of everything it extends. */
export function withInherited(schema: Schema, document: Document): Schema {
  const named = document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""]
  if (named) return withInherited(named, document)
  if (!schema.allOf) return schema
  const parts = schema.allOf.map((part) => withInherited(part, document))
  return {
    ...schema,
    // Each part has properties of its own.
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Schema["properties"],
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/** The limits in words; the pattern only if there is no description. */
export function limitsOf({ minimum, maximum, minLength, maxLength, pattern, description }: Schema): string {
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...(pattern && !description ? [`\`${pattern}\``] : []),
  ].join(" ")
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low === undefined && high === undefined) return []
  if (low === undefined) return [`At most ${high}${unit}.`]
  return [high === undefined ? `At least ${low}${unit}.` : `${low} to ${high}${unit}.`]
}
