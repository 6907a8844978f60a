import { type Context, Hono } from "hono"
import { createMiddleware } from "hono/factory"
import { TrieRouter } from "hono/router/trie-router"
import type { ContentfulStatusCode } from "hono/utils/http-status"
import { sentences as usual } from "#contract/error-codes.ts"
import type { ErrorCode } from "#contract/error.ts"
import { ApiError, invalid, type Issue, issuesOf } from "#core/error.ts"
import { originOf } from "../http/address.ts"
import { authenticate, keyOf } from "../http/authenticate.ts"
import type { ApiEnv } from "../http/contract-router.ts"
import { Api, Refused, type Serve } from "../http/own-api.ts"
import { byAccount, byAddress } from "../http/rate-limits.ts"
import { asRefusal } from "../http/refuse.ts"
import { withBody } from "./body.ts"
import { type Call, type Dialect, NotHere, type Refusal } from "./dialect.ts"
import { evolution } from "./evolution/calls.ts"
import { waha } from "./waha/calls.ts"

const dialects = [evolution, waha]

/**
 * Adds `/evolution` and `/waha` to an API: what other gateways' callers say. Each call goes on through the
 * API's own door with the caller's key, which counts it, and looks at scopes, bodies and idempotency keys.
 */
export function withDialects<App extends Hono<ApiEnv>>(app: App): App {
  for (const dialect of dialects) {
    const routes = new Hono<ApiEnv>()
    const find = finderOf(dialect.calls)
    routes.onError((error, c) => refused(dialect, error, c))
    const serveOf = (c: Context) => (request: Request) => app.fetch(request, c.env)
    routes.use(byAddress)
    for (const call of dialect.calls.filter(({ isOpen }) => isOpen))
      routes.on(call.method, call.path, async (c) => {
        return await answer(c, { call, params: {}, dialect, serve: serveOf(c) })
      })
    routes.use(withKeyOf(dialect), authenticate, byAccount)
    // One route for all paths: the dialect alone knows which there are, and what is answered at others.
    routes.all("*", async (c) => {
      const found = find(c.req.method, pathIn(dialect, c))
      if (!found) throw new ApiError("not_found", `Cannot ${c.req.method} ${pathIn(dialect, c)}`)
      return await answer(c, { ...found, dialect, serve: serveOf(c) })
    })
    app.route(`/${dialect.name}`, routes)
  }
  return app
}

/** The path as the dialect's callers know it. A slash at its end means nothing. */
function pathIn({ name }: Dialect, c: Context): string {
  return c.req.path.slice(name.length + 1).replace(/\/$/, "") || "/"
}

/** The key in the place where the API's own door looks for it. */
function withKeyOf({ keyHeader }: Dialect) {
  return createMiddleware(async (c, next) => {
    const key = c.req.header(keyHeader)
    if (key !== undefined && c.req.header("authorization") === undefined)
      c.req.raw.headers.set("authorization", `Bearer ${key}`)
    await next()
  })
}

interface Found {
  call: Call
  params: Record<string, string>
}

function finderOf(calls: Call[]): (method: string, path: string) => Found | undefined {
  const router = new TrieRouter<Call>()
  for (const call of calls) router.add(call.method, call.path, call)
  return (method, path) => {
    const [call, params = {}] = router.match(method, path)[0][0] ?? []
    return call && { call, params: Object.fromEntries(Object.entries(params).map(decoded)) }
  }
}

function decoded([name, part]: [string, string]): [string, string] {
  try {
    return [name, decodeURIComponent(part)]
  } catch {
    // No name of ours is like this, so that nothing is found.
    return [name, part]
  }
}

/** Headers of our API's answers that hold for the dialect's as well. */
const passedOn = ["retry-after", "x-idempotency-replayed", "x-idempotency-mismatch"]

async function answer(
  c: Context<ApiEnv>,
  { call, params, dialect, serve }: Found & { dialect: Dialect; serve: Serve },
): Promise<Response> {
  const api = new Api(async (request) => {
    const answered = await serve(request)
    for (const name of passedOn) if (answered.headers.has(name)) c.header(name, answered.headers.get(name)!)
    return answered
  }, c.req.raw)
  return await withBody(c, c.var.accountId, async ({ fields, file }) => {
    const { success, data, error } = call.body?.safeParse(fields) ?? { success: true, data: fields }
    if (!success) throw invalid(issuesOf(error))
    const answered = await call.run({
      api,
      params,
      query: c.req.query(),
      accept: c.req.header("accept") ?? "",
      given: data as never, // what its schema has made of it
      file,
      origin: `${originOf(c)}/${dialect.name}`,
      key: keyOf(c) ?? "",
      idempotencyKey: c.req.header("idempotency-key"),
    })
    return answered instanceof Response ? answered : c.json(answered ?? null, call.status ?? 200)
  })
}

function refused(dialect: Dialect, error: Error, c: Context<ApiEnv>): Response {
  const refusal = refusalOf(error, c, dialect)
  const status = dialect.statusOf(refusal) as ContentfulStatusCode
  return c.json(dialect.refusal({ ...refusal, status }), status)
}

function refusalOf(error: Error, c: Context<ApiEnv>, { names, sentences }: Dialect): Refusal {
  if (error instanceof NotHere) return { status: 501, code: undefined, sentence: error.message, issues: [] }
  const theirs = ({ path, message }: Issue) => ({
    path: path.replace(/^\w+/, (name) => names[name] ?? name),
    message,
  })
  const said = (code: ErrorCode, sentence: string) =>
    sentence === usual[code] ? (sentences[code] ?? sentence) : sentence
  if (error instanceof Refused) {
    const { status, message, body } = error
    return {
      status,
      code: body.code,
      sentence: said(body.code, message),
      issues: body.issues?.map(theirs) ?? [],
    }
  }
  const refusal = asRefusal(error, c.var.requestId)
  c.set("refusal", refusal)
  for (const [name, value] of Object.entries(refusal.headers)) c.header(name, value)
  const { issues = [] } = refusal.fields as Partial<Pick<Refusal, "issues">>
  const { status, code, message } = refusal
  return { status, code, sentence: said(code, message), issues: issues.map(theirs) }
}
