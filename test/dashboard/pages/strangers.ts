import "#test/support/store.ts"
import { expect, onTestFinished, test } from "vitest"
import type { Event } from "#contract/event.ts"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Member } from "#core/account/member.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { config } from "#core/platform/config.ts"
import { app } from "#test/support/service/app.ts"
import { anAddress, at } from "#test/support/service/customer.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { aPerson, acts, anEmail, dangers, ends, firstOf, pages, shownBy, streams } from "./person.ts"

test("another account's number is not there, on any page, stream or form", async () => {
  const owner = await aPerson()
  const stranger = await aPerson()
  await Bridge.create({ accountId: owner.accountId, customerRef: "theirs" })
  for (const path of [...pages, ...streams]) {
    const answer = await stranger.get(`/numbers/theirs${path}`)
    expect([path, answer.status]).toEqual([path, 404])
  }
  for (const path of [...acts, ...dangers, ...ends]) {
    const answer = await stranger.post(`/numbers/theirs${path}`, { confirm: "theirs" })
    expect([path, answer.status]).toEqual([path, 404])
  }
  expect(await Bridge.list(owner.accountId)).toHaveLength(2)
  const key = await ApiKey.create(owner.accountId, "theirs")
  await stranger.post(`/keys/${key.slice(4, 16)}/revoke`)
  expect(await ApiKey.list(owner.accountId)).toHaveLength(1)
  await stranger.post("/account/remove", { person: owner.person.id })
  await stranger.post("/accounts/turn", { account: owner.accountId })
  expect(await (await stranger.get("/account")).text()).not.toContain(owner.email)
  // A number that the stranger has, with an event of the owner's.
  const [id] = await (await anOutbox(owner.bridge)).write(anEvent("for the owner"))
  for (const path of [`/numbers/shop/events/${id}`, "/numbers/shop/events", "/numbers/shop/events/stream"]) {
    const answer = await stranger.get(path, { "last-event-id": id! })
    const said = path.endsWith("stream") ? await firstOf(answer) : await answer.text()
    expect(said).not.toContain("for the owner")
  }
  for (const act of ["resend", "retry", "skip"])
    expect((await stranger.post(`/numbers/shop/events/${id}/${act}`)).status).toBe(404)
  expect(await (await stranger.get("/usage?number=theirs")).text()).not.toContain("theirs")
})

test("an id that nothing can have is not there, on any page and in any form", async () => {
  const person = await aPerson()
  const long = "x".repeat(3000)
  for (const path of [
    `/numbers/shop/events/${long}`,
    `/numbers/${long}`,
    `/link/${long}`,
    `/sign-in/link/${long}`,
  ])
    expect([path.slice(0, 30), (await person.get(path)).status]).toEqual([path.slice(0, 30), 404])
  const forms = [
    [`/keys/${long}/revoke`, {}],
    ["/account/sign-out", { browser: long }],
    ["/account/remove", { person: long }],
    ["/account/withdraw", { email: long }],
    ["/account/passkeys/remove", { passkey: long }],
    ["/accounts/decline", { account: long }],
  ] as const
  for (const [path, form] of forms)
    expect([path.slice(0, 30), (await person.post(path, form)).status]).toEqual([path.slice(0, 30), 404])
})

test("a number rings ten phones in a quarter of an hour, from its page, its links and the API together", async () => {
  const person = await aPerson()
  const key = await ApiKey.create(person.accountId, "till")
  const { token } = await LinkSession.create(person.bridge, {})
  const ring = async (i: number) => {
    const phone = `+4917100000${10 + i}`
    if (i % 3 === 0) return await person.post("/numbers/shop/connect", { phone })
    if (i % 3 === 1) return await aVisitor().post(`/link/${token}`, { phone })
    return await app.request("/api/instances/shop/proxy/pair", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ phone }),
    })
  }
  // No host runs here: each try was counted all the same.
  const tries = await Promise.all(Array.from({ length: 10 }, (_, i) => ring(i)))
  for (const { status } of tries) expect(status).not.toBe(429)
  for (const i of [0, 1, 2]) expect((await ring(i)).status).toBe(429)
  expect(await (await ring(0)).text()).toMatch(/Try again in \d+ min/)
})

test("a program that calls too often shuts no visitor of its address out of the pages, and gets one itself", async () => {
  const address = anAddress()
  for (let i = 0; i < 300; i++) await app.request("/api/instances", {}, at(address))
  expect((await app.request("/api/instances", {}, at(address))).status).toBe(429)
  const visitor = aVisitor(address)
  expect((await visitor.get("/sign-in")).status).toBe(200)
  await Promise.all(Array.from({ length: 300 }, () => visitor.get("/sign-in")))
  const refused = await visitor.get("/sign-in")
  expect([refused.status, refused.headers.get("content-type")]).toEqual([429, "text/html; charset=UTF-8"])
  expect(await refused.text()).toMatch(/Too much at once[^]+Try again in \d+ (s|min)\./)
})

test("a visitor who comes too often is told so, in a link page's language, and shown a way home, if any", async () => {
  const address = anAddress()
  const person = await aPerson(undefined, address)
  const { token } = await LinkSession.create(person.bridge, {})
  await Promise.all(Array.from({ length: 300 }, () => person.get("/sign-in")))
  for (const path of ["/usage", "/nowhere"]) {
    const refused = await person.get(path, { accept: "text/html" })
    expect([path, refused.status]).toEqual([path, 429])
    expect(await refused.text()).toContain('href="/usage"')
  }
  const refused = await aVisitor(address).get(`/link/${token}`, { "accept-language": "de" })
  const page = await refused.text()
  expect([refused.status, page.includes("Go to")]).toEqual([429, false])
  expect(page).toMatch(/lang="de"[^]+Zu viel auf einmal[^]+in \d+ (s|min) noch einmal/)
})

test("whatever is refused on a link page is said in its visitor's language, and leads to no sign-in", async () => {
  const person = await aPerson()
  const { token } = await LinkSession.create(person.bridge, {})
  const at = `/link/${token}`
  const german = { "accept-language": "de" }
  const answers = await Promise.all([
    aVisitor().post(at, { phone: "+4915112345678" }, { ...german, origin: "https://evil.example" }),
    aVisitor().get(`${at}/nothing`, { ...german, accept: "text/html" }),
    aVisitor().post(at, { phone: "1".repeat(2_000_000) }, german),
  ])
  expect(answers.map(({ status }) => status)).toEqual([403, 404, 413])
  for (const answer of answers) {
    const page = await answer.text()
    expect([page.includes('lang="de"'), page.includes('href="/"')]).toEqual([true, false])
  }
})

test("names and texts with markup, marks of direction and 64 KB harm no page", async () => {
  const person = await aPerson()
  const evil = `"><script>alert(1)</script>\u202e\u2066<img src=x onerror=alert(1)>`
  const huge = "x".repeat(65_536)
  const outbox = await anOutbox(person.bridge)
  const [id] = await outbox.write(
    { ...anEvent(evil), name: evil } as Event,
    {
      ...anEvent(huge),
      name: huge,
      chat_id: evil,
    } as Event,
  )
  const paths = ["/numbers/shop/events", `/numbers/shop/events/${id}`, "/numbers/shop/deliveries"]
  for (const path of [...paths, `/numbers/shop/events?${new URLSearchParams({ search: evil }).toString()}`]) {
    const text = await (await person.get(path)).text()
    expect(text).not.toContain("<script>alert")
    expect(text).not.toContain("<img src=x")
  }
  const { said } = await shownBy(await person.get("/numbers/shop/events/stream?from=0"), 2)
  expect(said).not.toContain("<script>alert")
  await person.post("/keys", { name: evil, may: "read", numbers: "*" })
  expect(await (await person.get("/keys")).text()).not.toContain("<script>alert")
})

test("a visitor who is not signed in is led to the sign-in, and forms do nothing", async () => {
  const visitor = aVisitor()
  for (const path of [
    "/",
    "/numbers",
    "/numbers/shop",
    "/keys",
    "/account",
    "/operator",
    "/dev/mail",
    "/live/sandbox",
  ]) {
    const answer = await visitor.get(path)
    expect([path, answer.status]).toEqual([path, 302])
    expect(answer.headers.get("location")).toMatch(/^\/sign-in/)
  }
  expect((await visitor.post("/keys", { name: "x" })).headers.get("location")).toBe("/sign-in")
})

test("a viewer reads everything but secrets, and changes nothing", async () => {
  const viewer = await aPerson("viewer")
  const secret = (await WebhookSecret.ofBridge(viewer.bridge.id)).secrets[0]
  for (const path of pages) {
    const answer = await viewer.get(`/numbers/shop${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    expect(await answer.text()).not.toContain(secret)
  }
  for (const path of [...acts, ...dangers, ...ends])
    expect((await viewer.post(`/numbers/shop${path}`, { confirm: "shop" })).status).toBe(403)
  expect((await viewer.post("/keys", { name: "x" })).status).toBe(403)
  expect((await viewer.get("/new-number")).status).toBe(403)
  config.SANDBOX = true
  onTestFinished(() => void (config.SANDBOX = false))
  const start = await (await viewer.get("/")).text()
  expect(start.match(/data-stream=/g)).toHaveLength(1)
  for (const step of ["Add a number", "For your program", "Write to it"]) expect(start).not.toContain(step)
  expect((await viewer.post("/account/invite", { email: anEmail(), role: "owner" })).status).toBe(403)
  expect((await viewer.post("/account/sign-out", { browser: "x" })).status).toBe(303)
})

async function askingOwners(accountId: string): Promise<string> {
  const owners = (await Member.list(accountId)).filter(({ role }) => role === "owner")
  return `: ask ${owners.map(({ email }) => `<a href="mailto:${email}">${email}</a>`).join(" or ")}.`
}

test("what a role does not allow says which owners are asked for it, by mail", async () => {
  const [viewer, member] = [await aPerson("viewer"), await aPerson("member")]
  await Member.add(viewer.accountId, (await findOrOpenAccount(anEmail())).person, "owner")
  const [theirs, others] = [await askingOwners(viewer.accountId), await askingOwners(member.accountId)]
  expect([theirs, others].map((asking) => asking.match(/mailto/g)?.length)).toEqual([2, 1])
  for (const path of ["connect", "link-page", "settings", "webhooks"].map((tab) => `/numbers/shop/${tab}`))
    expect(await (await viewer.get(path)).text()).toContain(theirs)
  for (const path of ["/keys", "/new-number"]) expect(await (await viewer.get(path)).text()).toContain(theirs)
  for (const path of ["/account", "/account/audit-log", "/account/delete"])
    expect(await (await member.get(path)).text()).toContain(others)
  expect(await (await member.post("/account/rename", { name: "x" })).text()).toContain(others)
})
