import { isDeepStrictEqual } from "node:util"
import type { z } from "zod"
import { ErrorBody, type ErrorCode, errorStatus } from "#contract/error.ts"
import type { Answer } from "./ask.ts"
import { type Draft, pathOf } from "./draft.ts"
import { type Route, routeAt } from "./routes.ts"

/** The faults of this answer to this request; empty if all is well. */
export function faultsOf(draft: Draft, answer: Answer, canaries: readonly string[]): string[] {
  return [
    ...canariesIn(answer, canaries),
    ...tracesIn(answer),
    ...headerFaults(answer),
    ...(answer.status < 400 ? successFaults(draft, answer) : refusalFaults(draft, answer)),
  ]
}

/** Strings of the other account, in any form. */
function canariesIn({ headers, body }: Answer, canaries: readonly string[]): string[] {
  const text = `${JSON.stringify(headers)}\n${body.toString("latin1")}\n${body.toString()}`
  return canaries.filter((canary) => text.includes(canary)).map((canary) => `tells another's ${canary}`)
}

/** Words that only our internals contain. */
const traces = [
  /(?:\n|\\n)\s+at .+:\d+:\d+/,
  /node_modules|node:internal|file:\/\/\//,
  /\b(?:DynamoDB|SQLite|SQLITE_\w+|TransactionCanceled|ConditionalCheck|ECONN\w+|ENOTFOUND|EAI_\w+|UND_ERR\w*|ZodError)\b/,
  /\b(?:ACCOUNT|BRIDGE|KEY|HOST)#/,
]

function tracesIn({ headers, body }: Answer): string[] {
  if (!isJson(headers)) return []
  const text = body.toString()
  return traces.filter((trace) => trace.test(text)).map((trace) => `shows its inside: ${trace.source}`)
}

function isJson(headers: Answer["headers"]): boolean {
  return headers["content-type"]?.startsWith("application/json") ?? false
}

function headerFaults({ status, headers }: Answer): string[] {
  // Nothing is counted for a service of another name.
  const limits = status === 421 ? [] : ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
  const missing = ["x-request-id", ...limits].filter((name) => headers[name] === undefined)
  const faults = missing.map((name) => `has no ${name}`)
  if (headers["x-content-type-options"] !== "nosniff") faults.push("may be sniffed")
  if (!/no-store|private/.test(headers["cache-control"] ?? "")) faults.push("may be cached")
  if (headers["set-cookie"] || headers["x-a"]) faults.push("has a header that was injected")
  return faults
}

function successFaults(draft: Draft, { status, headers, body }: Answer): string[] {
  const route = routeAt(draft.method, pathOf(draft))
  if (!route) return isPublic(draft) ? [] : [`answers ${status} to no route`]
  const response: unknown = route.config.responses[status]
  if (!response) return [`answers ${status}, which is not documented`]
  if (status === 204) return body.length > 0 ? ["has a body"] : []
  const [type = "", content] = Object.entries(contentOf(response))[0] ?? []
  if (type !== "application/json") return fileFaults(type, headers)
  return jsonFaults(body, content!.schema)
}

/** Such paths need no key. */
function isPublic(draft: Draft): boolean {
  return ["/healthz", "/api/docs", "/api/openapi.json"].includes(new URL(pathOf(draft), "http://x").pathname)
}

type Content = Record<string, { schema: z.ZodType }>

/** In the contract's form. */
function contentOf(response: unknown): Content {
  return (response as { content?: Content }).content ?? {}
}

/** A stranger's file must never look like a page of ours. */
function fileFaults(type: string, headers: Answer["headers"]): string[] {
  if (type === "image/png" || type === "text/event-stream")
    return headers["content-type"]?.startsWith(type) ? [] : [`is no ${type}`]
  const isSafe =
    headers["content-disposition"]?.startsWith("attachment") &&
    headers["content-security-policy"] === "sandbox"
  return isSafe ? [] : ["is a file that a browser would run"]
}

/** The body fits its schema and has nothing that the schema does not name. */
function jsonFaults(body: Buffer, schema: z.ZodType): string[] {
  const value = parsed(body)
  const { data, error } = schema.safeParse(value)
  if (error) return [`is not as documented: ${error.message}`]
  return isDeepStrictEqual(data, value) ? [] : ["has fields that are not documented"]
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    // It is then something that no schema allows.
    return undefined
  }
}

function refusalFaults(draft: Draft, { status, headers, body }: Answer): string[] {
  if (draft.method === "HEAD") return status === 500 ? ["is our bug"] : []
  const { data, error } = ErrorBody.safeParse(parsed(body))
  if (error) return [`answers ${status} with no error of ours: ${body.toString().slice(0, 200)}`]
  if (!isJson(headers)) return ["is JSON called otherwise"]
  const { code } = data
  if (errorStatus[code] !== status) return [`says ${code} with status ${status}`]
  if (code === "internal_error") return ["is our bug"]
  if (!mayAnswer(routeAt(draft.method, pathOf(draft)), status, code))
    return [`says ${code}, which is not documented`]
  return isDeepStrictEqual(data, parsed(body)) ? [] : ["has fields that are not documented"]
}

/** The codes with which any path may be answered, whether it is a route or not. */
const anywhere = new Set<ErrorCode>([
  "unauthorized",
  "not_found",
  "method_not_allowed",
  "invalid_request",
  "payload_too_large",
  "unsupported_media_type",
  "misdirected",
])

function mayAnswer(route: Route | undefined, status: number, code: ErrorCode): boolean {
  const documented = route?.operation.responses[status]?.description ?? ""
  return anywhere.has(code) || documented.includes(`\`${code}\``)
}
