import { expect, onTestFinished, test, vi } from "vitest"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Account } from "#core/account/account.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Browser } from "#core/account/browser.ts"
import { Mail } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { RequestLog } from "#core/account/request-log.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Troubles } from "#core/account/troubles.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { LinkSession } from "#core/bridge/link-session.ts"
import { WebhookSecret } from "#core/bridge/webhook-secret.ts"
import { Webhook } from "#core/bridge/webhook.ts"
import { log } from "#core/platform/log.ts"
import { putRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import { aScriptedHost, sayJson } from "#test/support/scripted-host.ts"
import { app } from "#test/support/service/app.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { anEvent, anOutbox } from "#test/support/session/events-and-doorbells.ts"
import { dynamoDb } from "#test/support/store.ts"
import { until } from "#test/support/until.ts"
import { anEmail, aPerson } from "./person.ts"

/** A person whose sign-in is too old for what gives secrets away, and for what cannot be undone. */
async function aPersonSignedInBefore() {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ["Date"] })
  const person = await aPerson()
  vi.setSystemTime(Date.now() + 11 * 60_000)
  return person
}

const elsewhere = "https://shop.example/hook?a=1&b=%20"

test("what gives secrets away, or cannot be undone, asks for a fresh sign-in and keeps what was typed", async () => {
  const person = await aPersonSignedInBefore()
  const typed = [
    ["/numbers/shop/webhooks", "/first/address", { webhook_url: elsewhere }, elsewhere.replace("&", "&amp;")],
    ["/numbers/shop/settings", "/delete", { confirm: "shop" }, "shop"],
    ["/keys", "", { name: 'My "shop"', may: "all", numbers: "shop" }, "My &quot;shop&quot;"],
    ["/account", "/invite", { email: "them@example.com", role: "viewer" }, "them@example.com"],
  ] as const
  for (const [page, form, fields, shown] of typed) {
    const led = (await person.post(page + form, fields)).headers.get("location") ?? ""
    expect(new URL(led, "http://localhost").pathname).toBe("/sign-in")
    // Another page leaves it alone; its own page takes it.
    await person.get("/usage")
    const pageSays = async () => (await (await person.get(page)).text()).replaceAll("&#x2F;", "/")
    expect(await pageSays()).toContain(`value="${shown}"`)
    expect((await pageSays()).replace('name="number" value="shop"', "")).not.toContain(`value="${shown}"`)
  }
  const { webhookId } = (await Webhook.create(person.bridge, "https://shop.example/other", {})).webhook
  const ends = [
    ["webhooks", "first/secret/finish"],
    ["settings", "unlink"],
    ["settings", "pause"],
    ["webhooks", `${webhookId}/pause`],
    ["settings", "delete"],
  ] as const
  for (const [at, end] of ends) {
    const led = await person.post(`/numbers/shop/${at}/${end}`, { confirm: "shop" })
    expect(led.headers.get("location")).toContain(`/sign-in?next=%2Fnumbers%2Fshop%2F${at}&`)
  }
  for (const email of [anEmail(), anEmail()])
    await Member.add(person.accountId, (await findOrOpenAccount(email)).person, "member")
  const others = (await Member.list(person.accountId)).filter((one) => one.personId !== person.person.id)
  // A browser selects the first by itself.
  const { personId: last } = others.at(-1)!
  const role = await person.post("/account/role", { person: last, as: "viewer" })
  expect(role.headers.get("location")).toMatch(/^\/sign-in/)
  const roleForms = (await (await person.get("/account")).text()).split('action="/account/role"').slice(1)
  const selected = roleForms.map(
    (form) => /name="person" value="([^"]*)"[^]*?<option value="([^"]*)" selected/.exec(form) ?? [],
  )
  expect(selected.map(([, id, as]) => [id, as])).toEqual(
    others.map(({ personId }) => [personId, personId === last ? "viewer" : "member"]),
  )
  expect((await Bridge.get(person.accountId, "shop")).webhookUrl).toBe("")
  expect(await ApiKey.list(person.accountId)).toEqual([])
  expect(await Member.invitations(person.accountId)).toEqual([])
  await person.post(`/sign-in/link/${await SignIn.newLinkToPrint(person.email)}`)
  expect(
    (await person.post("/numbers/shop/webhooks/first/address", { webhook_url: elsewhere })).status,
  ).not.toBe(303)
})

test("what was typed before a sign-in comes back to its own person alone, in the same account", async () => {
  const person = await aPersonSignedInBefore()
  await person.post("/numbers/shop/webhooks/first/address", { webhook_url: elsewhere })
  const draft = person.jar.get("bridge-80-draft")!
  // Another person does not read the draft in the same browser.
  const other = await aPerson()
  other.jar.set("bridge-80-draft", draft)
  expect(await (await other.get("/numbers/shop/webhooks")).text()).not.toContain("shop.example")
  // Nor does its own person, for a number of another account that has the same name.
  await Member.add(other.accountId, person.person, "owner")
  await person.post("/accounts/turn", { account: other.accountId })
  expect(person.jar.get("bridge-80-draft")).toBe(draft)
  expect(await (await person.get("/numbers/shop/webhooks")).text()).not.toContain("shop.example")
  await person.post("/accounts/turn", { account: person.accountId })
  // An invitation that is withdrawn is nothing that was typed, and a browser would drop a cookie that is
  // too long.
  await person.post("/account/withdraw", { email: "late@example.com" })
  expect(await (await person.get("/account")).text()).not.toContain("late@example.com")
  await person.post("/numbers/shop/webhooks/first/address", { webhook_url: elsewhere + "/".repeat(1000) })
  expect(person.jar.has("bridge-80-draft")).toBe(false)
})

test("an owner invites and removes, a member does not", async () => {
  const owner = await aPerson()
  const email = anEmail()
  const mailed = () => Mail.latest().find(({ to }) => to === email)?.subject
  await owner.post("/account/invite", { email, role: "member" })
  expect(mailed()).toBe(`${owner.email} invites you`)
  await owner.post("/account/rename", { name: "Corner shop" })
  await owner.post("/account/invite", { email, role: "member" })
  expect(mailed()).toBe(`${owner.email} invites you to Corner shop`)
  const link = `/sign-in/link/${await SignIn.newLinkToPrint(email)}`
  const invited = aVisitor()
  await invited.post(link)
  await invited.post("/accounts/join", { account: owner.accountId })
  expect(await (await invited.get("/account")).text()).toContain(owner.email)
  expect((await invited.post("/account/invite", { email: anEmail(), role: "owner" })).status).toBe(403)
  const { person } = await findOrOpenAccount(email)
  const roleOf = async (id: string) =>
    (await Member.list(owner.accountId)).find(({ personId }) => personId === id)?.role
  const change = (by: typeof invited, id: string, as: string) => by.post("/account/role", { person: id, as })
  expect((await change(invited, person.id, "owner")).status).toBe(403)
  expect((await change(owner, person.id, "viewer")).status).toBe(303)
  expect((await invited.post("/keys", { name: "x" })).status).toBe(403)
  for (const [id, as] of [
    [person.id, "king"],
    [(await findOrOpenAccount(anEmail())).person.id, "owner"],
    [owner.person.id, "member"],
  ] as const)
    expect(await (await change(owner, id, as)).text()).toContain(
      "Not changed: this person has left, or is the last owner.",
    )
  expect([await roleOf(person.id), await roleOf(owner.person.id)]).toEqual(["viewer", "owner"])
  // Two owners take each other's role at once: one of them stays.
  expect((await change(owner, person.id, "owner")).status).toBe(303)
  await Promise.all([change(owner, person.id, "member"), change(invited, owner.person.id, "member")])
  const owners = (await Member.list(owner.accountId)).filter(({ role }) => role === "owner")
  expect(owners).toHaveLength(1)
  await Member.add(owner.accountId, owner.person, "owner")

  await owner.post("/account/remove", { person: person.id })
  expect((await invited.get("/numbers")).headers.get("location")).toBe("/accounts?next=%2Fnumbers")
})

test("an invitation ends after a week, and with the membership of the person who sent it", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const owner = await aPerson()
    const [late, open] = [anEmail(), anEmail()]
    await owner.post("/account/invite", { email: late, role: "member" })
    const { person } = await findOrOpenAccount(late)
    vi.setSystemTime(Date.now() + 7 * 86_400_000)
    expect(await Member.accept(owner.accountId, person)).toBe(false)
    expect(await Member.invitations(owner.accountId)).toEqual([])

    await Member.add(owner.accountId, (await findOrOpenAccount(anEmail())).person, "owner")
    await owner.post(`/sign-in/link/${await SignIn.newLinkToPrint(owner.email)}`)
    await owner.post("/account/invite", { email: open, role: "owner" })
    expect(await Member.invitations(owner.accountId)).toMatchObject([{ email: open }])
    await owner.post("/account/leave")
    expect(await Member.accept(owner.accountId, (await findOrOpenAccount(open)).person)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test("an owner chooses who is told of troubles, where an owner looks for them", async () => {
  const [owner, member] = await Promise.all([aPerson(), aPerson("member")])
  const shown = async () => await (await owner.get("/account")).text()
  expect(await shown()).not.toContain("<h2>Alerts")
  onTestFinished(() => Troubles.setReporting(false))
  Troubles.setReporting(true)
  expect(await shown()).toContain("<h2>Alerts")
  expect((await member.post("/account/troubles", { to: "nobody", url: "" })).status).toBe(403)
  expect(await (await owner.post("/account/troubles", { to: "members", url: "ftp://x" })).text()).toContain(
    'class="note bad"',
  )
  await owner.post("/account/troubles", { to: "members", url: "https://shop.example/told" })
  expect(await shown()).toMatch(/value="members" selected>/)
  expect(await shown()).toContain("shop.example")
})

/** A browser that a mailed code has signed in. */
async function byMail(email: string) {
  const visitor = aVisitor()
  await visitor.post("/sign-in", { email })
  const [, code = ""] = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(
    Mail.latest().find(({ to, subject }) => to === email && subject.endsWith("is your code"))!.text,
  )!
  expect((await visitor.post("/sign-in/code", { code })).status).toBe(303)
  return visitor
}

test("an account that demands passkeys is closed to browsers signed in by mail, which can make no passkey", async () => {
  const owner = await aPerson()
  const thief = await byMail(owner.email)
  expect((await thief.get("/numbers")).status).toBe(200)
  // An owner without a passkey here would be shut out.
  expect(await (await thief.post("/account/passkey-only", { only: "yes" })).text()).toContain(
    "Sign in with a passkey yourself first",
  )
  // A link that the operator printed counts as one.
  expect((await owner.post("/account/passkey-only", { only: "yes" })).status).toBe(303)
  for (const path of ["/numbers", "/account", "/account/export"])
    expect([path, (await thief.get(path)).status]).toEqual([path, 403])
  expect((await thief.post("/keys", { name: "theirs", may: "all", numbers: "*" })).status).toBe(403)
  expect((await owner.get("/numbers")).status).toBe(200)
  const options = async () => (await thief.post("/account/passkeys/options")).status
  expect(await options()).toBe(200)
  await putRow({
    TableName: tables.accounts,
    Item: {
      pk: `PERSON#${owner.person.id}`,
      sk: "PASSKEY#one",
      id: "one",
      person_id: owner.person.id,
      name: "Laptop",
      created_at: 1,
      public_key: Buffer.from("x"),
      counter: 0,
    },
  })
  expect(await options()).toBe(403)
  expect((await thief.post("/account/passkeys/remove", { passkey: "one" })).status).toBe(403)
  expect((await thief.post("/account/address", { address: anEmail() })).status).toBe(403)
  await owner.post("/account/passkey-only", { only: "no" })
  expect((await thief.get("/numbers")).status).toBe(200)
})

test("a new address is proven by a code mailed to it; accounts, keys and invitations go on", async () => {
  const owner = await aPerson()
  const [to, invited] = [anEmail(), anEmail()]
  await owner.post("/keys", { name: "till", may: "all", numbers: "*" })
  await owner.post("/account/invite", { email: invited, role: "member" })
  const codeTo = async (email: string) => {
    expect((await owner.post("/account/address", { address: email })).headers.get("location")).toBe(
      "/account/address",
    )
    expect(await (await owner.get("/account/address")).text()).toContain(email)
    return /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(Mail.latest().find((mail) => mail.to === email)!.text)![1]!
  }
  expect((await owner.post("/account/address", { address: owner.email })).status).toBe(400)
  const code = await codeTo(to)
  expect((await owner.post("/account/address/code", { code: "AAAA-AAAA" })).status).toBe(400)
  expect((await owner.post("/account/address/code", { code })).headers.get("location")).toBe("/account")
  expect((await findOrOpenAccount(to)).person.id).toBe(owner.person.id)
  expect(await Member.list(owner.accountId)).toMatchObject([{ email: to, role: "owner" }])
  expect(await ApiKey.list(owner.accountId)).toMatchObject([{ createdBy: to }])
  expect(await Member.invitations(owner.accountId)).toMatchObject([{ email: invited, by: to }])
  await until(() => Mail.latest().some((mail) => mail.to === owner.email && mail.subject.includes(to)))
  // The old address is a newcomer's from now on, who cannot take the new one.
  expect((await findOrOpenAccount(owner.email)).person.id).not.toBe(owner.person.id)
  const taken = await owner.post("/account/address/code", { code: await codeTo(owner.email) })
  expect([taken.status, (await findOrOpenAccount(to)).person.id]).toEqual([409, owner.person.id])
})

test("an owner downloads all that is kept of the account, but no secret", async () => {
  const [owner, member] = await Promise.all([aPerson(), aPerson("member")])
  expect((await member.get("/account/export")).status).toBe(403)
  const key = await ApiKey.create(owner.accountId, "till")
  const outbox = await anOutbox(owner.bridge)
  for (const word of ["one", "two"]) await outbox.append(anEvent(word))
  const call = { method: "POST", path: "/api/instances/shop/proxy/send/text", status: 429, keyId: "k", ms: 5 }
  await RequestLog.add(owner.accountId, { ...call, requestId: "refused" })
  const unread = await (await owner.get("/account/export")).text()
  for (const kind of ["contact", "sent_message", "chat"])
    expect(unread).toContain(`{"kind":"not_read","customer_ref":"shop","of":"${kind}","why":"no session runs`)
  const pages = new Map<string, [unknown[], string?]>([
    ["/contacts?limit=100", [[{ jid: "a" }]]],
    ["/sent?limit=100", [[{ message_id: "M2" }], "M2"]],
    ["/sent?limit=100&after=M2", [[{ message_id: "M1" }]]],
    ["/chats?limit=100", [[{ chat_id: "a@g.us" }]]],
    ["/chats/a%40g.us/messages?limit=100", [[{ message_id: "K1" }]]],
  ])
  const host = await aScriptedHost(({ path }, response) => {
    const [page, next] = pages.get(path) ?? [[]]
    sayJson(response, 200, page, next === undefined ? {} : { "x-next-after": next })
  })
  await host.take(owner.bridge.id)
  const answer = await owner.get("/account/export")
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="account-[\d-]+\.jsonl"/)
  const text = await answer.text()
  const parts = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string })
  const kinds = ["account", "person", "api_key", "audit_log", "request", "number", "usage", "event"]
  kinds.push("contact", "sent_message", "chat", "kept_message", "end")
  expect(new Set(parts.map(({ kind }) => kind))).toEqual(new Set(kinds))
  expect(parts.filter(({ kind }) => kind === "event")).toMatchObject([
    { customer_ref: "shop", event: { body: "one" } },
    { customer_ref: "shop", event: { body: "two" } },
  ])
  expect(parts.filter(({ kind }) => kind === "sent_message")).toMatchObject([
    { customer_ref: "shop", message_id: "M2" },
    { customer_ref: "shop", message_id: "M1" },
  ])
  for (const secret of [key, (await WebhookSecret.ofBridge(owner.bridge.id)).secrets[0]])
    expect(text).not.toContain(secret)
  // Each reads every row of the account, for as long as its reader likes.
  const open = [await owner.get("/account/export"), await owner.get("/account/export")]
  expect((await owner.get("/account/export")).status).toBe(429)
  await Promise.all(open.map(({ body }) => body!.cancel()))
  const again = await owner.get("/account/export")
  expect(again.status).toBe(200)
  await again.text()
})

test("an owner deletes an account with its numbers; a member of no other is forgotten, others are told", async () => {
  const [owner, other] = await Promise.all([aPerson(), aPerson()])
  await Member.add(owner.accountId, other.person, "member")
  const key = await ApiKey.create(owner.accountId, "till")
  const deletes = async (confirm: string) => await owner.post("/account/delete", { confirm })
  expect(await (await owner.get("/account/delete")).text()).toContain("Its number is deleted with it")
  expect((await deletes(other.email)).status).toBe(400)
  expect(await Bridge.byId(owner.bridge.id)).toBeDefined()
  expect((await deletes(owner.email)).headers.get("location")).toBe("/accounts")
  expect(await Account.get(owner.accountId)).toBeUndefined()
  expect(await Bridge.byId(owner.bridge.id)).toBeUndefined()
  expect(await ApiKey.verify(key)).toBeUndefined()
  expect((await owner.get("/accounts")).headers.get("location")).toContain("/sign-in")
  expect((await Member.ofPerson(other.person.id)).map(({ accountId }) => accountId)).toEqual([
    other.accountId,
  ])
  expect(Mail.latest()[0]).toMatchObject({
    to: other.email,
    subject: `${owner.email} has deleted the account ${owner.email}`,
  })
})

test("an account that is deleted in several tabs at once is deleted, and each of them is told so", async () => {
  const owner = await aPerson()
  for (let i = 0; i < 3; i++) await Bridge.create({ accountId: owner.accountId, customerRef: `till-${i}` })
  const { email } = owner
  const tabs = Array.from({ length: 3 }, () => owner.post("/account/delete", { confirm: email }))
  for (const { status } of await Promise.all(tabs)) expect(status).toBe(303)
  expect(await Account.get(owner.accountId)).toBeUndefined()
})

test("a visitor who is shown a link page that deceives reports it to the operators of the service", async () => {
  const [host, owner] = await Promise.all([aPerson(), aPerson()])
  await Account.makeOperator(host.accountId)
  for (const name of ["WhatsApp Support", "My Bank", "Official help desk"])
    expect(await (await owner.post("/account/rename", { name })).text()).toContain('class="note bad"')
  const { token } = await LinkSession.create(owner.bridge, {})
  const page = await (await aVisitor().get(`/link/${token}`)).text()
  const report = page.replaceAll("&#x2F;", "/").indexOf(`action="/link/${token}/report"`)
  // Last of all, and below what it warns of.
  expect(report).toBeGreaterThan(page.lastIndexOf("</section>"))
  expect(page).toMatch(/class="note warn" >[^]+WhatsApp &gt; Settings &gt; Linked devices\./)
  const answer = await aVisitor().post(`/link/${token}/report`)
  expect(await answer.text()).toContain("The people who run this service were told")
  const told = await until(() =>
    Mail.latest().find(({ to, text }) => to === host.email && text.includes(owner.bridge.id)),
  )
  expect(told.subject).toContain("A visitor reported the link page of the number shop")
})

test("an owner who removes a member is told of the keys they made, and can revoke them there", async () => {
  const owner = await aPerson()
  const member = await aPerson()
  await Member.add(owner.accountId, member.person, "member")
  await member.post("/accounts/turn", { account: owner.accountId })
  const [, key] = /(mbk_\w{51})/.exec(
    await (await member.post("/keys", { name: "theirs", may: "all", numbers: "*" })).text(),
  )!
  expect(await (await owner.get("/keys")).text()).toContain(`by <bdi>${member.email}</bdi>`)
  const removed = await (await owner.post("/account/remove", { person: member.person.id })).text()
  expect(removed).toContain("an API key, which still works")
  expect(await ApiKey.verify(key!)).toBeDefined()
  await owner.post("/account/revoke", { email: member.email })
  expect(await ApiKey.verify(key!)).toBeUndefined()
  expect(await ApiKey.list(owner.accountId)).toEqual([])
})

test("an account's name is its owners' choice, strangers read it where they link, and never an address", async () => {
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
  const turned = await (await owner.post("/account/rename", { name: "The \u202eshop" })).text()
  expect(turned).toContain("invisible characters that turn the direction of text")
  expect((await Account.get(owner.accountId))?.name).toBe(owner.email)
  const name = "<b>The</b> shop & Söhne"
  const answer = await owner.post("/account/rename", { name: `  ${name.replace(" ", "\n ")} ` })
  expect(answer.status).toBe(303)
  expect((await Account.get(owner.accountId))?.name).toBe(name)
  expect(await linkPage()).toContain("&lt;b&gt;The&lt;")

  const email = anEmail()
  await Member.add(owner.accountId, (await findOrOpenAccount(email)).person, "member")
  const member = aVisitor()
  await member.post(`/sign-in/link/${await SignIn.newLinkToPrint(email)}`)
  await member.post("/accounts/turn", { account: owner.accountId })
  expect((await member.post("/account/rename", { name: "Mine" })).status).toBe(403)
  expect((await Account.get(owner.accountId))?.name).toBe(name)
})

const isOfAuditLog = (request: object) => JSON.stringify(request).includes('"AUDIT#')

test("an act is done although the store cannot record it", async () => {
  const owner = await aPerson()
  for (let i = 0; i < 3; i++)
    await aVisitor().post(`/sign-in/link/${await SignIn.newLinkToPrint(owner.email)}`)
  expect(await Browser.list(owner.person.id)).toHaveLength(4)
  onTestFinished(dynamoDb.faults.add({ fault: "invalid", when: isOfAuditLog }))
  expect((await owner.post("/account/sign-out/others", {})).status).toBe(303)
  expect(await Browser.list(owner.person.id)).toHaveLength(1)
})

test("an act is done although the store fails while others are mailed of it", async () => {
  const owner = await aPerson()
  const warned = vi.spyOn(log, "warn")
  const when = (request: object) => JSON.stringify(request).includes(`RATE#mailsOfActs#${owner.accountId}`)
  const isBack = dynamoDb.faults.add({ fault: "denied", when })
  onTestFinished(() => {
    isBack()
    warned.mockRestore()
  })
  expect((await owner.post("/keys", { name: "till", may: "read", numbers: "*" })).status).toBe(200)
  await until(() => warned.mock.calls.some(([, said]) => said === "nobody was mailed of an act"))
  expect(await ApiKey.list(owner.accountId)).toMatchObject([{ name: "till" }])
})

test("owners see who did what, by which key, from where, and are mailed what opens or diverts something", async () => {
  const owner = await aPerson()
  await owner.post("/keys", { name: "till", may: "read", numbers: "*" })
  await owner.post("/numbers/shop/webhooks/first/secret/roll")
  await owner.get("/numbers/shop/webhooks/first/secret")
  await owner.post("/account/rename", { name: "Corner shop" })
  await owner.post("/numbers/shop/webhooks", { url: "https://shop.example/more" })
  await owner.post("/new-number", { customer_ref: "till", webhook_url: "" })
  await owner.post("/new-number", { customer_ref: "till", webhook_url: "" })
  const key = await ApiKey.create(owner.accountId, "robot")
  const call = async (method: string, path: string, body: object) =>
    await app.request(`/api/instances${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "user-agent": "robot/2.1 (shop)",
      },
      body: JSON.stringify(body),
    })
  await call("PATCH", "/shop", { webhook_url: "https://shop.example/hook" })
  for (const status of [201, 200])
    expect((await call("POST", "", { customer_ref: "desk" })).status).toBe(status)
  await call("POST", "/desk/link-sessions", {})
  const page = (await (await owner.get("/account/audit-log", { "user-agent": "x" })).text()).replaceAll(
    "&#x2F;",
    "/",
  )
  const plain = page.replaceAll(/<\/?(?:b|bdi)>/g, "").replaceAll(/\s+/g, " ")
  const told = [...plain.matchAll(/<td>(?!<)([^<]+)</g)].map(([, text]) => text!.trim())
  expect(told.filter((text) => text.includes(" "))).toEqual([
    "the API key robot made a link page for desk",
    "the API key robot added the number desk",
    "the API key robot changed the webhook of shop: https://shop.example/hook",
    `${owner.email} added the number till`,
    `${owner.email} added a webhook to shop: https://shop.example/more`,
    `${owner.email} named the account Corner shop`,
    `${owner.email} looked at the webhook secret of shop`,
    `${owner.email} replaced the webhook secret of shop`,
    `${owner.email} created the API key till`,
    `${owner.email} signed in`,
  ])
  expect(page).toContain(`<div class="small muted mono">mbk_${ApiKey.idOf(key)}_…</div>`)
  await owner.post(`/keys/${ApiKey.idOf(key)}/revoke`)
  const later = (await (await owner.get("/account/audit-log")).text()).replaceAll(/\s+/g, " ")
  expect(later).toContain("<bdi>an API key</bdi> changed the webhook of <bdi>shop:")
  expect(page).toContain(">no browser</div>")
  expect(page).toContain(">robot</div>")
  // The acts are not held up by their mails.
  const mails = await until(() => {
    const own = Mail.latest().filter(({ to }) => to === owner.email)
    return own.length >= 5 && own
  })
  expect(mails.map(({ subject }) => subject.replace(`${owner.email} `, "")).toSorted()).toEqual([
    "added a webhook to shop: https://shop.example/more",
    "created the API key till",
    "looked at the webhook secret of shop",
    "replaced the webhook secret of shop",
    "signed in",
  ])
  const filtered = async (query: string) => {
    const text = (await (await owner.get(`/account/audit-log?${query}`)).text()).replaceAll(/\s+/g, " ")
    return [...text.matchAll(/<td>(?!<time)([^]+?)<\/td>/g)].length
  }
  expect([await filtered("act=number_added"), await filtered("act=link_made&by=ROBOT")]).toEqual([2, 0])
  expect([await filtered("by=shop.example"), await filtered("act=data_exported")]).toEqual([2, 0])
  expect([await filtered("until=2020-01-01T00:00"), await filtered("since=2999-01-01T00:00")]).toEqual([0, 0])
  // A member sees nothing of it all.
  expect((await (await aPerson("member")).get("/account/audit-log")).status).toBe(403)
})

test("a sign-in in an unknown browser is mailed, also if signed in nowhere, but not the very first one", async () => {
  const email = anEmail()
  const own = await byMail(email)
  const news = () =>
    Mail.latest().filter(({ to, subject }) => to === email && subject === `${email} signed in`)
  await own.post("/sign-out")
  await byMail(email)
  expect(await until(() => news().length > 0 && news().length)).toBe(1)
  await byMail(email)
  expect(await until(() => news().length > 1 && news().length)).toBe(2)
})

test("the last mail of acts in an hour goes to every owner, and says that the rest is in the audit log", async () => {
  const owner = await aPerson()
  await Member.add(owner.accountId, (await findOrOpenAccount(anEmail())).person, "member")
  const signIns = (email: string) =>
    Array.from({ length: 22 }, () =>
      AuditLog.recordAndMail(
        owner.accountId,
        { by: email, act: "signed_in", about: "", address: "192.0.2.1", agent: "" },
        { origin: "https://bridge.example" },
      ),
    )
  const member = anEmail()
  await Promise.all(signIns(member))
  const own = (email: string) =>
    Mail.latest().filter(({ to, subject }) => to === email && subject.startsWith(member))
  const last = await until(() => own(owner.email)[0])
  expect(last.text).toMatch(
    /last such mail until \d\d:\d\d UTC.+audit log alone, for owners: https:\/\/bridge\.example\/account\/audit-log\./,
  )
  // The owner's own sign-in was one of the twenty.
  await until(() => own(member).length >= 19)
  expect([own(member).length, own(owner.email).length]).toEqual([19, 1])
})

test("the audit log has pauses and their ends, withdrawn and declined invitations, and signed-out browsers", async () => {
  const owner = await aPerson()
  for (const act of ["pause", "wake"]) await owner.post(`/numbers/shop/settings/${act}`)
  const [withdrawn, declined] = [anEmail(), anEmail()]
  const guest = await byMail(declined)
  for (const email of [withdrawn, declined]) await owner.post("/account/invite", { email, role: "member" })
  for (let i = 0; i < 2; i++) {
    await owner.post("/account/withdraw", { email: withdrawn })
    await guest.post("/accounts/decline", { account: owner.accountId })
  }
  await byMail(owner.email)
  await owner.post("/account/sign-out/others")
  const acts = (await AuditLog.find(owner.accountId)).entries.map((entry) => AuditLog.sentenceOf(entry))
  expect(acts.slice(0, 8)).toEqual([
    expect.stringMatching(`^${owner.email} signed out another browser: no browser, at [\\d.]+$`),
    `${owner.email} signed in`,
    `${declined} declined the invitation`,
    `${owner.email} withdrew the invitation of ${withdrawn}`,
    `${owner.email} invited ${declined} as member`,
    `${owner.email} invited ${withdrawn} as member`,
    `${owner.email} woke the number shop`,
    `${owner.email} paused the number shop`,
  ])
})
