import { randomBytes } from "node:crypto"
import { expect, onTestFinished, test } from "vitest"
import { lookAtStripe } from "#billing/look-at-stripe.ts"
import { Payer } from "#billing/payer.ts"
import { money, priceLine } from "#billing/price-and-bills.ts"
import { stripe as sdk } from "#billing/stripe.ts"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { Account } from "#core/account/account.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Member } from "#core/account/member.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import { now } from "#core/platform/clock.ts"
import { startChromium } from "#one-machine/browser/chromium.ts"
import { price as thePrice } from "#pretend-stripe/book.ts"
import { payWith, stripe } from "#test/billing/support/billed.ts"
import { faultsOf, twoLooks } from "#test/support/service/page-faults.ts"
import { aVisitor } from "#test/support/service/visitor.ts"
import { sees } from "#test/support/service/walk.ts"

const card = { pays: "4242424242424242", fails: "4000000000000341" }
const anEmail = () => `${randomBytes(6).toString("hex")}@example.com`

/** A person who has just signed up. */
async function aPerson(role?: Member.Role) {
  const email = anEmail()
  const { accountId, person } = await findOrOpenAccount(email)
  if (role) {
    await Member.add(accountId, (await findOrOpenAccount(anEmail())).person, "owner")
    await Member.add(accountId, person, role)
  }
  const visitor = aVisitor()
  await visitor.post(`/sign-in/link/${await SignIn.newLinkToPrint(email)}`)
  const text = async (path: string) => (await (await visitor.get(path)).text()).replaceAll("&#x2F;", "/")
  const led = async (path: string, form: Record<string, string> = {}) =>
    (await visitor.post(path, form)).headers.get("location") ?? ""
  return { ...visitor, text, led, accountId, email }
}
type Person = Awaited<ReturnType<typeof aPerson>>

const shop = { customer_ref: "shop", webhook_url: "https://example.com/hook" }

/** Pays for the first number, as a browser does. */
async function subscribe(person: Person, number: string): Promise<string> {
  expect(await person.led("/new-number", shop)).toBe("/subscription")
  await payWith(number, await person.led("/subscription/begin"))
  return (await person.get("/subscription/return")).headers.get("location") ?? ""
}

test("a first number leads to its price, to Checkout, and straight on to the code", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  const asked = await person.led("/new-number", shop)
  expect(asked).toBe("/subscription")
  const page = await person.text(asked)
  expect(page).toContain("Start 7 days free and link shop")
  expect(page).toContain("€9.00 for each number")
  expect(page).toContain("no money moves")
  const policy = (await person.get(asked)).headers.get("content-security-policy")
  expect(policy).toContain(`form-action 'self' ${new URL(stripe.url).origin};`)
  expect(await subscribe(person, card.pays)).toBe("/numbers/shop/connect")
  expect((await Bridge.get(person.accountId, "shop")).webhookUrl).toBe("https://example.com/hook")
  const after = await person.text("/subscription")
  expect(after).toContain("First charge")
  expect(after).toContain("7 days")
  expect(await person.text("/account")).toContain('href="/subscription"')
  // A customer who comes back once more, or wants to pay in a second tab, finds what there is.
  expect((await person.get("/subscription/return")).headers.get("location")).toBe("/subscription")
  expect(await person.led("/subscription/begin")).toBe("/subscription")
  expect(Object.values(stripe.book.subscriptions)).toHaveLength(1)
})

test("a number that cannot be created is refused before the customer pays for it", async () => {
  const person = await aPerson()
  const answer = await person.post("/new-number", { ...shop, customer_ref: "x".repeat(65) })
  expect(answer.status).toBe(400)
  expect(answer.headers.get("location")).toBeNull()
})

test("a card that fails is on every page, with the way to pay; later the reason why the numbers are paused", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await subscribe(person, card.fails)
  stripe.advance(8)
  await lookAtStripe(person.accountId)
  for (const path of ["/", "/numbers", "/keys", "/account", "/numbers/shop"])
    expect([path, await person.text(path)]).toEqual([path, expect.stringContaining("A payment has failed")])
  const refused = await person.led("/new-number", { ...shop, customer_ref: "second" })
  const owed = await person.text(refused)
  expect(owed).toContain("Pay now")
  expect(owed).not.toContain("Beyond")
  stripe.advance(16)
  await lookAtStripe(person.accountId)
  expect(await person.text("/subscription")).toContain("Their data is kept until")
  for (const path of ["/numbers", "/numbers/shop"]) {
    const paused = await person.text(path)
    expect(paused).toContain("A payment is missing. Once it is made, this number runs again by itself.")
    expect(paused).toMatch(/<a class="button [a-z]+" href="\/subscription"\s*>Pay/)
  }
  const invoice = await person.led("/subscription/pay")
  expect(invoice).toContain("/invoice/in_")
  await payWith(card.pays, invoice)
  await person.get("/subscription/return")
  expect(await person.text("/numbers")).not.toContain("your numbers are paused")
  const paid = await person.text("/subscription")
  expect(paid).toMatch(/<dt>Paid until<\/dt>\s*<dd><time /)
  expect(paid).toContain("One that you delete is a credit on the next invoice.")
})

test("the page has no accessibility fault in any state, by day and by night, wide and narrow", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  const browser = await startChromium()
  onTestFinished(() => browser.close())
  const url = process.env.DASHBOARD_URL!
  const { hostname: domain, port } = new URL(url)
  // The visitor was at port 80.
  const here = (name: string) => name.replace("-80-", `-${port}-`)
  await browser.setCookie(...[...person.jar].map(([name, value]) => ({ name: here(name), value, domain })))
  const page = await browser.newPage()
  await page.setBypassCSP(true)
  const faults: string[] = []
  const visit = async (words: string) => {
    await lookAtStripe(person.accountId)
    await page.goto(`${url}/subscription`)
    await sees(page, words)
    faults.push(...(await faultsOf(page, twoLooks)))
  }
  expect(await person.led("/new-number", shop)).toBe("/subscription")
  await visit("7 days free")
  await subscribe(person, card.fails)
  await visit("First charge")
  stripe.advance(8)
  await visit("Pay now")
  await visit("Due now")
  stripe.advance(16)
  await visit("Their data is kept until")
  await (await sdk()).customers.del((await Payer.get(person.accountId))!.customer!)
  await visit("Subscribe again")
  expect(faults).toEqual([])
}, 120_000)

test("an account whose subscription the operator set reads that it has nothing to pay, and reads no prices", async () => {
  const person = await aPerson()
  await Account.setSubscription(person.accountId, "active")
  const page = (await person.text("/subscription")).replaceAll(/\s+/g, " ")
  expect(page).toContain(
    "Nothing to pay here: the operator of this service has set your subscription by hand.",
  )
  expect(page).toMatch(
    / 0 of (\d+) numbers are in use; the sandbox does not count\. Beyond \1 none can be added:/,
  )
  expect(page).not.toContain("Stripe")
})

test("a customer who cancels reads first what that does, confirms it at Stripe, and sees when it ends", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await subscribe(person, card.pays)
  const page = await person.text("/subscription")
  for (const words of [
    "ends with 4242",
    "What a cancellation does",
    "your number stops",
    '/subscription" aria-current=page',
  ])
    expect(page).toContain(words)
  const asking = await person.led("/subscription/cancel")
  const asked = await (await fetch(asking)).text()
  expect(asked).toContain("Cancel your subscription")
  expect(asked).not.toContain("4242")
  const done = await fetch(asking, { method: "POST", body: new URLSearchParams(), redirect: "manual" })
  const { pathname } = new URL(done.headers.get("location")!)
  await Bridge.remove(await Bridge.get(person.accountId, "shop"))
  expect((await person.get(pathname)).headers.get("location")).toBe("/subscription")
  const canceled = await person.text("/subscription")
  for (const words of ["It ends on", "You have canceled.", "Keep it after all"])
    expect(canceled).toContain(words)
  for (const words of ["as you asked", "Paid until", "Add a number", "can be added"])
    expect(canceled).not.toContain(words)
  expect(await Bridge.list(person.accountId)).toEqual([])
  const entries = (await AuditLog.find(person.accountId)).entries.toReversed()
  const acts = entries.map((entry) => AuditLog.sentenceOf(entry).replace(person.email, "Somebody"))
  const until = expect.stringMatching(/^Stripe says of the subscription: trialing, until \d{4}-\d\d-\d\d$/)
  expect(acts.filter((act) => act.includes("Stripe"))).toEqual([
    "Somebody went to Stripe to subscribe",
    "Stripe says of the subscription: trialing",
    "Somebody came back from Stripe, where the subscription is trialing",
    "Somebody went to Stripe to cancel the subscription",
    until,
    expect.stringMatching(/^Somebody came back from Stripe, where the subscription is trialing, until /),
  ])
  // Stripe has no browser, and no address that tells anything.
  const row = /<bdi>Stripe<\/bdi>[^]*?<\/tr>/.exec(await person.text("/account/audit-log"))![0]
  expect(row).not.toContain("no browser")
})

test("a subscription that ends is not canceled again: another tab is led to the portal, where it can go on", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await subscribe(person, card.pays)
  await fetch(await person.led("/subscription/cancel"), { method: "POST", redirect: "manual" })
  const portal = await person.led("/subscription/cancel")
  const shown = await (await fetch(portal)).text()
  for (const words of ["ends with 4242", "Go on after all"]) expect(shown).toContain(words)
  await fetch(portal, { method: "POST", body: new URLSearchParams({ act: "go-on" }) })
  await person.get("/subscription/changed")
  expect(await person.text("/subscription")).not.toContain("You have canceled.")
})

test("a customer who closed the tab of the payment is led on to the number that they wanted", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await person.led("/new-number", shop)
  await payWith(card.pays, await person.led("/subscription/begin"))
  await lookAtStripe(person.accountId)
  const page = await person.text("/subscription")
  expect(page).toContain("Go on linking shop")
  expect(page).not.toContain("Your numbers run.")
  expect(await person.led("/subscription/begin")).toBe("/numbers/shop/connect")
  expect(await person.text("/subscription")).toContain("Your numbers run.")
})

test("an account without subscription or number any more is left in peace, and finds its old invoices", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await subscribe(person, card.pays)
  await (await sdk()).subscriptions.cancel((await Payer.get(person.accountId))!.said!.id)
  await lookAtStripe(person.accountId)
  expect(await person.text("/numbers")).toContain("Your subscription has ended: your numbers are paused.")
  await Bridge.remove(await Bridge.get(person.accountId, "shop"))
  const payer = (await Payer.get(person.accountId))!
  await Payer.change(payer, { stoppedAt: now() - 40 * 86_400 })
  for (const path of ["/", "/numbers", "/subscription"])
    expect([path, await person.text(path)]).toEqual([path, expect.not.stringContaining("role=alert")])
  const page = await person.text("/subscription")
  expect(page).not.toContain("Their data is kept")
  expect(await person.led("/subscription/portal")).toContain(stripe.url)
  expect(page).toContain("Card and old invoices")
})

const written = (cents: number, currency: string) => money({ cents, currency }).replaceAll("\u00a0", " ")

test("a number that its people have paused stays paused while nothing is paid, and cannot be woken before", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await subscribe(person, card.fails)
  const { id } = await Bridge.get(person.accountId, "shop")
  await person.post("/numbers/shop/settings/pause")
  stripe.advance(24)
  await lookAtStripe(person.accountId)
  expect((await Lease.get(id))?.stopped).toEqual(["customer", "billing"])
  expect((await person.post("/numbers/shop/settings/wake")).status).toBe(402)
  expect((await Lease.get(id))?.stopped).toEqual(["customer", "billing"])
  await payWith(card.pays, await person.led("/subscription/pay"))
  await person.get("/subscription/return")
  expect((await Lease.get(id))?.stopped).toEqual(["customer"])
  expect((await person.post("/numbers/shop/settings/wake")).status).toBe(200)
  expect((await Lease.get(id))?.stopped).toEqual([])
})

test("amounts are written with the decimals that Stripe gives them, and a price says its span", () => {
  expect(written(900, "eur")).toBe("€9.00")
  expect(written(900, "jpy")).toBe("¥900")
  expect(written(90_000, "isk")).toBe("ISK 900")
  expect(written(90_000, "ugx")).toBe("UGX 900")
  expect(written(1045, "huf")).toBe("HUF 10.45")
  expect(written(90_000, "idr")).toBe("IDR 900")
  expect(written(9120, "kwd")).toBe("KWD 9.120")
  const price = { cents: 9000, currency: "eur", interval: "year", count: 1 } as const
  expect(priceLine(price)).toBe("€90.00 for each number and year")
  expect(priceLine({ ...price, interval: "month", count: 3 })).toBe("€90.00 for each number, every 3 months")
})

test("a price that is not one amount for each number is not shown", async () => {
  const person = await aPerson()
  const before = { ...thePrice }
  onTestFinished(() => void Object.assign(thePrice, before))
  Object.assign(thePrice, { unit_amount: null })
  const page = await person.text("/subscription")
  expect(page).toContain("Start 7 days free")
  expect(page).not.toContain("for each number")
})

test("an account whose subscription is gone from Stripe is told on every page, and may subscribe", async () => {
  stripe.webhooks.hold()
  const person = await aPerson()
  await subscribe(person, card.pays)
  stripe.book.customers = {}
  await person.get("/subscription/changed")
  const told = expect.stringContaining("This account has no subscription: your numbers are paused.")
  for (const path of ["/", "/numbers"]) expect([path, await person.text(path)]).toEqual([path, told])
  const page = await person.text("/subscription")
  expect(page).toContain("Your numbers are paused until this account has a subscription.")
  expect(page).not.toContain("This account has no subscription")
  expect(await person.text("/numbers/shop")).toContain("Once it has one, this number runs again by itself.")
  expect(await person.led("/subscription/begin")).toContain("/checkout/cs_test_")
})

test("while Stripe is away the page says so, and nothing is lost", async () => {
  const person = await aPerson()
  stripe.away(true)
  const answer = await person.post("/subscription/begin")
  stripe.away(false)
  expect(answer.status).toBe(503)
  expect(await answer.text()).toContain("Stripe cannot be reached")
  expect(await person.led("/subscription/begin")).toContain("/checkout/cs_test_")
})

test.each(["viewer", "member"] as const)("a %s pays for nothing, and cancels nothing", async (role) => {
  const viewer = await aPerson(role)
  expect(await viewer.text("/subscription")).toContain("Only owners pay for this account: ask <a href=")
  for (const act of ["begin", "pay", "portal", "cancel"])
    expect((await viewer.post(`/subscription/${act}`, shop)).status).toBe(403)
  for (const path of ["/subscription", "/subscription/return"])
    expect((await aVisitor().get(path)).headers.get("location")).toMatch(/^\/sign-in/)
})
