import "#test/support/store.ts"
import { expect, test } from "vitest"
import { ErrorBody } from "#contract/error.ts"
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
