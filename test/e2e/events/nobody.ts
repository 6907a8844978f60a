import { beforeAll, expect, test } from "vitest"
import { examples } from "#contract/examples.ts"
import { openapi, type Operation } from "#contract/openapi.ts"
import type { RouteName } from "#contract/routes.ts"
import type { Phone } from "#one-machine/network/client.ts"
import { whole } from "./stage.ts"

interface Route {
  name: RouteName
  method: string
  path: string
  operation: Operation
}
type Case = [name: RouteName, what: string, route: Route, call: { parameters: object; body: unknown }]

/** A person or group that does not exist, in each form. */
const nobodies = {
  number: "4915100000000",
  "number with a plus": "+4915100000000",
  jid: "4915100000000@s.whatsapp.net",
  lid: "999999999999999@lid",
  group: "120363999999999999@g.us",
}
/** Those of this form. */
const forms = (pattern = "") =>
  Object.entries(nobodies).filter(([, nobody]) => new RegExp(pattern).test(nobody))

/** Rejecting a call that is over has no effect, so an unknown caller is no error. */
const heedless: RouteName[] = ["rejectCall"]

const routes: Route[] = Object.entries(openapi().paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: operation.operationId as RouteName, // as registered
    method: method.toUpperCase(),
    path,
    operation,
  })),
)

/** The people and things that a route names, by the fields and parameters of its contract. */
const cases: Case[] = routes
  .filter(({ path, name }) => path.includes("/proxy/") && !heedless.includes(name))
  .flatMap((route) => {
    const { name, operation } = route
    const { body, parameters = {} } = examples[name]
    const { properties = {} } = operation.requestBody?.content["application/json"]?.schema ?? {}
    const isById = route.path.includes("/messages/{id}")
    const inBody = ["chat", "contact_id"].flatMap((field) =>
      // The id says in which chat.
      properties[field] && !isById
        ? forms(properties[field].pattern).map(([form, nobody]): Case => [
            name,
            `${field}: ${form}`,
            route,
            { parameters, body: { ...(body as object), [field]: nobody } },
          ])
        : [],
    )
    const quoting = { ...(body as object), chat: "<Ada>", quoted_message_id: "UNKNOWN" }
    const extras: Case[] = properties.quoted_message_id
      ? [[name, "quoted_message_id", route, { parameters, body: quoting }]]
      : []
    const about: Case[] = properties.message_id
      ? [[name, "message_id", route, { parameters, body: { ...(body as object), chat: "<Ada>" } }]]
      : []
    const jid = operation.parameters?.find((parameter) => parameter.name === "jid")
    const inPath = jid
      ? forms(jid.schema.pattern).map(([form, nobody]): Case => [
          name,
          `jid: ${form}`,
          route,
          { parameters: { jid: nobody }, body },
        ])
      : []
    return [
      ...inBody,
      ...extras,
      ...about,
      ...inPath,
      ...(isById ? [[name, "id", route, { parameters, body }] as Case] : []),
    ]
  })

let ada: Phone
let grace: Phone

beforeAll(async () => {
  grace = await whole.network.create("Grace")
  ada = await whole.network.create("Ada")
  await whole.bridge("nobody")
  await whole.link("nobody", grace)
  await whole.call("POST", "/api/instances/nobody/proxy/presence", { state: "available" })
})

test.for(cases)("%s refuses what does not exist: %s", async ([, , route, { parameters, body }]) => {
  const given: Record<string, string> = { customer_ref: "nobody", ...parameters }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(given[key]!))
  const known = JSON.parse(JSON.stringify(body ?? null).replaceAll("<Ada>", ada.number)) as unknown
  const answer = await whole.call(route.method, path, known ?? undefined)
  const { code } = (await answer.json()) as { code?: string } // an error's body
  expect([answer.status, code]).toEqual([
    expect.toBeOneOf([404, 422]),
    expect.stringMatching(/_not_found$|^not_found$/),
  ])
  expect(route.operation.responses[answer.status]?.description).toContain(`\`${code}\``)
})

test("nothing was sent for any of that", async () => {
  expect(await whole.network.log({ who: `${grace.number}:1`, kind: "in", tag: "message" })).toEqual([])
})
