import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { join } from "#core/account/join.ts"
import { Member } from "#core/account/member.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
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

const pages = ["", "/connect", "/events", "/deliveries", "/log", "/settings", "/settings/secret"]
const streams = ["/stream", "/connect/stream", "/events/stream", "/deliveries/stream", "/log/stream"]
const acts = ["/connect", "/restart", "/deliveries/test", "/deliveries/resend", "/settings/webhook"]
const dangers = ["/settings/events", "/settings/unlink", "/settings/delete"]

test("another account's number is not there, on any page, stream or form", async () => {
  const owner = await aPerson()
  const stranger = await aPerson()
  await Bridge.create({ accountId: owner.accountId, customerRef: "theirs" })
  for (const path of [...pages, ...streams]) {
    const answer = await stranger.get(`/numbers/theirs${path}`)
    expect([path, answer.status]).toEqual([path, 404])
  }
  for (const path of [...acts, ...dangers]) {
    const answer = await stranger.post(`/numbers/theirs${path}`, { confirm: "theirs" })
    expect([path, answer.status]).toEqual([path, 404])
  }
  expect(await Bridge.list(owner.accountId)).toHaveLength(2)
  const key = await ApiKey.create(owner.accountId, "theirs")
  await stranger.post(`/keys/${key.slice(4, 16)}/revoke`)
  expect(await ApiKey.list(owner.accountId)).toHaveLength(1)
  await stranger.post("/account/remove", { person: owner.person.id })
  await stranger.post("/account/switch", { account: owner.accountId })
  expect(await (await stranger.get("/account")).text()).not.toContain(owner.email)
})

test("whoever is not signed in is led to the sign-in, and forms do nothing", async () => {
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
  for (const path of [...acts, ...dangers])
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

test("an owner invites and removes, a member does not", async () => {
  const owner = await aPerson()
  const email = anEmail()
  await owner.post("/account/invite", { email, role: "member" })
  const link = `/sign-in/link/${await SignIn.print(email)}`
  const invited = aVisitor()
  await invited.post(link)
  expect(await (await invited.get("/account")).text()).toContain(owner.email)
  expect((await invited.post("/account/invite", { email: anEmail(), role: "owner" })).status).toBe(403)
  const { person } = await join(email)
  await owner.post("/account/remove", { person: person.id })
  expect((await invited.get("/numbers")).status).toBe(403)
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
