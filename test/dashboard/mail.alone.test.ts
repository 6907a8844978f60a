import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import "#test/support/store.ts"
import { Mail } from "#core/account/mail.ts"
import { config } from "#core/platform/config.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { startSes } from "#test/support/ses.ts"

Object.assign(config, { MAIL_FROM: "bridge@example.com", DASHBOARD_URL: "https://dash.example" })

let ses: Awaited<ReturnType<typeof startSes>>
beforeAll(async () => {
  ses = await startSes()
  config.AWS_ENDPOINT_URL_SESV2 = ses.endpoint
})
afterAll(() => ses.close())

test("with an address to send from, SES mails a code that is kept nowhere, and a link to the dashboard", async () => {
  const visitor = aVisitor()
  const answer = await visitor.post("/sign-in", { email: "ada@example.com" })
  expect(answer.status).toBe(303)
  expect(await (await visitor.get("/sign-in/code")).text()).toContain("on their way to <b>ada@example.com")
  const [mail, ...others] = ses.mails
  expect(others).toEqual([])
  expect(mail).toMatchObject({ from: "bridge@example.com", to: "ada@example.com" })
  expect(mail?.text).toContain("https://dash.example/sign-in/link/")
  expect(Mail.latest()).toEqual([])
  const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(mail!.text)![1]!
  expect((await visitor.post("/sign-in/code", { code })).status).toBe(303)

  const invited = await visitor.post("/account/invite", { email: "bob@example.com", role: "viewer" })
  expect(await invited.text()).toContain("can join after a sign-in with this address")
  expect(ses.mails[1]).toMatchObject({ to: "bob@example.com", subject: "ada@example.com invites you" })
  expect(ses.mails[1]?.text).toContain("https://dash.example/sign-in/link/")
})

test.for([
  [{ MAIL_FROM: "" }, "kept", "terminal of", true],
  [
    { MAIL_FROM: "", PUBLIC_URL: "https://dash.example" },
    "none",
    "sign in with a passkey, or ask the people",
    false,
  ],
  [{}, "sent", "You get a code by mail.", true],
] as const)(
  "the sign-in fits how the service treats mails: %j, %s",
  async ([settings, way, says, asksAddress]) => {
    const before = { ...config }
    Object.assign(config, settings)
    onTestFinished(() => void Object.assign(config, before))
    expect(Mail.way()).toBe(way)
    const page = await (await aVisitor().get("/sign-in")).text()
    expect(page).toContain(says)
    expect(page.includes('name="email"')).toBe(asksAddress)
    expect(page.includes("terminal")).toBe(way === "kept")
  },
)

test("a mail that SES refuses is said to be unsent, and an invitation holds without it", async () => {
  const visitor = aVisitor()
  const refused = await visitor.post("/sign-in", { email: "ada@unproved.example" })
  expect(refused.status).toBe(503)
  expect(await refused.text()).toContain("The mail could not be sent")
  await visitor.post("/sign-in", { email: "carl@example.com" })
  const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(ses.mails.at(-1)!.text)![1]!
  await visitor.post("/sign-in/code", { code })
  const invited = await visitor.post("/account/invite", { email: "dora@unproved.example", role: "member" })
  expect(await invited.text()).toContain("No mail could be sent: tell them yourself")
})

test("invitations count as mails: one address is not flooded by many accounts, nor many by one", async () => {
  const visitor = aVisitor()
  await visitor.post("/sign-in", { email: "eve@example.com" })
  const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(ses.mails.at(-1)!.text)![1]!
  await visitor.post("/sign-in/code", { code })
  const before = ses.mails.length
  for (let n = 0; n < 12; n++)
    await visitor.post("/account/invite", { email: `n${n}@example.com`, role: "member" })
  // One of the ten was the code.
  expect(ses.mails.length - before).toBe(9)
})
