import { setImmediate } from "node:timers/promises"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import "#test/support/store.ts"
import { callHost, hangUpOnHosts } from "#core/lease/call-host.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { until } from "#test/support/until.ts"

test("a host that has ended since the last call over its connection was never reached by the next one", async () => {
  const bridge = await aBridge()
  const host = await aScriptedHost((_, response) => sayJson(response, 200, {}))
  const lease = await host.take(bridge.id)
  const call = { method: "GET", path: "/status", bridgeId: bridge.id, requestId: "request-1" } as const
  expect(await callHost(lease, call, 5000)).toMatchObject({ status: 200 })
  // The connection is kept, and idle.
  await setImmediate()
  host.server.close()
  // A process closes its connections like this when it dies. Nothing of that has been read here at the time
  // of the call.
  host.server.closeAllConnections()
  expect(await callHost(lease, call, 5000)).toBe("unreachable")
})

test("a host that stops waits for no connection of a caller that hung up, and gets its next call", async () => {
  const bridge = await aBridge()
  const host = await aScriptedHost((_, response) => sayJson(response, 200, {}))
  const lease = await host.take(bridge.id)
  const call = { method: "GET", path: "/status", bridgeId: bridge.id, requestId: "request-1" } as const
  expect(await callHost(lease, call, 5000)).toMatchObject({ status: 200 })
  const connections = promisify(host.server.getConnections.bind(host.server))
  expect(await connections()).toBe(1)
  hangUpOnHosts()
  await until(async () => (await connections()) === 0, { withinMs: 2000 })
  expect(await callHost(lease, call, 5000)).toMatchObject({ status: 200 })
})
