import "#test/support/store.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Member } from "#core/account/member.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { updateRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { app } from "#test/support/service/app.ts"
import { at } from "#test/support/service/customer.ts"
import { until } from "#test/support/until.ts"
import { anEmail, aPerson } from "./person.ts"

test("what a key may do and at which numbers are two choices, and the list says when it was used", async () => {
  const person = await aPerson()
  const make = async (form: Record<string, string>) =>
    await (await person.post("/keys", { name: "x", ...form })).text()
  const more = { chats: "+491711234567, 120363041234567890@g.us", hosts: "files.example.com" }
  for (const form of [
    { may: "all", numbers: "*" },
    { may: "all", numbers: "shop" },
    { may: "read", numbers: "shop", ...more },
    { may: "nonsense", numbers: "*" },
  ])
    expect(await make(form)).toMatch(/mbk_\w{51}/)
  for (const [form, why] of [
    [{ may: "all", numbers: "nobody" }, "This number is not there any more: choose another one."],
    [{ may: "all" }, "Numbers: choose all numbers, or those that the key is for."],
    [{ may: "all", numbers: "* shop" }, "Numbers: choose all numbers, or those that the key is for."],
    [{ may: "read", numbers: "shop", chats: "@ada" }, "Chats: 7 to 15 digits"],
    [{ may: "read", numbers: "shop", hosts: "http://x" }, "Hosts: the host of a URL"],
  ] as const) {
    const refused = await make(form)
    expect(refused).not.toMatch(/mbk_\w{51}/)
    expect(refused).toContain(why)
    expect(refused).toContain('value="x"')
  }
  const keys = (await ApiKey.list(person.accountId)).map(({ scope, bridges, chats, fileHosts }) =>
    [scope, bridges?.map(({ customerRef }) => customerRef), chats, fileHosts].flat().join(" ").trim(),
  )
  expect(keys.toSorted()).toEqual([
    "all",
    "all shop",
    "read",
    "read shop 491711234567@s.whatsapp.net 120363041234567890@g.us files.example.com",
  ])
  const page = await (await person.get("/keys")).text()
  for (const shown of [
    "never",
    "only read",
    "only in <bdi>491711234567@s",
    "files from <bdi>files.example.com",
  ])
    expect(page).toContain(shown)
})

const keyIn = (page: string) => /mbk_\w{30,}/.exec(page)?.[0] ?? ""

test("a key is replaced with a day's overlap, its rights go over, and keys that nothing uses are named", async () => {
  onTestFinished(() => void vi.useRealTimers())
  const person = await aPerson()
  const form = { name: "the till", may: "read", numbers: "shop" }
  const first = keyIn(await (await person.post("/keys", form)).text())
  const replaced = await (await person.post(`/keys/${ApiKey.idOf(first)}/replace`)).text()
  const second = keyIn(replaced)
  expect(second).not.toBe(first)
  expect(replaced).toContain("works for a day more")
  const its = { scope: "read", bridges: [{ customerRef: "shop" }] }
  for (const key of [first, second]) expect(await ApiKey.verify(key)).toMatchObject(its)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_401_000 })
  expect([await ApiKey.verify(first), await ApiKey.verify(second)]).toMatchObject(["expired", its])
  const shown = async () => await (await person.get("/keys")).text()
  expect(await shown()).not.toContain("not used for 30 days")
  await updateRow({
    TableName: tables.accounts,
    Key: ApiKey.listKey(person.accountId, ApiKey.idOf(second)),
    UpdateExpression: "SET created_at = :old",
    ExpressionAttributeValues: { ":old": Math.floor(Date.now() / 1000) - 31 * 86_400 },
  })
  expect(await shown()).toContain("One key was not used for 30 days: <b><bdi>the till</bdi></b>")
})

test("what a new key may do, and at which numbers, has to be chosen", async () => {
  const page = await (await (await aPerson()).get("/keys")).text()
  expect(page).toMatch(
    /<select id="numbers" name="numbers" required multiple size="2">\s+<option value="\*" >/,
  )
  expect(page).toMatch(/<select id="may" name="may" required>\s+<option value="">/)
})

test("each button of what cannot be undone is behind another one, that says what it does", async () => {
  const person = await aPerson()
  await Member.add(person.accountId, (await findOrOpenAccount(anEmail())).person, "owner")
  await ApiKey.create(person.accountId, "till")
  const found = await Promise.all(
    ["/keys", "/account", "/numbers/shop/settings"].map(async (path) => {
      const page = await (await person.get(path)).text()
      const within = /<details class="confirm"[^>]*>\s*<summary class="button danger[^]*?<\/details>/g
      expect(page.replaceAll(within, "")).not.toContain('<button class="button danger')
      return page.match(within)?.length
    }),
  )
  // A key; leaving, the other owner, passkeys; unlinking, deleting.
  expect(found).toEqual([1, 3, 2])
})

test("a key that is made for some days says when it expires, and that it has; one that is not says never", async () => {
  const person = await aPerson()
  const make = async (days: string) =>
    await person.post("/keys", { name: "till", may: "all", numbers: "*", days })
  for (const days of ["30", "", "nonsense"]) expect((await make(days)).status).toBe(200)
  const ends = (await ApiKey.list(person.accountId)).map(({ expiresAt }) => expiresAt)
  expect(ends.filter((one) => one === undefined)).toHaveLength(2)
  const shown = async () => await (await person.get("/keys")).text()
  expect(await shown()).toMatch(
    /data-label="Expires">in\s+<time datetime="[^"]+" data-until="\d+" title="[^"]+" data-at="title">30 days/,
  )
  expect(await shown()).toMatch(/data-label="Expires">\s*<span class="muted">never</)
  expect(await shown()).not.toContain("Expired<")
  await ApiKey.create(person.accountId, "old", undefined, undefined, 1)
  expect(await shown()).toContain('<span class="state bad">Expired</span>')
})

test("a key is revoked by a second button, and the page says so", async () => {
  const person = await aPerson()
  const key = await ApiKey.create(person.accountId, "till")
  expect(await (await person.get("/keys")).text()).toMatch(
    /<details[^>]*>\s*<summary class="button[^>]+>Revoke</,
  )
  const revoked = await (await person.post(`/keys/${key.slice(4, 16)}/revoke`)).text()
  expect(revoked).toContain("programs that use it are refused from now on")
  expect(await ApiKey.list(person.accountId)).toEqual([])
})

test("a secret is replaced while both sign, until that is ended", async () => {
  const person = await aPerson()
  const before = (await WebhookSecret.ofBridge(person.bridge.id)).secrets[0]
  const rolled = await (await person.post("/numbers/shop/webhooks/first/secret/roll")).text()
  const bridge = await Bridge.get(person.accountId, "shop")
  const secret = (await WebhookSecret.ofBridge(bridge.id)).secrets[0]
  expect(secret).not.toBe(before)
  expect(rolled.replaceAll("&#x2F;", "/")).toContain(secret)
  expect((await WebhookSecret.ofBridge(bridge.id)).secrets).toEqual([secret, before])
  expect((await person.post("/numbers/shop/webhooks/first/secret/roll")).status).toBe(409)
  const page = await (await person.get("/numbers/shop/webhooks")).text()
  expect(page).toContain("End the old one now")
  expect(page.replaceAll("&#x2F;", "/")).not.toContain(secret)
  await person.post("/numbers/shop/webhooks/first/secret/finish")
  expect((await WebhookSecret.ofBridge(person.bridge.id)).secrets).toEqual([secret])
})

test("a secret is shown only after a fresh sign-in, a key once; no page runs foreign scripts or is framed", async () => {
  const person = await aPerson()
  const secret = (await WebhookSecret.ofBridge(person.bridge.id)).secrets[0]
  expect(await (await person.get("/numbers/shop/webhooks")).text()).not.toContain(secret)
  const shown = await person.get("/numbers/shop/webhooks/first/secret")
  expect((await shown.text()).replaceAll("&#x2F;", "/")).toContain(secret)
  expect(shown.headers.get("cache-control")).toBe("no-store")
  const policy = shown.headers.get("content-security-policy")
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toContain("unsafe")
  expect(policy).toContain("frame-ancestors 'none'")

  const made = await (await person.post("/keys", { name: "<b>mine</b>", numbers: "*" })).text()
  expect(made).toMatch(/mbk_\w{12}_\w{38}/)
  const later = await (await person.get("/keys")).text()
  expect(later).not.toMatch(/mbk_\w{12}_\w{38}/)
  expect(later).not.toContain("<b>mine")
})

test("why a call was refused is one click from every page, also for a viewer, whatever the names in it", async () => {
  const viewer = await aPerson("viewer")
  const name = "<b>\u202etill</b>".padEnd(64, "\u{1f600}")
  const key = await ApiKey.create(viewer.accountId, name)
  const path = `/api/instances/${"x".repeat(400)}`
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const refused = await app.request(path, { headers }, at("10.9.8.7"))
  await app.request(
    "/api/instances",
    { method: "POST", headers, body: '{"customer_ref":"till"}' },
    at("10.9.8.7"),
  )
  await app.request("/api/instances", { method: "POST", headers, body: "{}" }, at("10.9.8.7"))
  const all = await until(async () => {
    const text = await (await viewer.get("/requests")).text()
    return text.includes("<code>customer_ref</code> is missing") && text
  })
  expect(all).toContain("The field <code>customer_ref</code> is missing.")
  expect(all).toContain("A call with a key that this service does not know (401) belongs to no account")
  expect(all.match(/>201<|request\s+<span/g)).toHaveLength(4)
  expect(await (await viewer.get("/numbers")).text()).toContain('href="/requests"')
  const page = await (await viewer.get("/requests?refused=true")).text()
  expect(page).toContain(refused.headers.get("x-request-id"))
  expect(page).toContain("There is no such number")
  expect(page).not.toContain("<b>\u202etill")
  expect(page).not.toContain(">201<")
  expect((await viewer.get("/requests?before=%27&refused=nonsense")).status).toBe(200)
})
