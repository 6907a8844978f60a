import "#test/support/store.ts"
import { afterEach, expect, test, vi } from "vitest"
import { now } from "#core/platform/clock.ts"
import { signCall, verifyCall } from "#core/lease/signed-call.ts"

const call = {
  method: "POST",
  path: "/send/text?x=1",
  bridgeId: "b",
  epoch: 3,
  messageId: "m",
  requestId: "r",
}
const request = { method: call.method, path: call.path }

afterEach(() => void vi.useRealTimers())

test("a signed call is verified for its own request, and late after 30 s", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const header = signCall(call)
  expect(verifyCall(header, request)).toEqual({ ...call, isLate: false })
  vi.setSystemTime(Date.now() + 30_000)
  expect(verifyCall(header, request)).toEqual({ ...call, isLate: false })
  vi.setSystemTime(Date.now() + 2000)
  expect(verifyCall(header, request)).toEqual({ ...call, isLate: true })
})

test("a signed call that must not begin later than that is good until then, never for longer than 30 s", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const [soon, late] = [signCall(call, now() + 5), signCall(call, now() + 50)]
  vi.setSystemTime(Date.now() + 7000)
  expect(verifyCall(soon, request)?.isLate).toBe(true)
  expect(verifyCall(late, request)?.isLate).toBe(false)
  vi.setSystemTime(Date.now() + 25_000)
  expect(verifyCall(late, request)?.isLate).toBe(true)
})

test.for([
  ["another path", { ...request, path: "/send/text" }],
  ["another method", { ...request, method: "GET" }],
] as const)("a signed call is nothing for %s", ([, other]) => {
  expect(verifyCall(signCall(call), other)).toBeUndefined()
})

test("a call that anybody else signed, changed or made up is nothing", () => {
  const [payload, mac] = signCall(call).slice("Host ".length).split(".")
  const other = Buffer.from(JSON.stringify({ ...call, bridgeId: "c", expiresAt: 2 ** 40 })).toString(
    "base64url",
  )
  const headers = [
    undefined,
    "",
    "Host",
    "Host .",
    `Host ${payload}`,
    `Host ${payload}.`,
    `Host ${other}.${mac}`,
  ]
  for (const header of [...headers, `Host ${payload}.${mac}x`, `Host ${payload}.${"é".repeat(mac!.length)}`])
    expect(verifyCall(header, request)).toBeUndefined()
})
