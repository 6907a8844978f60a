import { randomBytes } from "node:crypto"
import { expect, onTestFinished, test, vi } from "vitest"
import "#test/support/store.ts"
import { SessionStatus } from "#contract/session.ts"
import { Lease } from "#core/lease/lease.ts"
import { tables } from "#core/store/tables.ts"
import { aNetwork, type Network } from "#test/support/network/network.ts"
import { rowsOf } from "#test/support/rows-of.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { aHost, call, eventsOfType, held, sendText, statusOf } from "#test/support/session/host.ts"
import { aPairedSession, codeOf, scanCode } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"

/** These tests are not about leases: a busy machine must not cost a host its own. */
const calm = { timing: { beatMs: 1000 } }

async function anUnpairedSession(network: Network) {
  const host = await aHost(network, calm)
  const bridge = await aBridge()
  await held(bridge.id, host)
  return { bridge, host }
}

const pair = async (bridgeId: string, phone: unknown) => {
  const answer = await call(bridgeId, "POST", "/pair", { body: { phone } })
  const said = (await answer.json()) as { code: string } // compared by the caller
  return { status: answer.status, cache: answer.headers.get("cache-control"), ...said }
}

const untilConnected = (bridgeId: string) => until(async () => (await statusOf(bridgeId)) === "connected")

test("a phone links by the code that is typed on it", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  const phone = await network.phone("Ada")
  const answer = await pair(bridge.id, `+${phone.number}`)
  expect(answer).toMatchObject({
    status: 200,
    cache: "no-store",
    code: expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/),
  })
  await phone.typeCode(answer.code)
  await untilConnected(bridge.id)
  expect(await eventsOfType(bridge.id, "connected")).toEqual([{ event: "connected", phone: phone.number }])
  expect(await pair(bridge.id, phone.number)).toMatchObject({ status: 409, code: "already_paired" })
})

test.for([{ hellos: 3 }, { refreshes: true }])(
  "a phone links by a code though it says hello again, or the network wants a new secret meanwhile: %o",
  async (how) => {
    const network = await aNetwork()
    const { bridge } = await anUnpairedSession(network)
    const phone = await network.phone("Ada")
    const { code } = await pair(bridge.id, phone.number)
    await network.call("POST", `/phones/${phone.number}/link-code`, { code, ...how })
    await untilConnected(bridge.id)
    expect(await eventsOfType(bridge.id, "connected")).toHaveLength(1)
  },
)

/** A part of a stanza with so many random bytes: no key or code that the two have agreed on. */
const part = (tag: string, length: number) => ({
  tag,
  attrs: {},
  content: { base64: randomBytes(length).toString("base64") },
})

test("a hello is answered three times at most, and after the link never", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  const phone = await network.phone("Ada")
  const { code } = await pair(bridge.id, phone.number)
  await network.call("POST", `/phones/${phone.number}/link-code`, { code, hellos: 5 })
  await untilConnected(bridge.id)
  const answers = async () =>
    (await network.log({ kind: "in", tag: "iq" })).filter(({ stanza }) =>
      JSON.stringify(stanza).includes("companion_finish"),
    ).length
  expect(await answers()).toBe(3)

  const hello = [
    part("link_code_pairing_wrapped_primary_ephemeral_pub", 80),
    part("primary_identity_pub", 32),
    part("link_code_pairing_ref", 32),
  ]
  await network.control.stanza(`${phone.number}:1`, {
    tag: "notification",
    attrs: { from: "s.whatsapp.net", type: "link_code_companion_reg", id: "LATE", t: "1800000000" },
    content: [{ tag: "link_code_companion_reg", attrs: { stage: "primary_hello" }, content: hello }],
  })
  await network.log({ kind: "in", tag: "ack", attrs: { id: "LATE" }, wait: 5000 })
  expect(await answers()).toBe(3)
  expect(await statusOf(bridge.id)).toBe("connected")
})

test("the latest of several codes is the one that links", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  const phone = await network.phone()
  const first = await pair(bridge.id, "4915112345678")
  const second = await pair(bridge.id, phone.number)
  expect(first.code).not.toBe(second.code)
  await phone.typeCode(second.code)
  await untilConnected(bridge.id)
})

test("after a link code that was not typed the session can be linked still, by picture and by code", async () => {
  const network = await aNetwork()
  const { bridge, host } = await anUnpairedSession(network)
  const phone = await network.phone()
  const abandoned = await pair(bridge.id, phone.number)
  await host.stop()
  await aHost(network, calm)
  await until(async () => (await statusOf(bridge.id)) === "unpaired")
  await expect(phone.typeCode(abandoned.code)).rejects.toThrow("unknown_ref")
  await scanCode(phone, bridge.id)
  await untilConnected(bridge.id)
  // The session never tried to log in as a device that was not linked.
  expect(await network.call("GET", "/log?kind=note&event=login%20refused")).toEqual([])
})

test("a phone that asks for a passkey step is not linked, and that is said until a logout turns it away", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  const phone = await network.phone()
  const code = await codeOf(bridge.id)
  await expect(phone.scan(code, "passkey")).rejects.toThrow("passkey_required")
  await until(async () => (await statusOf(bridge.id)) === "passkey_required")
  expect((await call(bridge.id, "DELETE", "/logout")).status).toBe(200)
  const next = await codeOf(bridge.id)
  expect(next).not.toBe(code)
  expect(await statusOf(bridge.id)).toBe("unpaired")
  await phone.scan(next)
  await untilConnected(bridge.id)
})

/** A bridge whose code was scanned by a phone of an account with a passkey. */
async function anAwaitedPasskey(network: Network) {
  const { bridge } = await anUnpairedSession(network)
  const phone = await network.phone()
  const path = `/phones/${phone.number}/passkey`
  await network.call("POST", path)
  const scan = async () => {
    await expect(phone.scan(await codeOf(bridge.id))).rejects.toThrow("passkey_required")
    return await request()
  }
  const request = () => until(async () => (await sessionOf(bridge.id)).passkey)
  const sign = async (challenge: string, origin?: string) =>
    (await network.call("POST", `${path}/assertions`, { challenge, origin })) as object
  const take = async (body: unknown) => {
    const answer = await call(bridge.id, "POST", "/passkey", { body })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
  return { bridge, phone, scan, sign, take, request }
}

const sessionOf = async (bridgeId: string) =>
  SessionStatus.parse(await (await call(bridgeId, "GET", "/status")).json())

test("an account that is linked with a passkey only is linked with it", async () => {
  const network = await aNetwork()
  const { bridge, phone, scan, sign, take } = await anAwaitedPasskey(network)
  const { options } = await scan()
  expect(await sessionOf(bridge.id)).toMatchObject({ status: "passkey_required" })
  expect(options.rpId).toBe("whatsapp.com")
  const signed = await sign(options.challenge)
  const answers = await Promise.all([take(signed), take(signed)])
  expect(answers).toContainEqual({ status: 200, ok: true })
  expect(answers).toContainEqual(expect.objectContaining({ status: 409 }))
  await untilConnected(bridge.id)
  const session = await sessionOf(bridge.id)
  expect(session.phone).toBe(phone.number)
  expect(session).not.toHaveProperty("passkey")
})

test("so is one for which a code was typed", async () => {
  const network = await aNetwork()
  const { bridge, phone, sign, take, request } = await anAwaitedPasskey(network)
  const { code } = await pair(bridge.id, phone.number)
  await expect(phone.typeCode(code)).rejects.toThrow("passkey_required")
  const { options } = await request()
  expect(await take(await sign(options.challenge))).toMatchObject({ status: 200 })
  await untilConnected(bridge.id)
})

test("a program that keeps asking for codes turns away no phone that the network lets want a passkey", async () => {
  const network = await aNetwork()
  const { bridge, phone, scan, sign, take } = await anAwaitedPasskey(network)
  await network.call("PATCH", "/patience", { passkey_ms: 1 })
  await scan()
  await network.call("PATCH", "/patience", { passkey_ms: 60_000 })
  const { options } = await scan()
  const qr = await call(bridge.id, "GET", "/qr")
  expect([qr.status, await qr.json()]).toMatchObject([409, { code: "passkey_required" }])
  expect(await pair(bridge.id, phone.number)).toMatchObject({ status: 409, code: "passkey_required" })
  expect(await take(await sign(options.challenge))).toMatchObject({ status: 200 })
  await untilConnected(bridge.id)
})

const refusal = (words: string) => ({ code: "passkey_refused", error: expect.stringContaining(words) })

test("a wrong, foreign, misplaced or early assertion is refused in its own words, and the right one links", async () => {
  const network = await aNetwork()
  const { bridge, scan, sign, take, request } = await anAwaitedPasskey(network)
  const stranger = await network.phone()
  await network.call("POST", `/phones/${stranger.number}/passkey`)
  const foreign = (challenge: string) =>
    network.call("POST", `/phones/${stranger.number}/passkey/assertions`, { challenge })
  const good = await sign("AAAA")
  expect(await take(good)).toMatchObject({ status: 409, code: "passkey_not_awaited" })
  expect(await take({ ...good, rawId: "not base64url!" })).toMatchObject({ status: 400 })
  const { challenge } = (await scan()).options
  expect(await take(good)).toMatchObject(refusal("another request"))
  expect(await take(await sign(challenge, "https://example.com"))).toMatchObject(refusal("another page"))
  expect(await take(await foreign(challenge))).toMatchObject(refusal("account"))
  const signed = (await sign(challenge)) as { response: object }
  const made = JSON.stringify({ type: "webauthn.create", challenge, origin: "https://web.whatsapp.com" })
  const clientDataJSON = Buffer.from(made).toString("base64url")
  expect(await take({ ...signed, response: { ...signed.response, clientDataJSON } })).toMatchObject(
    refusal("what a browser makes"),
  )
  const forged = { ...signed, response: { ...signed.response, signature: "MEUCIQDx" } }
  expect(await take(forged)).toMatchObject(refusal("signature"))
  const next = await request()
  expect(await take(await sign(next.options.challenge))).toMatchObject({ status: 200 })
  await untilConnected(bridge.id)
})

test("an assertion that comes too late is refused, and the next request is there", async () => {
  const network = await aNetwork()
  const { bridge, scan, sign, take, request } = await anAwaitedPasskey(network)
  await network.call("PATCH", "/patience", { passkey_ms: 1 })
  const first = await scan()
  await network.call("PATCH", "/patience", { passkey_ms: 60_000 })
  const late = await take(await sign(first.options.challenge))
  expect(late).toMatchObject({ code: "passkey_refused", error: expect.stringContaining("after") })
  const second = await request()
  expect(second.options.challenge).not.toBe(first.options.challenge)
  expect(await take(await sign(second.options.challenge))).toMatchObject({ status: 200 })
  await untilConnected(bridge.id)
})

test("an assertion that comes after five minutes is refused, though the network would wait for longer", async () => {
  const network = await aNetwork()
  const { bridge, scan, sign, take, request } = await anAwaitedPasskey(network)
  await network.call("PATCH", "/patience", { passkey_ms: 600_000 })
  const { options } = await scan()
  const assertion = await sign(options.challenge)
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 })
  expect(await take(assertion)).toMatchObject(refusal("after"))
  vi.useRealTimers()
  expect(await take(await sign((await request()).options.challenge))).toMatchObject({ status: 200 })
  await untilConnected(bridge.id)
  expect(await take(assertion)).toMatchObject({ status: 409 })
})

test("a link code is given for digits alone", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  for (const phone of [
    "",
    "123",
    "1234567890123456",
    "49 151 1234567",
    "49151@s.whatsapp.net",
    4915112345678,
    null,
  ])
    expect(await pair(bridge.id, phone)).toMatchObject({ status: 400, code: "invalid_request" })
})

test("a logout unlinks the device, tells the customer, and leaves no key behind", async () => {
  const network = await aNetwork()
  const { bridge, phone } = await aPairedSession(network, calm)
  await eventsOfType(bridge.id, "connected")
  const answer = await call(bridge.id, "DELETE", "/logout")
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({ ok: true })
  expect(await statusOf(bridge.id)).toBe("unpaired")
  expect(await eventsOfType(bridge.id, "disconnected")).toEqual([
    { event: "disconnected", reason: "logged_out", detail: expect.stringContaining("through the API") },
  ])
  await until(async () => (await Lease.get(bridge.id))?.reported?.unlinked === "here")
  const { devices } = (await network.call("GET", `/phones/${phone.number}`)) as { devices: unknown[] }
  expect(devices).toHaveLength(1)
  await until(async () => (await rowsOf(tables.sessions, bridge.id, "SIGNAL#")).length === 0)

  const again = await call(bridge.id, "DELETE", "/logout")
  expect([again.status, await again.json()]).toEqual([200, { ok: true }])
  await scanCode(phone, bridge.id)
  await untilConnected(bridge.id)
})

test("a logout that comes while the session learns that its phone was unlinked is not what unlinked it", async () => {
  const network = await aNetwork()
  const { bridge, phone, end } = await aPairedSession(network, calm)
  await network.fault({ kind: "refuse_login", device: `${phone.number}:1`, code: 401 })
  await end("cut")
  await call(bridge.id, "DELETE", "/logout")
  const { unlinked } = await until(async () => {
    const lease = await Lease.get(bridge.id)
    return lease?.reported?.status === "unpaired" && lease.reported
  })
  expect(unlinked).toBe("elsewhere")
  expect(await eventsOfType(bridge.id, "disconnected")).toEqual([
    { event: "disconnected", reason: "logged_out", detail: expect.stringContaining("on the phone") },
  ])
})

test("a restart connects anew with the same login, the session starts then, and the customer is not told", async () => {
  const network = await aNetwork()
  const { bridge, phone } = await aPairedSession(network, calm)
  await eventsOfType(bridge.id, "connected")
  const device = `${phone.number}:1`
  const logins = async () => (await network.log({ kind: "out", who: device, tag: "success" })).length
  const before = await logins()
  const { startedMs } = (await Lease.get(bridge.id))!
  expect((await call(bridge.id, "POST", "/restart")).status).toBe(204)
  expect((await Lease.get(bridge.id))!.startedMs).toBeGreaterThan(startedMs)
  expect(await statusOf(bridge.id)).toBe("connected")
  expect(await logins()).toBe(before + 1)
  expect(await eventsOfType(bridge.id, "connected")).toHaveLength(1)

  const contact = await network.phone()
  expect(await sendText(bridge.id, contact.number, "still here")).toMatchObject({ status: 200 })
})

test("restarts that were asked for are no failed logins, however many: the next login waits for nothing", async () => {
  const network = await aNetwork()
  const { bridge } = await aPairedSession(network, calm)
  for (let times = 0; times < 7; times++) {
    expect((await call(bridge.id, "POST", "/restart")).status).toBe(204)
    expect(await statusOf(bridge.id)).toBe("connected")
  }
})

test("a session without a linked phone is restarted, too", async () => {
  const network = await aNetwork()
  const { bridge } = await anUnpairedSession(network)
  expect((await call(bridge.id, "POST", "/restart")).status).toBe(204)
  expect(await statusOf(bridge.id)).toBe("unpaired")
})

test("replaced it stays, at whatever host, until the customer restarts it", async () => {
  const network = await aNetwork()
  const { bridge, host, end, isConnected } = await aPairedSession(network, calm)
  await end("replaced")
  await until(async () => (await statusOf(bridge.id)) === "replaced")
  await host.stop()
  const next = await aHost(network, calm)
  await held(bridge.id, next)
  await until(async () => (await statusOf(bridge.id)) === "replaced")
  expect(await isConnected()).toBe(false)
  const refused = await call(bridge.id, "POST", "/send/text", { body: { chat: "4915112345678", body: "x" } })
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"])
  expect(await refused.json()).toMatchObject({
    code: "session_unavailable",
    error: expect.stringContaining("taken over"),
  })

  expect((await call(bridge.id, "POST", "/restart")).status).toBe(204)
  await untilConnected(bridge.id)
  await eventsOfType(bridge.id, "connected", 2)
})

test("replaced, it can be logged out from here all the same", async () => {
  const network = await aNetwork()
  const { bridge, phone, end } = await aPairedSession(network, calm)
  await end("replaced")
  await until(async () => (await statusOf(bridge.id)) === "replaced")
  expect((await call(bridge.id, "DELETE", "/logout")).status).toBe(200)
  expect(await statusOf(bridge.id)).toBe("unpaired")
  await scanCode(phone, bridge.id)
  await untilConnected(bridge.id)
})
