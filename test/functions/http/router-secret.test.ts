import "#test/support/store.ts"
import { randomUUID } from "node:crypto"
import { beforeAll, afterAll, expect, test } from "vitest"
import { config } from "#core/platform/config.ts"
import { app } from "#test/support/service/app.ts"
import { anAddress, at } from "#test/support/service/customer.ts"
import { offerStreaming, stream, urlEvent } from "#test/support/service/function-url.ts"

const [current, before] = [randomUUID(), randomUUID()]
beforeAll(() => void Object.assign(config, { ROUTER_SECRET: current, ROUTER_SECRET_BEFORE: before }))
afterAll(() => void Object.assign(config, { ROUTER_SECRET: undefined, ROUTER_SECRET_BEFORE: undefined }))

async function ask(headers: Record<string, string>, from = anAddress()) {
  return await app.request("/healthz", { headers }, at(from))
}

test("a request that did not come through the router is refused before it is counted, and learns nothing", async () => {
  const from = anAddress()
  const strangers: Record<string, string>[] = [
    {},
    { "x-router-secret": randomUUID() },
    { "x-router-secret": "" },
  ]
  for (const headers of strangers) {
    const refused = await ask(headers, from)
    expect(refused.status).toBe(403)
    expect(await refused.text()).toBe("")
    expect([...refused.headers.keys()]).toEqual([])
  }
  const passed = await ask({ "x-router-secret": current, "x-viewer-address": from })
  expect(passed.status).toBe(200)
  expect(passed.headers.get("ratelimit-remaining")).toBe("299")
})

test("while the router does not know a new secret yet, the one before passes as well", async () => {
  expect((await ask({ "x-router-secret": before })).status).toBe(200)
})

test("the stream function refuses it too", async () => {
  offerStreaming()
  const { handler } = await import("#functions/stream/handler.ts")
  for (const path of ["/api/instances/shop/logs", "/api/instances/shop/proxy/contacts", "/elsewhere"]) {
    expect((await stream(handler, urlEvent("GET", path))).statusCode).toBe(403)
    const routed = await stream(handler, urlEvent("GET", path, { routerSecret: current }))
    expect(routed.statusCode).not.toBe(403)
  }
})
