import "#test/support/store.ts"
import { randomBytes, randomUUID } from "node:crypto"
import { expect, onTestFinished, test, vi } from "vitest"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Account } from "#core/account/account.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Browser } from "#core/account/browser.ts"
import { Mail } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { Person } from "#core/account/person.ts"
import { removeEmpty, removePeople } from "#core/account/remove-empty.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { config } from "#core/platform/config.ts"
import { app } from "#test/support/service/app.ts"
import { anAddress } from "#test/support/service/customer.ts"
import { aVisitor } from "#test/support/service/visitor.ts"

const anEmail = () => `${randomBytes(6).toString("hex")}@example.com`

/** The last mail to this address. */
function mailed(email: string) {
  const mail = Mail.latest().find(({ to }) => to === email)
  const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(mail?.text ?? "")?.[1] ?? ""
  const link = /http:\/\/localhost(\/sign-in\/link\/\S+)/.exec(mail?.text ?? "")?.[1] ?? ""
  return { code, link }
}

/** A visitor who has asked for a code. */
async function asked(email: string) {
  const visitor = aVisitor()
  expect((await visitor.post("/sign-in", { email })).status).toBe(303)
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
  const cookie = answer.headers.getSetCookie().find((line) => line.startsWith("bridge-80-session="))
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/SameSite=Lax/)
  expect(await (await visitor.get("/numbers")).text()).toContain(email)

  // The second time it is the same person.
  const again = await asked(email)
  await again.visitor.post("/sign-in/code", { code: again.code })
  const { person, accountId } = await findOrOpenAccount(email)
  expect((await Member.list(accountId)).map(({ personId, role }) => [personId, role])).toEqual([
    [person.id, "owner"],
  ])
  expect(await Browser.list(person.id)).toHaveLength(2)
})

test("over https the cookie is bound to its host and never sent in the clear, and browsers keep to https", async () => {
  const { visitor, link } = await asked(anEmail())
  config.PUBLIC_URL = "https://wa.example.com"
  onTestFinished(() => void (config.PUBLIC_URL = ""))
  const answer = await visitor.post(link, {}, { origin: config.PUBLIC_URL })
  expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000")
  expect(answer.headers.getSetCookie().join("\n")).toMatch(/^__Host-session=[\w-]{43};.*Path=\/;.*Secure/m)
})

test("the page for the code can be loaded again without another mail, until the code is over", async () => {
  const email = anEmail()
  const visitor = aVisitor()
  const shown = (await visitor.post("/sign-in", { email, next: "/keys" })).headers.get("location")!
  expect(shown).toBe("/sign-in/code?next=%2Fkeys")
  for (let loads = 0; loads < 3; loads++) expect(await (await visitor.get(shown)).text()).toContain(email)
  expect(Mail.latest().filter(({ to }) => to === email)).toHaveLength(1)
  for (let wrong = 0; wrong < 5; wrong++) await visitor.post("/sign-in/code", { code: "AAAA-AAAA" })
  for (const browser of [visitor, aVisitor()])
    expect((await browser.get(shown)).headers.get("location")).toBe("/sign-in?next=%2Fkeys")
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

test("in a quarter of an hour an address gets 3 mails from one sender, who sends 10, and 12 from all", async () => {
  const email = anEmail()
  const stranger = anAddress()
  const ask = async (address?: string) => await aVisitor(address).post("/sign-in", { email })
  for (let mails = 0; mails < 3; mails++) expect((await ask(stranger)).status).toBe(303)
  const refused = await ask(stranger)
  expect(refused.status).toBe(429)
  expect(await refused.text()).toContain("Links that came by mail still work")
  // A stranger who asks for codes does not keep the person from signing in.
  for (let mails = 0; mails < 9; mails++) expect((await ask()).status).toBe(303)
  expect((await ask()).status).toBe(429)
  const address = anAddress()
  const others: number[] = []
  for (let mails = 0; mails < 11; mails++)
    others.push((await aVisitor(address).post("/sign-in", { email: anEmail() })).status)
  expect(others).toEqual([...Array.from({ length: 10 }, () => 303), 429])
})

/** The page for a person who asks for a code, without the address and the time. */
async function pageFor(email: string): Promise<string> {
  const visitor = aVisitor()
  const page = (await visitor.post("/sign-in", { email })).headers.get("location") ?? ""
  const text = await (await visitor.get(page)).text()
  return (page + text).replaceAll(email, "").replaceAll(/data-now="\d+"/g, "")
}

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
  expect(answer.status).toBe(303)
  const text = Mail.latest().find(({ to }) => to === email)?.text
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
    "/sign-in/link/x",
    "/a/../%73ign-in/link/x",
  ]) {
    const { visitor: led, code } = await asked(anEmail())
    expect((await led.post("/sign-in/code", { code, next })).headers.get("location")).toBe("/")
  }
})

test("a forged cookie signs no one in, signing out ends the sign-in, and a removed person sees nothing", async () => {
  const email = anEmail()
  const { visitor, link } = await asked(email)
  await visitor.post(link)
  const token = visitor.jar.get("bridge-80-session")!
  const forger = aVisitor()
  for (const forged of ["", "x", "a".repeat(43), `${token.slice(0, -1)}x`, "%00".repeat(20)]) {
    forger.jar.set("bridge-80-session", forged)
    expect(await isIn(forger)).toBe(false)
  }

  const owner = await findOrOpenAccount(anEmail())
  const { person } = await findOrOpenAccount(email)
  await Member.add(owner.accountId, person, "viewer")
  const thief = aVisitor()
  thief.jar.set("bridge-80-session", token)
  expect(await isIn(thief)).toBe(true)
  await visitor.post("/sign-out")
  expect(await isIn(thief)).toBe(false)
})

/** Two people with an account each, and an invitation of the second by the first. */
async function invited(role: Member.Role = "member") {
  const [host, guest] = [anEmail(), anEmail()]
  const [{ accountId: theirs }, { accountId: own, person }] = [
    await findOrOpenAccount(host),
    await findOrOpenAccount(guest),
  ]
  await Member.invite(theirs, guest, role, host)
  return { host, guest, theirs, own, person }
}

/** A visitor who is signed in as this address, by a printed link. */
async function signedIn(email: string) {
  const visitor = aVisitor()
  const answer = await visitor.post(`/sign-in/link/${await SignIn.newLinkToPrint(email)}`)
  return { visitor, leadsTo: answer.headers.get("location") }
}

test("a newcomer who is invited chooses before they are in any account, and has the role they were given", async () => {
  const host = anEmail()
  const { accountId } = await findOrOpenAccount(host)
  const email = anEmail()
  await Member.invite(accountId, email, "viewer", host)
  const { visitor, leadsTo } = await signedIn(email)
  expect(leadsTo).toBe("/accounts")
  expect(await (await visitor.get("/accounts")).text()).toContain(
    `${host} <span class="muted">invites you to`,
  )
  expect((await visitor.get("/numbers")).headers.get("location")).toBe("/accounts?next=%2Fnumbers")
  expect((await visitor.post("/new-number", { customer_ref: "x" })).headers.get("location")).toBe("/accounts")
  expect(await Member.list(accountId)).toHaveLength(1)

  const joined = await visitor.post("/accounts/join", { account: accountId, next: "/numbers" })
  expect(joined.headers.get("location")).toBe("/numbers")
  expect((await Member.list(accountId)).map(({ role }) => role)).toEqual(["owner", "viewer"])
  expect(await Member.invitations(accountId)).toEqual([])
  expect((await visitor.get("/numbers")).status).toBe(200)
  const refused = await visitor.post("/new-number", { customer_ref: "shop" })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain(`ask <a href="mailto:${host}">`)
})

/** Whom an owner invites, and the link that the mail has for them. */
async function invitedByMail(email = anEmail(), role: Member.Role = "viewer") {
  const host = anEmail()
  const { visitor: owner } = await signedIn(host)
  await owner.post("/account/invite", { email, role })
  return { host, owner, email, ...mailed(email), theirs: (await findOrOpenAccount(host)).accountId }
}

test("a newcomer declines behind the mailed link without a sign-in, once, and the owners can read it", async () => {
  const { email, link, theirs } = await invitedByMail()
  const visitor = aVisitor()
  expect(await (await visitor.get(link)).text()).toContain(`${link}/decline`)
  expect(await (await visitor.post(`${link}/decline`)).text()).toContain("You have declined")
  expect([await Member.invitations(theirs), await isIn(visitor)]).toEqual([[], false])
  for (const path of [link, `${link}/decline`]) expect((await visitor.post(path)).status).toBe(404)
  const acts = (await AuditLog.find(theirs)).entries.filter(({ act }) => act === "invitation_declined")
  expect(acts.map(({ by }) => by)).toEqual([email])
})

test("of joining and declining at once one holds, of several declines one, and none once it is withdrawn", async () => {
  for (let later = 0; later < 8; later++) {
    const { link, theirs } = await invitedByMail()
    const joining = aVisitor().post(link)
    for (let hops = 0; hops < later; hops++) await new Promise(setImmediate)
    const [joined, declined] = await Promise.all([joining, aVisitor().post(`${link}/decline`)])
    const members = (await Member.list(theirs)).length
    expect([[joined.status, declined.status, members]]).toEqual([
      joined.status === 303 ? [303, 404, 2] : [404, 200, 1],
    ])
  }
  const { link, theirs, owner, email } = await invitedByMail()
  const answers = await Promise.all([1, 2, 3].map(async () => await aVisitor().post(`${link}/decline`)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404])
  const acts = (await AuditLog.find(theirs)).entries.filter(({ act }) => act === "invitation_declined")
  expect(acts).toHaveLength(1)
  await owner.post("/account/invite", { email, role: "viewer" })
  await owner.post("/account/withdraw", { email })
  expect((await aVisitor().post(`${mailed(email).link}/decline`)).status).toBe(404)
})

test("a newcomer joins with one press of a button behind the mailed link, which opening does not use up", async () => {
  const { email, link, theirs, host } = await invitedByMail()
  const visitor = aVisitor()
  for (let scans = 0; scans < 3; scans++) {
    const page = await (await visitor.get(link)).text()
    expect(page).toContain(`${host} <span class="muted">invites you to`)
    expect(page).toContain(">Join</button>")
  }
  expect(await Member.list(theirs)).toHaveLength(1)
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() + 6.9 * day)
  expect((await visitor.post(link)).headers.get("location")).toBe("/")
  expect(await (await visitor.get("/account")).text()).toContain(`${email} (you)`)
  expect((await Member.list(theirs)).map(({ role }) => role)).toEqual(["owner", "viewer"])
  const again = aVisitor()
  expect((await again.post(link)).status).toBe(404)
  expect(await isIn(again)).toBe(false)
})

test("the link of an invitation that is withdrawn, or a week old, does not sign a visitor in", async () => {
  const withdrawn = await invitedByMail()
  await withdrawn.owner.post("/account/withdraw", { email: withdrawn.email })
  const late = await invitedByMail()
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  for (const [{ link, theirs }, afterMs] of [
    [withdrawn, 0],
    [late, 7 * day],
  ] as const) {
    vi.setSystemTime(Date.now() + afterMs)
    const visitor = aVisitor()
    expect([(await visitor.get(link)).status, (await visitor.post(link)).status]).toEqual([404, 404])
    expect(await isIn(visitor)).toBe(false)
    expect(await Member.list(theirs)).toHaveLength(1)
  }
})

test("the link of an invitation signs in no person who has signed in before: they join once they have", async () => {
  const email = anEmail()
  const { visitor } = await signedIn(email)
  const { link, theirs } = await invitedByMail(email)
  const other = aVisitor()
  expect((await other.get(link)).headers.get("location")).toBe("/accounts")
  expect((await other.post(link)).headers.get("location")).toBe("/accounts")
  expect(await isIn(other)).toBe(false)
  expect(await Member.list(theirs)).toHaveLength(1)
  expect(await (await visitor.get("/accounts")).text()).toContain("Join<span")
})

test("a newcomer may decline and have an account of their own, and one of these at most", async () => {
  const { theirs } = await invited()
  const email = anEmail()
  await Member.invite(theirs, email, "member", anEmail())
  const { visitor } = await signedIn(email)
  await visitor.post("/accounts/decline", { account: theirs })
  expect((await visitor.post("/accounts/join", { account: theirs })).status).toBe(403)
  const opened = await Promise.all([1, 2, 3, 4].map(() => visitor.post("/accounts/open")))
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([303]))
  const { person } = await findOrOpenAccount(email)
  const found = await Member.ofPerson(person.id)
  expect(found.map(({ role, isFounder }) => [role, isFounder])).toEqual([["owner", true]])
  // Once that one is gone, there may be another.
  await Member.add(theirs, person, "viewer")
  expect(await removeEmpty(found[0]!.accountId)).toBe(true)
  const { visitor: again } = await signedIn(email)
  await again.post("/accounts/open")
  expect((await Member.ofPerson(person.id)).map(({ role }) => role)).toEqual(["owner", "viewer"])
})

test("a newcomer who signs in twice at once has one account", async () => {
  const email = anEmail()
  const both = await Promise.all([
    findOrOpenAccount(email),
    findOrOpenAccount(email),
    findOrOpenAccount(email),
  ])
  const [id, ...others] = new Set(both.map(({ accountId }) => accountId))
  expect(others).toEqual([])
  expect((await Member.ofPerson(both[0].person.id)).map(({ accountId }) => accountId)).toEqual([id])
})

test("an account can be made for a person who left the one that was made for them before", async () => {
  const email = anEmail()
  const { accountId, person } = await findOrOpenAccount(email)
  await Member.add(accountId, (await findOrOpenAccount(anEmail())).person, "owner")
  const { visitor } = await signedIn(email)
  await visitor.post("/account/leave")
  await Promise.all([1, 2].map(() => visitor.post("/accounts/open")))
  const [own, ...others] = await Member.ofPerson(person.id)
  expect([own?.accountId === accountId, others]).toEqual([false, []])
})

test("no number of invitations changes the account in which a sign-in ends", async () => {
  const { guest, own, person } = await invited()
  for (let accounts = 0; accounts < 8; accounts++) {
    const host = anEmail()
    await Member.invite((await findOrOpenAccount(host)).accountId, guest, "owner", host)
  }
  for (let times = 0; times < 2; times++) {
    const { visitor, leadsTo } = await signedIn(guest)
    expect(leadsTo).toBe("/accounts")
    expect(await isIn(visitor)).toBe(true)
  }
  const browsers = await Browser.list(person.id)
  expect(browsers.map(({ accountId }) => accountId)).toEqual([own, own])
  // Not even those that they accepted.
  for (const { accountId } of await Member.invitationsOf(guest)) await Member.accept(accountId, person)
  expect(await Member.ofPerson(person.id)).toHaveLength(10)
  expect((await findOrOpenAccount(guest)).accountId).toBe(own)
})

test("an invitation that was withdrawn, used or made for another account cannot be accepted", async () => {
  const { guest, theirs, person, host } = await invited()
  const another = await invited()
  const { visitor } = await signedIn(guest)
  expect((await visitor.post("/accounts/join", { account: another.theirs })).status).toBe(403)
  await Member.withdraw(theirs, guest)
  expect((await visitor.post("/accounts/join", { account: theirs })).status).toBe(403)
  await Member.invite(theirs, guest, "viewer", host)
  const once = await Promise.all([1, 2].map(() => Member.accept(theirs, person)))
  expect(once.filter(Boolean)).toHaveLength(1)
})

test("a fresh sign-in goes on in the account that one looked at, by code, and by the link in any browser", async () => {
  const { guest, theirs, person } = await invited()
  const { visitor } = await signedIn(guest)
  await visitor.post("/accounts/join", { account: theirs })
  const shown = async () => (await Browser.list(person.id)).map(({ accountId }) => accountId)
  const ask = async () => {
    expect((await visitor.post("/sign-in", { email: guest, next: "/keys" })).status).toBe(303)
    return mailed(guest)
  }
  await visitor.post("/sign-in/code", { code: (await ask()).code, next: "/keys" })
  expect(await shown()).toEqual([theirs])
  const other = aVisitor()
  expect((await other.post((await ask()).link)).headers.get("location")).toBe("/keys")
  expect(await shown()).toEqual([theirs, theirs])
  // In another person's browser, the link leads nowhere.
  const stranger = await invited()
  const { visitor: theirBrowser } = await signedIn(stranger.guest)
  await theirBrowser.post("/sign-in", { email: stranger.host })
  await theirBrowser.post(mailed(stranger.host).link)
  const { person: host } = await findOrOpenAccount(stranger.host)
  expect((await Browser.list(host.id)).map(({ accountId }) => accountId)).toEqual([stranger.theirs])
})

test("a mailed link leads to where one wanted to go, on this host, and no further than a path may be long", async () => {
  for (const [next, goal] of [
    ["/numbers/shop/events?type=message", "/numbers/shop/events?type=message"],
    ["//evil.example", "/"],
    [`/${"x".repeat(5000)}`, "/"],
  ] as const) {
    const email = anEmail()
    await aVisitor().post("/sign-in", { email, next })
    expect((await aVisitor().post(mailed(email).link)).headers.get("location")).toBe(goal)
  }
})

test("a member leaves an account and is in their own again, and the last owner stays", async () => {
  const { guest, theirs, own, person, host } = await invited()
  const { visitor } = await signedIn(guest)
  await visitor.post("/accounts/join", { account: theirs })
  expect((await visitor.post("/account/leave")).headers.get("location")).toBe("/accounts")
  expect((await visitor.get("/numbers")).status).toBe(200)
  expect((await Browser.list(person.id))[0]?.accountId).toBe(own)
  expect(await Member.list(theirs)).toHaveLength(1)
  const { visitor: owner } = await signedIn(host)
  const refused = await owner.post("/account/leave")
  expect(await refused.text()).toContain("You are its last owner")
  expect(await Member.list(theirs)).toHaveLength(1)
})

test("with a deleted account go its people and invitations; a member of another account goes on there", async () => {
  const { guest, theirs, own, person, host } = await invited()
  const { visitor: owner } = await signedIn(host)
  const { visitor } = await signedIn(guest)
  await visitor.post("/accounts/join", { account: theirs })
  const late = anEmail()
  await Member.invite(theirs, late, "member", host)
  const { person: gone } = await findOrOpenAccount(host)
  expect(await removeEmpty(theirs)).toBe(true)
  expect([await Member.list(theirs), await Member.invitationsOf(late)]).toEqual([[], []])
  // The owner is in no other account, and so a newcomer from now on, also by their address.
  expect((await owner.get("/numbers")).headers.get("location")).toBe("/sign-in?next=%2Fnumbers")
  expect((await findOrOpenAccount(host)).person.id).not.toBe(gone.id)
  // In another one.
  expect((await visitor.get("/numbers")).headers.get("location")).toBe("/accounts?next=%2Fnumbers")
  await visitor.post("/accounts/turn", { account: own })
  expect((await visitor.get("/numbers")).status).toBe(200)
  expect((await Member.ofPerson(person.id)).map(({ accountId }) => accountId)).toEqual([own])
})

test("a membership of an account that is gone is no way in, and hides no other account", async () => {
  const { guest, own, person } = await invited()
  for (let accounts = 0; accounts < 4; accounts++) await Member.add(randomUUID(), person, "owner")
  expect((await findOrOpenAccount(guest)).accountId).toBe(own)
  const { visitor } = await signedIn(guest)
  expect(await isIn(visitor)).toBe(true)
})

test("an invitation to an account that is gone misleads no one, and a newcomer has their own account", async () => {
  const email = anEmail()
  await Member.invite(randomUUID(), email, "member", anEmail())
  for (let times = 0; times < 2; times++) {
    const { visitor, leadsTo } = await signedIn(email)
    expect([leadsTo, await isIn(visitor)]).toEqual(["/", true])
  }
})

test("people are forgotten with their last account, whatever an interrupted deletion of another has left", async () => {
  const email = anEmail()
  const { accountId, person } = await findOrOpenAccount(email)
  const { visitor } = await signedIn(email)
  const interrupted = randomUUID()
  await Member.add(interrupted, person, "owner")
  expect(await removeEmpty(accountId)).toBe(true)
  expect([await Person.get(person.id), await Browser.list(person.id)]).toEqual([undefined, []])
  expect((await visitor.get("/numbers")).headers.get("location")).toBe("/sign-in?next=%2Fnumbers")
  await removePeople(interrupted)
  expect([await Member.list(interrupted), await Member.ofPerson(person.id)]).toEqual([[], []])
})

test("the last owner cannot be removed, and of two who remove each other at once one stays", async () => {
  const first = await findOrOpenAccount(anEmail())
  expect(await Member.remove(first.accountId, first.person.id)).toBe(false)
  const second = await findOrOpenAccount(anEmail())
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
  const { accountId } = await findOrOpenAccount(email)
  const link = `/sign-in/link/${await SignIn.newLinkToPrint(email)}`
  const visitor = aVisitor()
  expect(await (await visitor.get(link)).text()).toContain("data-go")
  expect((await visitor.post(link)).status).toBe(303)
  expect((await visitor.post(link)).status).toBe(404)
  expect((await visitor.get("/dev/mail")).status).toBe(403)
  await Account.makeOperator(accountId)
  await Mail.send({ to: email, subject: "You", text: "Look at https://dash.example/accounts, and choose." })
  const mails = (await (await visitor.get("/dev/mail")).text()).replaceAll("&#x2F;", "/")
  expect(mails).toContain('<a href="https://dash.example/accounts">https://dash.example/accounts</a>, and')
})

test("turning to another account is no sign-in: it is as old as before, and danger asks for a new one", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const email = anEmail()
    const { visitor, link } = await asked(email)
    await visitor.post(link)
    const own = await findOrOpenAccount(email)
    const other = await findOrOpenAccount(anEmail())
    await Member.add(other.accountId, own.person, "owner")
    vi.setSystemTime(Date.now() + 11 * 60_000)
    for (const account of [own.accountId, other.accountId]) {
      expect((await visitor.post("/accounts/turn", { account })).status).toBe(303)
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

test("a viewer of the operator's account sees neither other accounts nor the mails that would sign them in", async () => {
  const owner = await findOrOpenAccount(anEmail())
  await Account.makeOperator(owner.accountId)
  const email = anEmail()
  await Member.invite(owner.accountId, email, "viewer", owner.person.email)
  const { visitor } = await signedIn(email)
  await visitor.post("/accounts/join", { account: owner.accountId })
  for (const path of ["/operator", "/dev/mail"]) expect((await visitor.get(path)).status).toBe(403)
})
