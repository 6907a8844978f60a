import { expect, test } from "vitest"
import type { z } from "zod"
import "#test/support/store.ts"
import { examples } from "#contract/examples.ts"
import { openapi, type Operation, type Parameter } from "#contract/openapi.ts"
import { type RouteName, routes as contract } from "#contract/routes.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { type InvalidValue, invalidValuesOf, jsonOf } from "#test/support/invalid-values.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aCustomer, liftLimits } from "#test/support/service/customer.ts"

liftLimits()

interface Route {
  name: RouteName
  method: string
  path: string
  operation: Operation
}

const routes: Route[] = Object.entries(openapi().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: operation.operationId as RouteName, // as registered
    method: method.toUpperCase(),
    path,
    operation,
  })),
)
const cases = routes.map((route) => [route.name, route] as const)

/**
 * No host holds these bridges: a call that would ask one of their sessions is not refused at once, but gets
 * 503 after a while.
 */
const [ours, theirs] = [await aCustomer(), await aCustomer()]
for (const customer_ref of ["shop", "resting"]) await ours.post("/api/instances", { customer_ref })
for (const customer_ref of ["shop", "solo"]) await theirs.post("/api/instances", { customer_ref })
await Lease.stop((await Bridge.get(ours.account.id, "resting")).id, "operator")
const { id: soloId } = await Bridge.get(theirs.account.id, "solo")

function isAt(path: string, suffix: string): boolean {
  const pattern = path.replace(/^.*\/proxy/, "").replaceAll(/\{\w+\}/g, "[^/]+")
  return new RegExp(`^${pattern}$`).test(suffix.split("?")[0] ?? "")
}

/** The URL of a route's example call, with some parameters replaced. */
function urlOf({ name, path, operation }: Route, other: Record<string, string> = {}, ref = "shop"): string {
  const given = { customer_ref: ref, ...examples[name].parameters, ...other }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(given[key as keyof typeof given]),
  )
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && parameter.name in given)
    .map(({ name: key }) => `${key}=${encodeURIComponent(given[key as keyof typeof given])}`)
  return query.length > 0 ? `${filled}?${query.join("&")}` : filled
}

const bodyOf = ({ operation }: Route) => operation.requestBody?.content["application/json"]
/** Those that the API answers, or looks something up for. */
const ofApi = new Set<RouteName>(["webhookLogs", "findMessage"])
const isOfSession = ({ path, name }: Route) => path.includes("/proxy/") && !ofApi.has(name)

/** Expects the status and the code of an answer to be documented. */
async function expectDocumented(route: Route, answer: Response, what: string) {
  const { code } = (await answer.json()) as { code: string } // an error's body
  const documented = route.operation.responses[answer.status]?.description ?? ""
  expect([what, documented]).toEqual([what, expect.stringContaining(`\`${code}\``)])
  return { status: answer.status, code }
}

test("each call of a session reaches the host under its own path, with its body", async () => {
  const customer = await aCustomer()
  await customer.post("/api/instances", { customer_ref: "shop" })
  const { id } = await Bridge.get(customer.account.id, "shop")
  const host = await aScriptedHost((call, response) => {
    const route = routes.find(({ method, path }) => method === call.method && isAt(path, call.path))
    sayJson(response, 200, examples[route?.name ?? "healthz"].answer ?? { key: `${id}/none` })
  })
  await host.take(id)
  for (const route of routes.filter(isOfSession)) {
    const { body, answer: told } = examples[route.name]
    const answer = await customer.call(route.method, urlOf(route), body)
    const [call] = host.calls.splice(0)
    expect(`${call?.method} ${call?.path}`).toBe(
      `${route.method} ${urlOf(route).slice("/api/instances/shop/proxy".length)}`,
    )
    expect([route.name, call!.body === "" ? undefined : JSON.parse(call!.body)]).toEqual([route.name, body])
    const sends = route.operation.parameters?.some(({ in: where }) => where === "header")
    expect(call!.token!.messageId ?? "").toMatch(sends ? /^3EB0[0-9A-F]{18}$/ : /^$/)
    const said: unknown = told && (await answer.json())
    expect([route.name, said]).toEqual([route.name, told])
  }
})

test.for(cases.filter(([, route]) => bodyOf(route)))(
  "%s refuses each fault of each field of its body, as documented",
  async ([name, route]) => {
    const { properties = {}, required = [] } = bodyOf(route)!.schema
    const body = examples[name].body as object // every such route has one
    for (const [field, schema] of Object.entries(properties))
      for (const [what, value] of invalidValuesOf(schema, required.includes(field))) {
        const { [field]: _, ...others } = body as Record<string, unknown>
        const faulty = value === undefined ? others : { ...others, [field]: value }
        // What the schema refuses is refused in one way, which a missing field shows.
        if (value !== undefined && value !== null && isRefused(name, faulty)) continue
        const answer = await ours.call(route.method, urlOf(route), jsonOf(faulty))
        const { status } = await expectDocumented(route, answer, `${field} ${what}`)
        expect([field, what, status]).toEqual([field, what, 400])
      }
  },
)

/** Whether the schema that the route is made from refuses this body. */
function isRefused(name: RouteName, body: object): boolean {
  const group = Object.values(contract).find((one) => name in one) as Record<string, Declared>
  const { schema } = group[name]!.request.body.content["application/json"]
  return !schema.safeParse(JSON.parse(jsonOf(body))).success
}

interface Declared {
  request: { body: { content: { "application/json": { schema: z.ZodType } } } }
}

test.for(cases.filter(([name]) => name === "createBridge" || name === "sendText"))(
  "%s refuses what is no object of JSON, is too long or is called something else",
  async ([, route]) => {
    const ask = async (body: string, type = "application/json") =>
      await expectDocumented(
        route,
        await ours.call(route.method, urlOf(route), body, { "content-type": type }),
        body.slice(0, 20),
      )
    for (const body of ["[]", "null", "7", '"text"', "{", `{"a":${"[".repeat(40)}${"]".repeat(40)}}`])
      expect([body, await ask(body)]).toEqual([
        body,
        { status: 400, code: expect.stringMatching(/^invalid_/) },
      ])
    expect(await ask(`{"a":"${"x".repeat(800 * 1024)}"}`)).toMatchObject({ status: 413 })
    expect(await ask("{}", "text/plain")).toMatchObject({ status: 415 })
  },
)

const parametersOf = ({ operation }: Route) =>
  (operation.parameters ?? []).filter(({ in: where, name }) => where !== "header" && name !== "customer_ref")

test.for(cases.filter(([, route]) => parametersOf(route).length > 0))(
  "%s refuses each fault of each parameter, as documented",
  async ([, route]) => {
    for (const parameter of parametersOf(route))
      for (const [what, value] of parameterFaults(parameter)) {
        const url = urlOf(route, { [parameter.name]: String(value) })
        const answer = await ours.call(route.method, url, examples[route.name].body)
        const { status } = await expectDocumented(route, answer, `${parameter.name} ${what}`)
        expect([parameter.name, what, status]).toEqual([parameter.name, what, 400])
      }
  },
)

/** In a URL everything is text. */
function parameterFaults({ schema }: Parameter): InvalidValue[] {
  const inUrls = [
    "text",
    "another word",
    "of another form",
    "too long",
    "not whole",
    "too small",
    "too large",
  ]
  return invalidValuesOf(schema, false).filter(([what]) => inUrls.includes(what))
}

test.for(cases.filter(([, { path }]) => path.includes("{customer_ref}")))(
  "%s tells nothing of another account's bridge: it is answered as a name that no bridge has",
  async ([name, route]) => {
    const ask = async (ref: string, key: string) => {
      const headers = { authorization: `Bearer ${key}`, "x-request-id": "the-same-one" }
      const answer = await ours.call(route.method, urlOf(route, {}, ref), examples[name].body, headers)
      return [answer.status, await answer.text()]
    }
    const [status, text] = await ask("nobody-has-this", ours.key)
    expect(status).toBe(404)
    for (const ref of ["solo", soloId]) expect(await ask(ref, ours.key)).toEqual([status, text])
  },
)

test.for(cases)("%s is refused in this order: for its key, its bridge, its body", async ([, route]) => {
  const faulty = route.method === "GET" ? undefined : "["
  const call = async (key: string, ref: string, type = "application/json") => {
    const headers = { authorization: `Bearer ${key}`, "content-type": type }
    const answer = await ours.call(route.method, urlOf(route, {}, ref), faulty, headers)
    return (await expectDocumented(route, answer, `${key} ${ref} ${type}`)).status
  }
  const hasRef = route.path.includes("{customer_ref}")
  const refused = [await call("mbk_wrong", "nobody")]
  if (hasRef) refused.push(await call(ours.key, "nobody"))
  if (faulty) refused.push(await call(ours.key, "shop"), await call(ours.key, "shop", "text/plain"))
  expect(refused).toEqual([401, ...(hasRef ? [404] : []), ...(faulty ? [400, 415] : [])])
})

test.for(cases.filter(([, route]) => isOfSession(route)))(
  "%s of a paused bridge is 409, and its body is looked at before",
  async ([name, route]) => {
    const ask = async (body: unknown) =>
      await expectDocumented(
        route,
        await ours.call(route.method, urlOf(route, {}, "resting"), body),
        "paused",
      )
    expect(await ask(examples[name].body)).toEqual({ status: 409, code: "bridge_paused" })
    const { code } = await ask(bodyOf(route) && "[")
    expect(code).toBe(bodyOf(route) ? "invalid_request" : "bridge_paused")
  },
)
