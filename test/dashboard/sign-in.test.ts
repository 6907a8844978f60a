import "#test/support/store.ts"
import { randomBytes } from "node:crypto"
import { expect, test, vi } from "vitest"
import { Account } from "#core/account/account.ts"
import { Browser } from "#core/account/browser.ts"
import { join } from "#core/account/join.ts"
import { Mail } from "#core/account/outgoing-mail.ts"
import { Member } from "#core/account/member.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { app } from "#functions/api/app.ts"
import { anAddress } from "#test/support/service/customer.ts"
import { aVisitor } from "#test/support/service/visitor.ts"

const anEmail = () => `${randomBytes(6).toString("hex")}@example.com`

/** The last mail to this address. */
function mailed(email: string) {
  const mail = Mail.list().find(({ to }) => to === email)
  const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(mail?.text ?? "")?.[1] ?? ""
  const link = /http:\/\/localhost(\/sign-in\/link\/\S+)/.exec(mail?.text ?? "")?.[1] ?? ""
  return { code, link }
}

/** A visitor who has asked for a code. */
async function asked(email: string) {
  const visitor = aVisitor()
  expect((await visitor.post("/sign-in", { email })).status).toBe(200)
  return { visitor, ...mailed(email) }
}

/** In milliseconds. */
const day = 86_400_000

const isIn = async (visitor: ReturnType<typeof aVisitor>) => (await visitor.get("/numbers")).status === 200

test("a mailed code makes a new address an account and signs its browser in, however it is typed", async () => {
  const email = anEmail()
  const { visitor, code } = await asked(` ${email.toUpperCase()} `.trim().toLowerCase())
  const answer = await visitor.post("/sign-in/code", {
    code: ` ${code.toLowerCase().replace("-", " ")} `,
    next: "/numbers",
  })
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/numbers"])
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("session="))
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/SameSite=Lax/)
  expect(await (await visitor.get("/numbers")).text()).toContain(email)

  // The second time it is the same person.
  const again = await asked(email)
  await again.visitor.post("/sign-in/code", { code: again.code })
  const { person, accountId } = await join(email)
  expect((await Member.list(accountId)).map(({ personId, role }) => [personId, role])).toEqual([
    [person.id, "owner"],
  ])
  expect(await Browser.list(person.id)).toHaveLength(2)
})

test("over https the cookie is bound to its host and never sent in the clear", async () => {
  const { visitor, link } = await asked(anEmail())
  const answer = await visitor.post(link, {}, { "x-forwarded-proto": "https" })
  expect(answer.headers.getSetCookie().join("\n")).toMatch(/^__Host-session=[\w-]{43};.*Path=\/;.*Secure/m)
})

test("a mailed link shows a button, works in any browser, and then neither it nor the code works again", async () => {
  const { visitor, code, link } = await asked(anEmail())
  const other = aVisitor()
  for (let scans = 0; scans < 3; scans++) expect(await (await other.get(link)).text()).toContain("<form")
  expect(await isIn(other)).toBe(false)
  const answers = await Promise.all([other.post(link), aVisitor().post(link)])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303, 404]))
  expect((await other.get(link)).status).toBe(404)
  expect((await visitor.post("/sign-in/code", { code })).status).toBe(400)
  expect(await isIn(visitor)).toBe(false)
})

test("a code works only in the browser that asked for it, and not after five wrong ones", async () => {
  const { visitor, code } = await asked(anEmail())
  const thief = aVisitor()
  expect((await thief.post("/sign-in/code", { code })).status).toBe(400)
  expect(await isIn(thief)).toBe(false)
  for (let wrong = 0; wrong < 5; wrong++)
    expect((await visitor.post("/sign-in/code", { code: "AAAA-AAAA" })).status).toBe(400)
  expect((await visitor.post("/sign-in/code", { code })).status).toBe(400)
  expect(await isIn(visitor)).toBe(false)
})

test("twenty guesses at once count as twenty", async () => {
  const begun = await SignIn.begin(anEmail())
  const guesses = Array.from({ length: 20 }, () => SignIn.useCode(begun.asking, "AAAAAAAA"))
  const answers = await Promise.all(guesses)
  expect(answers.filter((answer) => answer === "wrong").length).toBeLessThanOrEqual(5)
  expect(await SignIn.useCode(begun.asking, begun.code)).toBe("over")
})

test("codes and links are over after 15 minutes, sign-ins after 7 idle days and after 30 in any case", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const { visitor, code, link } = await asked(anEmail())
    vi.setSystemTime(Date.now() + 15 * 60_000)
    expect((await visitor.post("/sign-in/code", { code })).status).toBe(400)
    expect((await visitor.get(link)).status).toBe(404)
    expect((await visitor.post(link)).status).toBe(404)

    const email = anEmail()
    const { visitor: idle, link: second } = await asked(email)
    await idle.post(second)
    for (let weeks = 0; weeks < 4; weeks++) {
      vi.setSystemTime(Date.now() + 6.9 * day)
      expect(await isIn(idle)).toBe(true)
    }
    vi.setSystemTime(Date.now() + 3 * day)
    expect(await isIn(idle)).toBe(false)

    const { visitor: away, link: third } = await asked(email)
    await away.post(third)
    vi.setSystemTime(Date.now() + 7.1 * day)
    expect(await isIn(away)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test("no more than 3 mails go to an address and 10 are sent for a browser's in a quarter of an hour", async () => {
  const email = anEmail()
  const statuses: number[] = []
  for (let mails = 0; mails < 5; mails++) statuses.push((await aVisitor().post("/sign-in", { email })).status)
  expect(statuses).toEqual([200, 200, 200, 429, 429])
  const address = anAddress()
  const others: number[] = []
  for (let mails = 0; mails < 11; mails++)
    others.push((await aVisitor(address).post("/sign-in", { email: anEmail() })).status)
  expect(others).toEqual([...Array.from({ length: 10 }, () => 200), 429])
})

/** The page for somebody who asks for a code, without the address and the time. */
const pageFor = async (email: string) =>
  (await (await aVisitor().post("/sign-in", { email })).text())
    .replaceAll(email, "")
    .replaceAll(/data-now="\d+"/g, "")

test("the answer does not tell whether an address is known", async () => {
  const known = anEmail()
  const { visitor, link } = await asked(known)
  await visitor.post(link)
  const unknown = anEmail()
  expect(await pageFor(known)).toBe(await pageFor(unknown))
})

test("a form of another site changes nothing, and an address that is none is refused in words", async () => {
  const email = anEmail()
  const visitor = aVisitor()
  const answer = await visitor.post("/sign-in", { email }, { origin: "https://evil.example" })
  expect(answer.status).toBe(403)
  expect(await answer.text()).toContain("not sent from a page of ours")
  expect(mailed(email).code).toBe("")
  for (const wrong of [
    "",
    "nobody",
    "a@b",
    "<script>alert(1)</script>@x.de",
    `${"a".repeat(300)}@example.com`,
  ]) {
    const refused = await visitor.post("/sign-in", { email: wrong })
    expect(refused.status).toBe(400)
    expect(await refused.text()).not.toContain("<script>alert")
  }
  const long = await visitor.post("/sign-in", { email: "a".repeat(300_000) })
  expect(long.status).toBe(413)
})

test("a mail's link leads to this machine or the dashboard's address, not to a host that a stranger names", async () => {
  const email = anEmail()
  const body = new URLSearchParams({ email }).toString()
  const headers = { origin: "http://evil.example", "content-type": "application/x-www-form-urlencoded" }
  const from = { incoming: { socket: { remoteAddress: anAddress() } } }
  const answer = await app.request("http://evil.example/sign-in", { method: "POST", headers, body }, from)
  expect(answer.status).toBe(200)
  const text = Mail.list().find(({ to }) => to === email)?.text
  expect(text).not.toContain("evil")
  expect(text).not.toContain("/sign-in/link/")
})

test("after signing in one is where one wanted to go, and never on another host", async () => {
  const visitor = aVisitor()
  const wanted = await visitor.get("/numbers?filter=1")
  expect(wanted.headers.get("location")).toBe("/sign-in?next=%2Fnumbers%3Ffilter%3D1")
  for (const next of [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/a b",
  ]) {
    const { visitor: led, code } = await asked(anEmail())
    expect((await led.post("/sign-in/code", { code, next })).headers.get("location")).toBe("/")
  }
})

test("a forged cookie is nobody's, signing out ends the sign-in, and a removed person sees nothing", async () => {
  const email = anEmail()
  const { visitor, link } = await asked(email)
  await visitor.post(link)
  const token = visitor.jar.get("session")!
  const forger = aVisitor()
  for (const forged of ["", "x", "a".repeat(43), `${token.slice(0, -1)}x`, "%00".repeat(20)]) {
    forger.jar.set("session", forged)
    expect(await isIn(forger)).toBe(false)
  }

  const owner = await join(anEmail())
  const { person } = await join(email)
  await Member.add(owner.accountId, person, "viewer")
  const thief = aVisitor()
  thief.jar.set("session", token)
  expect(await isIn(thief)).toBe(true)
  await visitor.post("/sign-out")
  expect(await isIn(thief)).toBe(false)
})

test("an invited address becomes a member of the account that invited it, with the role it was given", async () => {
  const { accountId } = await join(anEmail())
  const email = anEmail()
  await Member.invite(accountId, email, "viewer")
  const { visitor, link } = await asked(email)
  await visitor.post(link)
  expect((await Member.list(accountId)).map(({ role }) => role)).toEqual(["owner", "viewer"])
  expect(await Member.invitations(accountId)).toEqual([])
  expect((await visitor.get("/numbers")).status).toBe(200)
  const refused = await visitor.post("/new-number", { customer_ref: "shop" })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain("ask one of its owners")
})

test("the last owner cannot be removed, and of two who remove each other at once one stays", async () => {
  const first = await join(anEmail())
  expect(await Member.remove(first.accountId, first.person.id)).toBe(false)
  const second = await join(anEmail())
  await Member.add(first.accountId, second.person, "owner")
  const removed = await Promise.all([
    Member.remove(first.accountId, first.person.id),
    Member.remove(first.accountId, second.person.id),
  ])
  expect(removed.filter(Boolean).length).toBeLessThanOrEqual(1)
  expect((await Member.list(first.accountId)).length).toBeGreaterThanOrEqual(1)
})

test("a printed link signs in once, for the operator too, and mail is for the operator alone", async () => {
  const email = anEmail()
  const { accountId } = await join(email)
  const link = `/sign-in/link/${await SignIn.print(email)}`
  const visitor = aVisitor()
  expect(await (await visitor.get(link)).text()).toContain("data-go")
  expect((await visitor.post(link)).status).toBe(303)
  expect((await visitor.post(link)).status).toBe(404)
  expect((await visitor.get("/dev/mail")).status).toBe(403)
  await Account.makeOperator(accountId)
  expect((await visitor.get("/dev/mail")).status).toBe(200)
})

test("turning to another account is no sign-in: it is as old as before, and what is dangerous asks for a new one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const email = anEmail()
    const { visitor, link } = await asked(email)
    await visitor.post(link)
    const own = await join(email)
    const other = await join(anEmail())
    await Member.add(other.accountId, own.person, "owner")
    vi.setSystemTime(Date.now() + 11 * 60_000)
    for (const account of [own.accountId, other.accountId]) {
      expect((await visitor.post("/account/switch", { account })).status).toBe(303)
      expect((await visitor.post("/account/passkeys/options")).status).toBe(403)
    }
    const [browser, ...others] = await Browser.list(own.person.id)
    expect([browser?.accountId, others]).toEqual([other.accountId, []])
    vi.setSystemTime(Date.now() + 30 * day)
    expect(await isIn(visitor)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test("a person with an account stays in it when another one invites them, and can turn to that", async () => {
  const email = anEmail()
  const own = await join(email)
  const other = await join(anEmail())
  await Member.invite(other.accountId, email, "viewer")
  expect((await join(email)).accountId).toBe(own.accountId)
  expect(await Member.ofPerson(own.person.id)).toHaveLength(2)
})

test("a viewer of the operator's account sees neither other accounts nor the mails that would sign them in", async () => {
  const owner = await join(anEmail())
  await Account.makeOperator(owner.accountId)
  const email = anEmail()
  await Member.invite(owner.accountId, email, "viewer")
  const { visitor, link } = await asked(email)
  await visitor.post(link)
  for (const path of ["/operator", "/dev/mail"]) expect((await visitor.get(path)).status).toBe(403)
})
