import "#test/support/store.ts"
import { afterEach, expect, test, vi } from "vitest"
import { signCall, verifyCall } from "#core/lease/signed-call.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"

const call = {
  method: "POST",
  path: "/send/text?x=1",
  bridgeId: "b",
  epoch: 3,
  messageId: "m",
  requestId: "r",
}
const request = { method: call.method, path: call.path }

const secret = config.HOST_TOKEN_SECRET
afterEach(() => {
  vi.useRealTimers()
  Object.assign(config, { HOST_TOKEN_SECRET: secret, HOST_TOKEN_SECRET_BEFORE: undefined })
})

/** The secrets that a process knows after so many rotations. */
function knows(rotations: number): void {
  const versions = [1, 2, 3].map((version) => `host token ${version}`.padEnd(32, "-"))
  const [HOST_TOKEN_SECRET, HOST_TOKEN_SECRET_BEFORE] = versions.slice(0, rotations + 1).toReversed()
  Object.assign(config, { HOST_TOKEN_SECRET, HOST_TOKEN_SECRET_BEFORE })
}

test("a signed call is verified for its own request, and late after 30 s", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const header = signCall(call)
  expect(verifyCall(header, request)).toEqual({ ...call, isTimely: true })
  vi.setSystemTime(Date.now() + 30_000)
  expect(verifyCall(header, request)).toEqual({ ...call, isTimely: true })
  vi.setSystemTime(Date.now() + 2000)
  expect(verifyCall(header, request)).toEqual({ ...call, isTimely: false })
})

test("a signed call that must not begin later than that is good until then, never for longer than 30 s", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const [soon, late] = [signCall(call, { notAfter: now() + 5 }), signCall(call, { notAfter: now() + 50 })]
  vi.setSystemTime(Date.now() + 7000)
  expect(verifyCall(soon, request)?.isTimely).toBe(false)
  expect(verifyCall(late, request)?.isTimely).toBe(true)
  vi.setSystemTime(Date.now() + 25_000)
  expect(verifyCall(late, request)?.isTimely).toBe(false)
})

test("a signed call is for the host's clock, and nothing where it was signed in the future", () => {
  const ahead = signCall(call, { ahead: 60 })
  expect(verifyCall(ahead, request)?.isTimely).toBe(false)
  vi.useFakeTimers({ toFake: ["Date"] })
  vi.setSystemTime(Date.now() + 60_000)
  expect(verifyCall(ahead, request)?.isTimely).toBe(true)
})

test.for([
  ["another path", { ...request, path: "/send/text" }],
  ["another method", { ...request, method: "GET" }],
] as const)("a signed call is nothing for %s", ([, other]) => {
  expect(verifyCall(signCall(call), other)).toBeUndefined()
})

test("a call that another key signed, or that was changed or made up, is nothing", () => {
  const [payload, mac] = signCall(call).slice("Host ".length).split(".")
  const other = Buffer.from(
    JSON.stringify({ ...call, bridgeId: "c", signedAt: 0, expiresAt: 2 ** 40 }),
  ).toString("base64url")
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

test.for([
  ["an API and a host that know the same", 0, 0, true],
  ["a new API and a host of before", 1, 0, true],
  ["an API of before and a new host", 0, 1, true],
  ["an API and a host after the rotation", 1, 1, true],
  ["an API two rotations ahead of a host", 2, 0, false],
  ["an API two rotations behind a host: its secret may have leaked", 0, 2, false],
] as const)("a rotation of the secret: %s", ([, api, host, isVerified]) => {
  knows(api)
  const header = signCall(call)
  knows(host)
  expect(verifyCall(header, request) !== undefined).toBe(isVerified)
})
