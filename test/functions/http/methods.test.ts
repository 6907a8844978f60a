import "#test/support/store.ts"
import { expect, test } from "vitest"
import { ErrorBody } from "#contract/error.ts"
import { openapi } from "#contract/openapi.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { app } from "#test/support/service/app.ts"
import { aCustomer, json, liftLimits } from "#test/support/service/customer.ts"

liftLimits()

/** A path of this route, with `shop` and something for its other parts. */
const pathOf = (route: string) => route.replace(/:(?:customer_)?ref\b/, "shop").replaceAll(/:\w+/g, "x")
/** The paths that take a GET: the API's, and the dashboard's. */
const paths = new Set(app.routes.filter(({ method }) => method === "GET").map(({ path }) => pathOf(path)))

test("a method that a path does not take is 405, and the answer names those that it takes", async () => {
  const shop = await aCustomer()
  await shop.post("/api/instances", { customer_ref: "shop" })
  for (const [method, path, taken] of [
    ["PUT", "/api/instances", ["GET", "POST"]],
    ["GET", "/api/instances/shop/proxy/send/text", ["POST"]],
    ["DELETE", "/healthz", ["GET"]],
  ] as const) {
    const answer = await shop.call(method, path)
    expect([answer.status, answer.headers.get("allow")!.split(", ").toSorted()]).toEqual([405, taken])
    expect(answer.headers.get("x-request-id")).toBeTruthy()
    expect(await answer.json()).toEqual(expect.schemaMatching(ErrorBody.strict()))
  }
})

test("every path of the contract takes the contract's methods alone, also beside a parameter", async () => {
  const shop = await aCustomer()
  await shop.post("/api/instances", { customer_ref: "shop" })
  const { paths } = openapi()
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
  for (const [template, operations] of Object.entries(paths)) {
    const path = template.replace("{customer_ref}", "shop").replaceAll(/\{\w+\}/g, "x")
    const taken = Object.keys(operations).map((method) => method.toUpperCase())
    for (const method of methods.filter((one) => !taken.includes(one))) {
      const answer = await shop.call(method, path)
      const allow = answer.headers.get("allow")?.split(", ").toSorted()
      expect([method, path, answer.status, allow]).toEqual([method, path, 405, taken.toSorted()])
    }
  }
})

test.for([
  ["%67roups/%6Aoin", 405],
  ["groups/join?link=x", 405],
  ["groups/join/", 404],
  ["groups//join", 404],
  ["groups/join%2F", 400],
  ["groups/JOIN", 400],
])(
  "a path is what it is once it was decoded, and its case and slashes count: %s is %s",
  async ([path, status]) => {
    const shop = await aCustomer()
    await shop.post("/api/instances", { customer_ref: "shop" })
    const answer = await shop.get(`/api/instances/shop/proxy/${path}`)
    expect([answer.status, answer.headers.get("allow")]).toEqual([status, status === 405 ? "POST" : null])
  },
)

test("a HEAD is 405 wherever a GET may begin something, and calls no host", async () => {
  const shop = await aCustomer()
  const { id } = await json(shop.post("/api/instances", { customer_ref: "shop" }))
  const host = await aScriptedHost((_, response) => sayJson(response, 200, {}))
  await host.take(String(id))
  expect(paths.size).toBeGreaterThan(60)
  for (const path of paths) {
    const answer = await shop.call("HEAD", path)
    const { status } = answer
    expect([path, status, await answer.text()]).toEqual([path, path === "/healthz" ? 200 : 405, ""])
    expect(answer.headers.get("allow") ?? "GET").toMatch(/^(?!.*HEAD).*\bGET\b/)
  }
  expect(host.calls).toEqual([])
  expect((await shop.call("HEAD", "/api/nothing")).status).toBe(404)
})
