import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Stripe } from "stripe"
import { afterAll, expect, test } from "vitest"
import { stopListening, listen } from "#one-machine/listen.ts"
import { startPretendStripe } from "#pretend-stripe/start.ts"

const told: { body: string; signature: string }[] = []
let answers = 200
async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  told.push({ body, signature: String(request.headers["stripe-signature"]) })
  response.writeHead(answers).end()
}
const receiver = createServer((request, response) => void take(request, response))
const folder = mkdtempSync(join(tmpdir(), "pretend-stripe-"))
const settings = {
  webhookUrl: `http://127.0.0.1:${await listen(receiver)}/`,
  webhookSecret: "whsec_test",
  file: join(folder, "book.json"),
}
let pretend = await startPretendStripe(settings)
afterAll(async () => {
  await pretend.close()
  await stopListening(receiver)
  rmSync(folder, { recursive: true })
})

/** The official SDK, as it comes. */
function sdk(key = pretend.environment.STRIPE_SECRET_KEY) {
  const { hostname: host, port } = new URL(pretend.url)
  return new Stripe(key, { host, port, protocol: "http", maxNetworkRetries: 0 })
}

async function aSession(idempotencyKey?: string) {
  const { id: customer } = await sdk().customers.create({ email: "ada@example.com" })
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer,
    client_reference_id: "account",
    line_items: [{ price: pretend.environment.STRIPE_PRICE, quantity: 2 }],
    subscription_data: { trial_period_days: 7, metadata: { account_id: "account" } },
    success_url: "http://localhost/done",
    cancel_url: "http://localhost/back",
  }
  const create = async () =>
    await sdk().checkout.sessions.create(params, { ...(idempotencyKey && { idempotencyKey }) })
  return { customer, create, session: await create() }
}

const pay = async (url: string | null, card: string) =>
  await fetch(url!, { method: "POST", body: new URLSearchParams({ card }), redirect: "manual" })

test("the official SDK creates, reads and is refused as at Stripe", async () => {
  const { session, customer } = await aSession()
  expect(session).toMatchObject({
    object: "checkout.session",
    status: "open",
    client_reference_id: "account",
  })
  expect((await pay(session.url, "4242424242424242")).headers.get("location")).toBe("http://localhost/done")
  const { data } = await sdk().subscriptions.list({ customer, status: "all" })
  expect(data).toMatchObject([{ status: "trialing", metadata: { account_id: "account" } }])
  expect(data[0]!.items.data[0]).toMatchObject({ quantity: 2 })
  const preview = await sdk().invoices.createPreview({ subscription: data[0]!.id })
  expect(preview).toMatchObject({ amount_due: 1800, currency: "eur" })
  await expect(sdk("sk_test_wrong").subscriptions.list()).rejects.toMatchObject({ statusCode: 401 })
  await expect(sdk().subscriptions.retrieve("sub_none")).rejects.toMatchObject({ code: "resource_missing" })
  await expect(sdk().coupons.list()).rejects.toMatchObject({ statusCode: 404 })
})

test("an idempotency key is answered from memory, and refused with other parameters", async () => {
  const { create, session } = await aSession("one")
  expect((await create()).id).toBe(session.id)
  await expect(
    sdk().customers.create({ email: "bob@example.com" }, { idempotencyKey: "one" }),
  ).rejects.toMatchObject({ type: "StripeIdempotencyError" })
})

test("webhooks are signed as Stripe signs them, and come again until they are taken", async () => {
  const { session } = await aSession()
  told.length = 0
  answers = 500
  await pay(session.url, "4242424242424242")
  const idOf = ({ body, signature }: (typeof told)[number]) => {
    const { id, type } = sdk().webhooks.constructEvent(body, signature, "whsec_test")
    return type === "checkout.session.completed" && body.includes(session.id) ? id : undefined
  }
  const ids = () => told.flatMap((one) => idOf(one) ?? [])
  await expect.poll(() => ids().length).toBeGreaterThan(1)
  const refused = ids().length
  answers = 200
  await expect.poll(() => ids().length).toBeGreaterThan(refused)
  expect(new Set(ids()).size).toBe(1)
})

test("everything is kept across a restart, the clock as well", async () => {
  const { session, customer } = await aSession()
  await pay(session.url, "4000000000000341")
  pretend.advance(8)
  await pretend.close()
  pretend = await startPretendStripe(settings)
  const { data } = await sdk().subscriptions.list({ customer })
  expect(data).toMatchObject([{ status: "past_due" }])
})

test("a page of Checkout that is not paid for a day can be paid no more", async () => {
  const { session } = await aSession()
  pretend.advance(1.1)
  expect(await (await pay(session.url, "4242424242424242")).text()).toContain("This page is done")
  const found = await sdk().checkout.sessions.retrieve(session.id)
  expect(found).toMatchObject({ status: "expired", url: null })
})

test("the portal asks about one cancellation, of this customer's subscription that does not end yet", async () => {
  const { session, customer } = await aSession()
  await pay(session.url, "4242424242424242")
  const { data } = await sdk().subscriptions.list({ customer })
  const subscription = data[0]!.id
  const open = async (of: string, subscription_cancel?: { subscription: string }) =>
    await sdk().billingPortal.sessions.create({
      customer: of,
      return_url: "http://localhost/back",
      flow_data: {
        type: "subscription_cancel",
        ...(subscription_cancel && { subscription_cancel }),
        after_completion: { type: "redirect", redirect: { return_url: "http://localhost/canceled" } },
      },
    })
  await expect(open(customer)).rejects.toMatchObject({ statusCode: 400 })
  const { customer: stranger } = await aSession()
  await expect(open(stranger, { subscription })).rejects.toMatchObject({ code: "resource_missing" })
  const { url } = await open(customer, { subscription })
  const done = await fetch(url, { method: "POST", redirect: "manual" })
  expect(done.headers.get("location")).toBe("http://localhost/canceled")
  expect(await sdk().subscriptions.retrieve(subscription)).toMatchObject({ cancel_at_period_end: true })
  await expect(open(customer, { subscription })).rejects.toThrow("already set to be canceled")
  await sdk().subscriptions.cancel(subscription)
  await expect(open(customer, { subscription })).rejects.toMatchObject({ statusCode: 400 })
})
