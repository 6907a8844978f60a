import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join as joined } from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { join } from "#core/account/join.ts"
import { Member } from "#core/account/member.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { BridgeLog } from "#core/bridge/log.ts"
import { StreamPlace } from "#core/bridge/open-streams.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import type { Event } from "#core/contract/event.ts"
import { Delivery } from "#core/event/delivery-progress.ts"
import { RateLimit } from "#core/rate-limit.ts"
import { Host } from "#core/lease/host.ts"
import { Lease } from "#core/lease/lease.ts"
import { get as getRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { now } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { codeBlocks } from "#dashboard/pages/start.ts"
import { aHeldLease } from "#test/support/held-lease.ts"
import { anEvent, anOutbox } from "#test/support/session/outbox.ts"
import { aScriptedHost, sayJson } from "#test/support/session/scripted-host.ts"
import { aVisitor } from "#test/support/service/visitor.ts"

const anEmail = () => `${randomBytes(6).toString("hex")}@example.com`

/** Somebody who is signed in to an account of their own, with a number. */
async function aPerson(role?: Member.Role) {
  const email = anEmail()
  const { accountId, person } = await join(email)
  await Account.setSubscription(accountId, "active")
  const { bridge } = await Bridge.create({ accountId, customerRef: "shop" })
  if (role) {
    await Member.add(accountId, (await join(anEmail())).person, "owner")
    await Member.add(accountId, person, role)
  }
  const visitor = aVisitor()
  await visitor.post(`/sign-in/link/${await SignIn.print(email)}`)
  return { ...visitor, email, accountId, person, bridge }
}

const nobody = {
  about: "",
  business_address: "",
  business_email: "",
  business_name: "",
  first_name: "",
  full_name: "",
  is_business: false,
  jid: "",
  redacted_phone: "",
  registered: true,
  verified_name: "",
}

const pages = ["", "/connect", "/events", "/deliveries", "/log", "/settings", "/settings/secret"]
const streams = ["/stream", "/connect/stream", "/events/stream", "/deliveries/stream", "/log/stream"]
const acts = ["/connect", "/restart", "/deliveries/test", "/deliveries/resend", "/settings/webhook"]
const dangers = ["/settings/events", "/settings/unlink", "/settings/delete", "/settings/secret/roll"]
const ends = ["/settings/secret/finish", "/settings/pause", "/settings/wake"]

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

/** The first bytes of a stream, which is then closed. */
async function firstOf(answer: Response): Promise<string> {
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return Buffer.from(value ?? []).toString()
}

/** The events that a page's stream shows until there are this many; then it is cut. */
async function shownBy(answer: Response, count: number): Promise<{ ids: string[]; said: string }> {
  const reader = answer.body!.getReader()
  let said = ""
  const ids = () => [...said.matchAll(/^id: (.+)$/gm)].map(([, id]) => id!)
  while (ids().length < count) {
    const { value, done } = await reader.read()
    if (done) break
    said += Buffer.from(value).toString()
  }
  await reader.cancel()
  return { ids: ids(), said }
}

test("a page's stream that is cut goes on behind the event that was shown last, and shows none twice", async () => {
  const person = await aPerson()
  const outbox = await anOutbox(person.bridge)
  const ids = await outbox.write(...["a", "b", "c"].map(anEvent))
  const stream = "/numbers/shop/events/stream"
  const first = await shownBy(await person.get(`${stream}?from=0`), 2)
  expect(first.ids.slice(0, 2)).toEqual(ids.slice(0, 2))
  const again = await shownBy(await person.get(`${stream}?from=0`, { "last-event-id": ids[1]! }), 1)
  expect(again.ids).toEqual([ids[2]])
  // So far the page had looked, and nothing was to be shown.
  const looked = await shownBy(await person.get(`${stream}?from=0`, { "last-event-id": "after_2" }), 1)
  expect(looked.ids).toEqual([ids[2]])
  const later = person.get(`${stream}?from=3&search=LATE`)
  await outbox.write(anEvent("other"), anEvent("late"))
  expect((await shownBy(await later, 1)).said).toContain("late")
})

test("twelve of a hundred tabs are live, the others are told to come back, and a closed one makes room", async () => {
  const person = await aPerson()
  const stream = "/numbers/shop/events/stream?from=0"
  const tabs = await Promise.all(Array.from({ length: 100 }, () => person.get(stream)))
  const open = tabs.filter(({ status }) => status === 200)
  const refused = tabs.filter(({ status }) => status === 429)
  expect([open.length, refused.length]).toEqual([12, 88])
  expect(refused[0]!.headers.get("retry-after")).toBe("3")
  expect((await (await aPerson()).get(stream)).status).toBe(200)
  expect((await person.get("/numbers/shop/events")).status).toBe(200)
  await Promise.all(open.map((tab) => tab.body!.cancel()))
  await vi.waitFor(async () => expect((await person.get(stream)).status).toBe(200), 5000)
})

test("a tab that goes from page to page takes its own place over, of whose stream nobody heard that it was closed", async () => {
  const person = await aPerson()
  const open = async (part: string) => (await person.get(`/numbers/shop/events/stream?from=0${part}`)).status
  for (let i = 0; i < 15; i++) expect(await open("&part=1111-2222-0")).toBe(200)
  for (let i = 0; i < 11; i++) expect(await open("")).toBe(200)
  expect(await open("")).toBe(429)
  expect(await open("&part=1111-2222-0")).toBe(200)
  expect(await open("&part=1111-2222-1")).toBe(429)

  const of = randomBytes(6).toString("hex")
  const before = (await StreamPlace.take(of, 2, "mine"))!
  const another = (await StreamPlace.take(of, 2, "another"))!
  const after = (await StreamPlace.take(of, 2, "mine"))!
  expect(await Promise.all([before, another, after].map(StreamPlace.keep))).toEqual([false, true, true])
  // The one before goes later, and takes nothing with it.
  await StreamPlace.leave(before)
  expect(await StreamPlace.keep(after)).toBe(true)
})

test("a part that is loaded over and over keeps one stream, and is told to wait when it is a person's three hundredth in a minute", async () => {
  const person = await aPerson()
  const open = async () => await person.get("/numbers/shop/events/stream?from=0&part=1111-2222-0")
  const first = (await open()).body!.getReader()
  expect((await open()).status).toBe(200)
  // The first one ends by itself, long before its minute is over.
  while (!(await first.read()).done);
  await Promise.all(Array.from({ length: 300 }, () => RateLimit.count("pageStreams", person.person.id)))
  const refused = await open()
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"])
  expect((await (await aPerson()).get("/numbers/shop/events/stream?from=0")).status).toBe(200)
})

test("the operator finds a number, sees what waits, pauses and wakes it after a fresh sign-in, and never past a bill", async () => {
  const customer = await aPerson()
  const bridgeId = customer.bridge.id
  await (await anOutbox(customer.bridge)).write(anEvent("waits"))
  await Delivery.wake(bridgeId)
  for (const path of ["/operator", `/operator/find?id=${bridgeId}`])
    expect([path, (await customer.get(path)).status]).toEqual([path, 403])
  expect((await customer.post("/operator/pause", { id: bridgeId })).status).toBe(403)

  const person = await aPerson()
  await Account.makeOperator(person.accountId)
  const state = async () => {
    const lease = await Lease.get(bridgeId)
    return lease?.host === Lease.NONE ? lease.reason : "running"
  }
  const act = async (name: string) => (await person.post(`/operator/${name}`, { id: bridgeId })).status
  expect(await (await person.get("/operator")).text()).toContain(bridgeId)
  const found = await (await person.get(`/operator/find?id=${bridgeId}`)).text()
  expect(found).toContain(`${customer.email}</a>`)
  expect(found).toContain('action="/operator/pause"')
  expect(await (await person.get(`/operator/find?id=${customer.accountId}`)).text()).toContain(bridgeId)
  expect((await person.get("/operator/find?id=nothing")).status).toBe(404)
  const steps = [
    ["pause", 303, "manual"],
    ["pause", 409, "manual"],
    ["wake", 303, "running"],
    ["suspend", 303, "suspended"],
    ["wake", 409, "suspended"],
    ["resume", 303, "running"],
  ] as const
  for (const [name, status, after] of steps)
    expect([name, await act(name), await state()]).toEqual([name, status, after])
  await Lease.stop(bridgeId, "billing")
  for (const name of ["pause", "wake"])
    expect([name, await act(name), await state()]).toEqual([name, 409, "billing"])
  expect(await (await person.get(`/operator/find?id=${bridgeId}`)).text()).not.toContain("/operator/wake")
  await Lease.wake(bridgeId, "billing")
  await Lease.stopForCustomer(bridgeId)
  expect(await act("pause")).toBe(409)
  expect(await (await person.get(`/operator/find?id=${bridgeId}`)).text()).not.toContain("/operator/wake")
  expect(await act("suspend")).toBe(303)

  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    vi.setSystemTime(Date.now() + 11 * 60_000)
    const led = await person.post("/operator/suspend", { id: bridgeId })
    expect(led.headers.get("location")).toMatch(/^\/sign-in/)
    expect(await state()).toBe("suspended")
  } finally {
    vi.useRealTimers()
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
  await person.post("/keys", { name: evil, may: "read" })
  expect(await (await person.get("/keys")).text()).not.toContain("<script>alert")
})

test("events are found by type, direction, chat and text, and each filter is a link", async () => {
  const person = await aPerson()
  const outbox = await anOutbox(person.bridge)
  const own = { ...anEvent("I wrote this"), from_me: true } as Event
  await outbox.write(anEvent("from Ada"), own, { event: "connected", phone: "1" })
  const shown = async (query: string) => {
    const text = await (await person.get(`/numbers/shop/events?${query}`)).text()
    return ["from Ada", "I wrote this", "+1</b>"].filter((one) => text.includes(one))
  }
  expect(await shown("")).toHaveLength(3)
  expect(await shown("direction=out")).toEqual(["I wrote this"])
  expect(await shown("search=ADA&direction=in")).toEqual(["from Ada"])
  expect(await shown("type=connected&chat=")).toEqual(["+1</b>"])
  expect(await shown("chat=491711234567&type=")).toEqual(["from Ada", "I wrote this"])
})

test("a key is for everything, for reading or for one number, and the list says when it was used", async () => {
  const person = await aPerson()
  const make = async (may: string) => await (await person.post("/keys", { name: may, may })).text()
  for (const may of ["all", "read", "bridge:shop", "nonsense"]) expect(await make(may)).toMatch(/mbk_\w{51}/)
  expect(await make("bridge:nobody")).not.toMatch(/mbk_\w{51}/)
  const scopes = (await ApiKey.list(person.accountId)).map(
    ({ name, scope, bridge }) => `${name}: ${scope} ${bridge?.customerRef ?? ""}`,
  )
  expect(scopes.toSorted()).toEqual([
    "all: all ",
    "bridge:shop: bridge shop",
    "nonsense: read ",
    "read: read ",
  ])
  expect(await (await person.get("/keys")).text()).toContain("never")
})

test("a secret is replaced while both sign, until that is ended", async () => {
  const person = await aPerson()
  const before = await Bridge.secretOf(person.bridge)
  const rolled = await (await person.post("/numbers/shop/settings/secret/roll")).text()
  const bridge = await Bridge.get(person.accountId, "shop")
  const secret = await Bridge.secretOf(bridge)
  expect(secret).not.toBe(before)
  expect(rolled.replaceAll("&#x2F;", "/")).toContain(secret)
  expect(await WebhookSecret.of(bridge)).toEqual([secret, before])
  expect((await person.post("/numbers/shop/settings/secret/roll")).status).toBe(409)
  const page = await (await person.get("/numbers/shop/settings")).text()
  expect(page).toContain("Finish now")
  expect(page.replaceAll("&#x2F;", "/")).not.toContain(secret)
  await person.post("/numbers/shop/settings/secret/finish")
  expect(await WebhookSecret.of(await Bridge.get(person.accountId, "shop"))).toEqual([secret])
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
  const secret = await Bridge.secretOf(viewer.bridge)
  for (const path of pages) {
    const answer = await viewer.get(`/numbers/shop${path}`)
    expect([path, answer.status]).toEqual([path, 200])
    expect(await answer.text()).not.toContain(secret)
  }
  for (const path of [...acts, ...dangers, ...ends])
    expect((await viewer.post(`/numbers/shop${path}`, { confirm: "shop" })).status).toBe(403)
  expect((await viewer.post("/keys", { name: "x" })).status).toBe(403)
  expect((await viewer.post("/account/invite", { email: anEmail(), role: "owner" })).status).toBe(403)
  expect((await viewer.post("/account/sign-out", { browser: "x" })).status).toBe(303)
})

test("a secret is shown only after a fresh sign-in, a key once, and no page may be framed or run a script of others", async () => {
  const person = await aPerson()
  const secret = await Bridge.secretOf(person.bridge)
  expect(await (await person.get("/numbers/shop/settings")).text()).not.toContain(secret)
  const shown = await person.get("/numbers/shop/settings/secret")
  expect((await shown.text()).replaceAll("&#x2F;", "/")).toContain(secret)
  expect(shown.headers.get("cache-control")).toBe("no-store")
  const policy = shown.headers.get("content-security-policy")
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toContain("unsafe")
  expect(policy).toContain("frame-ancestors 'none'")

  const made = await (await person.post("/keys", { name: "<b>mine</b>" })).text()
  expect(made).toMatch(/mbk_\w{12}_\w{38}/)
  const later = await (await person.get("/keys")).text()
  expect(later).not.toMatch(/mbk_\w{12}_\w{38}/)
  expect(later).not.toContain("<b>mine")
})

test("what gives events or secrets away, or cannot be undone, asks for a fresh sign-in, and what was typed is there behind it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const person = await aPerson()
    const elsewhere = "https://shop.example/hook?a=1&b=%20"
    vi.setSystemTime(Date.now() + 11 * 60_000)
    const typed = [
      ["/numbers/shop/settings", "/webhook", { webhook_url: elsewhere }, elsewhere.replace("&", "&amp;")],
      ["/keys", "", { name: 'My "shop"', may: "bridge:shop" }, "My &quot;shop&quot;"],
      ["/account", "/invite", { email: "them@example.com", role: "viewer" }, "them@example.com"],
    ] as const
    for (const [page, form, fields, shown] of typed) {
      const led = (await person.post(page + form, fields)).headers.get("location") ?? ""
      expect(new URL(led, "http://localhost").pathname).toBe("/sign-in")
      // Another page leaves it alone; its own page takes it.
      await person.get("/usage")
      const pageSays = async () => (await (await person.get(page)).text()).replaceAll("&#x2F;", "/")
      expect(await pageSays()).toContain(`value="${shown}"`)
      expect(await pageSays()).not.toContain(`value="${shown}"`)
    }
    const ends = ["secret/finish", "unlink", "delete"]
    for (const end of ends) {
      const led = await person.post(`/numbers/shop/settings/${end}`, { confirm: "shop" })
      expect(led.headers.get("location")).toMatch(/^\/sign-in\?next=%2Fnumbers%2Fshop%2Fsettings&/)
    }
    const role = await person.post("/account/role", { person: person.person.id, as: "viewer" })
    expect(role.headers.get("location")).toMatch(/^\/sign-in/)
    expect((await Bridge.get(person.accountId, "shop")).webhookUrl).toBe("")
    expect(await ApiKey.list(person.accountId)).toEqual([])
    expect(await Member.invitations(person.accountId)).toEqual([])

    // Nobody else reads it in the same browser.
    await person.post("/numbers/shop/settings/webhook", { webhook_url: elsewhere })
    const draft = person.jar.get("draft")!
    const other = await aPerson()
    other.jar.set("draft", draft)
    expect(await (await other.get("/numbers/shop/settings")).text()).not.toContain("shop.example")
    // Nor does its own person, for a number of another account that has the same name.
    await Member.add(other.accountId, person.person, "owner")
    await person.post("/accounts/turn", { account: other.accountId })
    expect(person.jar.get("draft")).toBe(draft)
    expect(await (await person.get("/numbers/shop/settings")).text()).not.toContain("shop.example")
    await person.post("/accounts/turn", { account: person.accountId })
    // An invitation that is withdrawn is nothing that was typed, and a browser would drop a cookie that is too long.
    await person.post("/account/withdraw", { email: "late@example.com" })
    expect(await (await person.get("/account")).text()).not.toContain("late@example.com")
    await person.post("/numbers/shop/settings/webhook", { webhook_url: elsewhere + "/".repeat(1000) })
    expect(person.jar.has("draft")).toBe(false)
    await person.post(`/sign-in/link/${await SignIn.print(person.email)}`)
    expect((await person.post("/numbers/shop/settings/webhook", { webhook_url: elsewhere })).status).not.toBe(
      303,
    )
  } finally {
    vi.useRealTimers()
  }
})

test("an owner invites and removes, a member does not", async () => {
  const owner = await aPerson()
  const email = anEmail()
  await owner.post("/account/invite", { email, role: "member" })
  const link = `/sign-in/link/${await SignIn.print(email)}`
  const invited = aVisitor()
  await invited.post(link)
  await invited.post("/accounts/join", { account: owner.accountId })
  expect(await (await invited.get("/account")).text()).toContain(owner.email)
  expect((await invited.post("/account/invite", { email: anEmail(), role: "owner" })).status).toBe(403)
  const { person } = await join(email)
  const roleOf = async (id: string) =>
    (await Member.list(owner.accountId)).find(({ personId }) => personId === id)?.role
  const change = (by: typeof invited, id: string, as: string) => by.post("/account/role", { person: id, as })
  expect((await change(invited, person.id, "owner")).status).toBe(403)
  expect((await change(owner, person.id, "viewer")).status).toBe(303)
  expect((await invited.post("/keys", { name: "x" })).status).toBe(403)
  for (const [id, as] of [
    [person.id, "king"],
    [(await join(anEmail())).person.id, "owner"],
    [owner.person.id, "member"],
  ] as const)
    expect(await (await change(owner, id, as)).text()).toContain("Not changed")
  expect([await roleOf(person.id), await roleOf(owner.person.id)]).toEqual(["viewer", "owner"])
  // Of two owners who take each other's role at once, one stays.
  expect((await change(owner, person.id, "owner")).status).toBe(303)
  await Promise.all([change(owner, person.id, "member"), change(invited, owner.person.id, "member")])
  const owners = (await Member.list(owner.accountId)).filter(({ role }) => role === "owner")
  expect(owners).toHaveLength(1)
  await Member.add(owner.accountId, owner.person, "owner")

  await owner.post("/account/remove", { person: person.id })
  expect((await invited.get("/numbers")).headers.get("location")).toBe("/accounts?next=%2Fnumbers")
})

test("an account's name is its owners' to choose, strangers read it where a phone is linked, and never an address", async () => {
  const owner = await aPerson()
  const { token } = await LinkSession.create(owner.bridge, {})
  const linkPage = async () => await (await aVisitor().get(`/link/${token}`)).text()
  expect(await linkPage()).not.toContain(owner.email)
  expect(await linkPage()).toContain("Those who sent you here")

  const unseen = ["\u200b", "\u3164 \u2800", `Ada <${anEmail()}>`, "ada\uff20example.com"]
  for (const wrong of ["", "  ", owner.email, "x".repeat(65), "The \u202eshop", "The\0shop", ...unseen]) {
    const refused = await (await owner.post("/account/rename", { name: wrong })).text()
    expect([wrong, /class="note bad"/.test(refused)]).toEqual([wrong, true])
  }
  expect((await Account.get(owner.accountId))?.name).toBe(owner.email)
  const name = "<b>The</b> shop & Söhne"
  const answer = await owner.post("/account/rename", { name: `  ${name.replace(" ", "\n ")} ` })
  expect(answer.status).toBe(303)
  expect((await Account.get(owner.accountId))?.name).toBe(name)
  expect(await linkPage()).toContain("&lt;b&gt;The&lt;")

  const email = anEmail()
  await Member.add(owner.accountId, (await join(email)).person, "member")
  const member = aVisitor()
  await member.post(`/sign-in/link/${await SignIn.print(email)}`)
  await member.post("/accounts/turn", { account: owner.accountId })
  expect((await member.post("/account/rename", { name: "Mine" })).status).toBe(403)
  expect((await Account.get(owner.accountId))?.name).toBe(name)
})

test("a fault in a form is said in words beside it, and what was typed stays", async () => {
  const person = await aPerson()
  const answer = await person.post("/new-number", { customer_ref: "my shop", webhook_url: "ftp://x" })
  expect(answer.status).toBe(400)
  const page = await answer.text()
  expect(page).toContain("1 to 64 letters")
  expect(page).toContain('value="my shop"')
  expect((await person.post("/numbers/shop/connect", { phone: "12" })).status).toBe(400)
  expect((await person.post("/numbers/shop/settings/webhook", { webhook_url: "nonsense" })).status).toBe(400)
  expect(
    (await person.get("/numbers/shop/events?chat=%00%ff&type=nonsense&before=evt_x")).status,
  ).toBeLessThan(500)
  expect((await person.get(`/numbers/${"x".repeat(2000)}`)).status).toBe(404)
})

test("the log finds a line behind many others, and its stream goes on behind the page and behind a break", async () => {
  const folder = mkdtempSync(joined(tmpdir(), "bridge-logs-"))
  config.LOG_DIR = folder
  onTestFinished(() => {
    delete config.LOG_DIR
    rmSync(folder, { recursive: true })
  })
  const person = await aPerson()
  const log = (level: BridgeLog.Level, ...texts: string[]) => {
    for (const text of texts) BridgeLog.append(person.bridge.id, level, text)
  }
  const plain = Array.from({ length: 2000 }, (_, i) => `plain ${i} ${"ä".repeat(50)}`)
  log("error", "the cause <b>")
  log("info", ...plain)
  const page = await (await person.get("/numbers/shop/log?level=ERROR")).text()
  expect(page.match(/<li class="level-/g)).toHaveLength(1)
  expect(page).toMatch(
    /<time datetime="\S+Z" title="\S+Z" data-local>[^<]+<\/time> ERROR the cause &lt;b&gt;/,
  )
  const whole = await (await person.get("/numbers/shop/log")).text()
  const shown = [...whole.matchAll(/<li class="level-INFO" data-into="log">.*? INFO (.*?)<\/li>/g)]
  expect(shown.map(([, text]) => text)).toEqual(plain.slice(-300))

  const stream = /data-stream="([^"]+)"/.exec(whole)![1]!.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/")
  log("info", "between")
  const first = await shownBy(await person.get(stream), 1)
  expect(first.said).toContain("INFO between")
  expect(first.said).not.toContain("plain")
  log("warn", "in the break")
  const again = await shownBy(await person.get(`${stream}&after=${first.ids[0]}`), 1)
  expect(again.said).toContain("WARN in the break")
  expect(again.said).not.toContain("between")
  // A page of an earlier release says no place.
  const old = await person.get("/numbers/shop/log/stream")
  log("info", "later")
  expect((await shownBy(old, 1)).said).not.toContain("plain")
})

test("a session that is not heard is uncertain, then lost, and the page says for how long, also once its host is gone", async () => {
  const person = await aPerson()
  const held = await aHeldLease(person.bridge.id)
  await Host.beat({ id: held.host, addr: held.addr, capacity: 1, sessions: 1, network: "simulated" })
  await Lease.tell(held, { status: "connected", since: now() - 600, epoch: held.epoch })
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"] })
  const shown = async (laterMs: number) => {
    vi.setSystemTime(Date.now() + laterMs)
    return (await (await person.get("/numbers/shop")).text()).replaceAll("&quot;", '"')
  }
  for (const [laterMs, word] of [
    [20_000, "Uncertain"],
    [30_000, "Lost"],
  ] as const) {
    const page = await shown(laterMs)
    expect(page).toContain(`>${word}</span>`)
    expect(page).toMatch(/no word from the host for <span data-age="\d+"/)
    expect(page).toContain('The last word was "connected".')
  }
  // Its host beats, which says nothing about the session.
  await Host.beat({ id: held.host, addr: held.addr, capacity: 1, sessions: 1, network: "simulated" })
  expect(await shown(1000)).toContain(">Lost</span>")
  const { version } = (await Host.get(held.host))!
  await Lease.freeFromDead([held], { key: Host.key(held.host), seenVersion: version })
  const gone = await shown(1000)
  expect(gone).toContain(">Lost</span>")
  expect(gone).toContain("Its session host is gone.")
  // The next session moves as planned, and has told nothing new.
  const next = (await Lease.take((await Lease.get(held.bridgeId))!, { id: held.host, addr: held.addr }))!
  await Lease.letGo(next)
  expect(await shown(0)).not.toContain("Its session host is gone.")
})

test("a number that waits for its first session starts, and one that its operator or billing has paused says who wakes it", async () => {
  const person = await aPerson()
  const page = async () => await (await person.get("/numbers/shop")).text()
  expect(await page()).toContain(">Starting</span>")
  await Lease.stop(person.bridge.id, "manual")
  expect(await page()).toContain("The operator of this service has paused it: ask them to wake it.")
  await Lease.stop(person.bridge.id, "billing")
  const billed = await page()
  expect(billed).toContain("Settle it with them: then they wake it.")
  expect(billed).not.toContain("/subscription")
})

test("where the sandbox's phone cannot be used, the first page says so, names its number, and leads to a receiver on the internet", async () => {
  config.SANDBOX = true
  onTestFinished(() => void (config.SANDBOX = false))
  const person = await aPerson()
  const host = await aScriptedHost(({ path }, response) => {
    const contact = { ...nobody, name: "Echo", phone: "15550002" }
    const status = { status: "connected", jid: "", lid: "", name: "", phone: "15550001" }
    sayJson(response, 200, path === "/contacts" ? [contact] : status)
  })
  const page = async () => (await (await person.get("/")).text()).replaceAll("&#x2F;", "/")
  expect(await page()).toContain("Its number is here once the sandbox is linked")
  await host.take((await Bridge.get(person.accountId, "sandbox")).id)
  const linked = await page()
  expect(linked).toContain("+15550002, somebody who writes to you")
  expect(linked).toContain("This phone cannot be used from here.")
  expect(linked).toContain("&quot;chat&quot;:&quot;15550002&quot;")
  const places = { baseUrl: "https://bridge.example.com", contact: "15550002" }
  const elsewhere = String(await codeBlocks({ ...places, isReceiverHere: false }))
  expect(elsewhere).toContain("Put the receiver where the internet can reach it")
  expect(elsewhere).not.toContain("http://127.0.0.1")
  expect(await (await person.post("/sandbox/call")).text()).toContain("This phone cannot be used from here.")
})

test("a number is paused and woken by its own people, but not woken when its operator has paused it", async () => {
  const person = await aPerson()
  const reason = async () => (await Lease.get(person.bridge.id))?.reason ?? "runs"
  const settings = "/numbers/shop/settings"
  const told = async (act: string) => await (await person.post(`${settings}/${act}`)).text()
  expect(await told("pause")).toContain("It is paused.")
  expect(await reason()).toBe("customer")
  expect(await (await person.get("/numbers/shop")).text()).toContain(`href="/numbers/shop/settings">Wake it`)
  const key = await ApiKey.create(person.accountId, "test")
  const asked = await person.get("/api/instances/shop", { authorization: `Bearer ${key}` })
  expect(await asked.json()).toMatchObject({ state: "paused", paused_reason: "manual" })
  const called = await person.get("/api/instances/shop/proxy/status", { authorization: `Bearer ${key}` })
  expect([called.status, await called.text()]).toEqual([409, expect.stringContaining("in its settings")])
  expect(await told("wake")).toContain("It starts again")
  expect(await reason()).toBe("runs")
  for (const other of ["manual", "billing", "suspended"] as const) {
    await Lease.stop(person.bridge.id, other)
    for (const act of ["pause", "wake"]) expect((await person.post(`${settings}/${act}`)).status).toBe(409)
    expect(await reason()).toBe(other)
    expect(await (await person.get(settings)).text()).not.toContain("/settings/wake")
  }
  await Lease.wake(person.bridge.id, "suspended")
  expect(await reason()).toBe("runs")
})

test("a number that its people have paused stays paused when its operator has stopped it too and lets it run again", async () => {
  const person = await aPerson()
  const { id } = person.bridge
  const reason = async () => (await Lease.get(id))?.reason ?? "runs"
  const settings = "/numbers/shop/settings"
  await person.post(`${settings}/pause`)
  // An earlier release knows this reason, and not the ones that came later.
  expect(await getRow(tables.leases, Lease.key(id))).toMatchObject({ reason: "manual", by_customer: true })
  expect(await Lease.wake(id, "manual", "billing", "idle")).toBe(false)
  for (const stopped of ["manual", "suspended"] as const) {
    await Lease.stop(id, stopped)
    expect(await reason()).toBe(stopped)
    expect((await person.post(`${settings}/wake`)).status).toBe(409)
    expect(await Lease.wake(id, stopped)).toBe(true)
    expect(await reason()).toBe("customer")
  }
  expect((await person.post(`${settings}/wake`)).status).toBe(200)
  expect(await reason()).toBe("runs")
  await Lease.stop(id, "manual")
  expect(await Lease.wake(id, "manual")).toBe(true)
  expect(await reason()).toBe("runs")
})
