import { Hono } from "hono"
import type { Context } from "hono"
import {
  type Book,
  type Customer,
  idFor,
  type Invoice,
  type Portal,
  price,
  type Subscription,
} from "./book.ts"
import { expire, open } from "./checkout.ts"
import { type Form, parseForm } from "./form.ts"
import { remove } from "./remove-customer.ts"
import { cancel, changeQuantity, endTrial } from "./subscriptions.ts"
import { now, type World } from "./world.ts"

/** A refusal in Stripe's words. */
class Refused extends Error {
  readonly status: 400 | 401 | 404
  readonly type: string
  readonly code: string | undefined

  constructor(status: 400 | 401 | 404, message: string, about: { type?: string; code?: string } = {}) {
    super(message)
    this.status = status
    this.type = about.type ?? "invalid_request_error"
    this.code = about.code
  }
}

interface Env {
  Variables: { form: Form }
}

/** The part of Stripe's API that is used here, for its official SDK. */
export function api(input: { world: World; keys: () => string[]; isBroken: () => boolean }) {
  const { world } = input
  const { book } = world
  const app = new Hono<Env>()

  app.onError((error, c) => {
    if (!(error instanceof Refused)) throw error
    const { message, type, code, status } = error
    return c.json({ error: { message, type, ...(code && { code }) } }, status)
  })
  app.use("/v1/*", async (c, next) => {
    if (!input.keys().some((key) => c.req.header("authorization") === `Bearer ${key}`))
      throw new Refused(401, "Invalid API Key provided")
    const text = c.req.method === "GET" ? new URL(c.req.url).search.slice(1) : await c.req.text()
    c.set("form", parseForm(text))
    const key = c.req.header("idempotency-key")
    if (c.req.method !== "POST" || key === undefined) return await next()
    return await once(book, c, key, `${c.req.path} ${text}`, next)
  })

  app.post("/v1/*", async (c, next) => {
    if (!input.isBroken()) return await next()
    return c.json({ error: { type: "api_error", message: "Something is wrong at Stripe" } }, 500)
  })

  for (const route of [routeCustomers, routeCheckout, routeSubscriptions, routeInvoices, routePortal])
    route(app, world, finding(book))
  app.all("/v1/*", (c) => {
    throw new Refused(404, `Unrecognized request URL (${c.req.method}: ${c.req.path})`)
  })

  return app
}

/** Answers a known idempotency key from memory. */
async function once(book: Book, c: Context<Env>, key: string, call: string, next: () => Promise<void>) {
  const known = book.answered[key]
  if (known && known.call !== call)
    throw new Refused(400, "Keys for idempotent requests can only be used with the same parameters", {
      type: "idempotency_error",
    })
  if (known) return c.json(known.body as object, known.status as 200, { "idempotent-replayed": "true" })
  await next()
  // Failures of Stripe's own are remembered as well.
  book.answered[key] = { call, status: c.res.status, body: await c.res.clone().json() }
  return undefined
}

function routeCustomers(app: Hono<Env>, world: World, { customerOf }: Finding): void {
  const { book } = world
  app.post("/v1/customers", (c) => {
    const { email, metadata } = c.var.form
    const id = idFor("cus")
    book.customers[id] = {
      id,
      object: "customer",
      email: typeof email === "string" ? email : null,
      metadata: texts(metadata),
      created: now(world),
    }
    return c.json(book.customers[id])
  })
  app.get("/v1/customers/:id", (c) => c.json(customerOf(c.req.param("id"))))
  app.delete("/v1/customers/:id", (c) => {
    const customer = customerOf(c.req.param("id"))
    remove(world, customer)
    return c.json(customer)
  })

  app.get("/v1/prices/:id", (c) => {
    if (c.req.param("id") !== price.id) throw missing("price", c.req.param("id"))
    return c.json(price)
  })
}

function routeCheckout(app: Hono<Env>, world: World, { buyer, sessionOf }: Finding): void {
  const { book } = world
  app.post("/v1/checkout/sessions", (c) => {
    const { form } = c.var
    const customer = buyer(form)
    const [line] = form.line_items as Form[] // `mode=subscription` needs one
    if (form.mode !== "subscription" || line?.price !== price.id)
      throw new Refused(400, "Only a subscription to the one price can be bought here")
    const id = idFor("cs_test")
    const data = (form.subscription_data ?? {}) as Form // an object, by the SDK's types
    const days = data.trial_period_days
    book.asked[id] = {
      quantity: Number(line.quantity),
      trialDays: days === undefined ? undefined : Number(days),
      metadata: texts(data.metadata),
    }
    const session = open(world, {
      id,
      object: "checkout.session",
      mode: "subscription",
      customer,
      client_reference_id: text(form, "client_reference_id"),
      metadata: texts(form.metadata),
      success_url: text(form, "success_url"),
      cancel_url: text(form, "cancel_url"),
    })
    return c.json(session)
  })
  app.get("/v1/checkout/sessions/:id", (c) => c.json(sessionOf(c.req.param("id"))))
  app.post("/v1/checkout/sessions/:id/expire", (c) => {
    const session = sessionOf(c.req.param("id"))
    if (session.status !== "open") throw new Refused(400, "Only open sessions can be expired")
    expire(world, session)
    return c.json(session)
  })
}

function routeSubscriptions(app: Hono<Env>, world: World, { customerOf, subscriptionOf }: Finding): void {
  const { book } = world
  app.get("/v1/subscriptions", (c) => {
    const asked = customerOf(text(c.var.form, "customer")).id
    const data = Object.values(book.subscriptions)
      .filter(({ customer }) => customer === asked)
      .toSorted((a, b) => b.created - a.created)
      .map((one) => ({ ...one, default_payment_method: methodOf(book, one.customer) }))
    return c.json({ object: "list", url: "/v1/subscriptions", has_more: false, data })
  })
  app.get("/v1/subscriptions/:id", (c) => {
    const subscription = subscriptionOf(c.req.param("id"))
    const expand = (c.var.form.expand as string[] | undefined) ?? []
    const invoice = subscription.latest_invoice && book.invoices[subscription.latest_invoice]
    return c.json({
      ...subscription,
      ...(expand.includes("latest_invoice") && { latest_invoice: invoice ?? null }),
      ...(expand.includes("default_payment_method") && {
        default_payment_method: methodOf(book, subscription.customer),
      }),
    })
  })
  app.post("/v1/subscriptions/:id", (c) => {
    const subscription = subscriptionOf(c.req.param("id"))
    if (c.var.form.trial_end !== "now" || subscription.status !== "trialing")
      throw new Refused(400, "Only a trial can be ended here")
    endTrial(world, subscription)
    return c.json(subscription)
  })
  app.delete("/v1/subscriptions/:id", (c) => {
    const subscription = subscriptionOf(c.req.param("id"))
    if (subscription.status === "canceled") throw missing("subscription", subscription.id)
    cancel(world, subscription)
    return c.json(subscription)
  })

  app.post("/v1/subscription_items/:id", (c) => {
    const id = c.req.param("id")
    const subscription = Object.values(book.subscriptions).find(({ items }) => items.data[0].id === id)
    if (!subscription) throw missing("subscription_item", id)
    if (subscription.status === "canceled") throw new Refused(400, "A canceled subscription cannot change")
    const { quantity, proration_behavior = "create_prorations" } = c.var.form
    changeQuantity(world, subscription, Number(quantity), {
      isAtOnce: proration_behavior === "always_invoice",
    })
    return c.json(subscription.items.data[0])
  })
}

/** The card on file, as a way to pay. */
function methodOf(book: Book, customer: string) {
  const card = book.cards[customer]
  if (!card) return null
  return {
    object: "payment_method",
    card: { last4: card.last4, fingerprint: card.fingerprint ?? customer },
  }
}

function routeInvoices(
  app: Hono<Env>,
  world: World,
  { customerOf, invoiceOf, subscriptionOf }: Finding,
): void {
  const { book } = world
  app.get("/v1/invoices", (c) => {
    const { status } = c.var.form
    const asked = customerOf(text(c.var.form, "customer")).id
    const data = Object.values(book.invoices)
      .filter((one) => one.customer === asked && (status === undefined || one.status === status))
      .toSorted((a, b) => b.created - a.created)
    return c.json({ object: "list", url: "/v1/invoices", has_more: false, data })
  })
  app.get("/v1/invoices/:id", (c) => c.json(invoiceOf(c.req.param("id"))))
  app.post("/v1/invoices/:id/finalize", (c) => {
    const invoice = invoiceOf(c.req.param("id"))
    if (invoice.status !== "draft") throw new Refused(400, "This invoice is already finalized")
    invoice.status = "open"
    return c.json(invoice)
  })

  app.post("/v1/invoices/create_preview", (c) => {
    const subscription = subscriptionOf(text(c.var.form, "subscription"))
    const [{ quantity, current_period_end: at }] = subscription.items.data
    const amount =
      (subscription.cancel_at_period_end ? 0 : quantity * price.unit_amount) +
      (book.pending[subscription.id] ?? 0)
    const about = { currency: price.currency, amount_due: Math.max(0, amount), next_payment_attempt: at }
    return c.json({ id: "upcoming_in", object: "invoice", ...about, period_end: at })
  })
}

function routePortal(app: Hono<Env>, world: World, find: Finding): void {
  const { buyer } = find
  const { book } = world
  app.post("/v1/billing_portal/sessions", (c) => {
    const id = idFor("bps")
    const customer = buyer(c.var.form)
    const return_url = text(c.var.form, "return_url")
    book.portals[id] = { customer, return_url, cancels: cancelFlow(find, c.var.form, customer) }
    return c.json({ id, object: "billing_portal.session", url: `${world.url()}/portal/${id}` })
  })
}

/**
 * The only flow of the portal that is here: to cancel a subscription of this customer that does not end yet.
 */
function cancelFlow({ subscriptionOf }: Finding, form: Form, customer: string): Portal["cancels"] {
  if (form.flow_data === undefined) return undefined
  const flow = form.flow_data as Form // an object, by the SDK's types
  if (flow.type !== "subscription_cancel") throw new Refused(400, "There is no such flow here")
  const { subscription: asked } = (flow.subscription_cancel ?? {}) as Form // likewise
  if (typeof asked !== "string")
    throw new Refused(400, "Missing required param: flow_data[subscription_cancel][subscription].")
  const subscription = subscriptionOf(asked)
  if (subscription.customer !== customer) throw missing("subscription", asked)
  if (subscription.status === "canceled")
    throw new Refused(400, "The subscription is canceled, and cannot be canceled again")
  if (subscription.cancel_at_period_end)
    throw new Refused(400, "The subscription is already set to be canceled at period end")
  const { type, redirect } = (flow.after_completion ?? {}) as Form // likewise
  const return_url = type === "redirect" ? text(redirect as Form, "return_url") : undefined
  return { subscription: asked, return_url }
}

type Finding = ReturnType<typeof finding>

/** What the book has under an id; without, the call is refused. */
function finding(book: Book) {
  function customerOf(id: string): Customer {
    const customer = book.customers[id]
    if (!customer) throw missing("customer", id)
    return customer
  }
  /** The customer of a call. One that was deleted can be read, but not used. */
  function buyer(form: Form): string {
    const { id, deleted } = customerOf(text(form, "customer"))
    if (deleted) throw missing("customer", id)
    return id
  }
  function sessionOf(id: string) {
    const session = book.sessions[id]
    if (!session) throw missing("checkout.session", id)
    return session
  }
  function invoiceOf(id: string): Invoice {
    const invoice = book.invoices[id]
    if (!invoice) throw missing("invoice", id)
    return invoice
  }
  function subscriptionOf(id: string): Subscription {
    const subscription = book.subscriptions[id]
    if (!subscription) throw missing("subscription", id)
    return subscription
  }
  return { customerOf, buyer, sessionOf, invoiceOf, subscriptionOf }
}

function missing(kind: string, id: string): Refused {
  return new Refused(404, `No such ${kind}: '${id}'`, { code: "resource_missing" })
}

function text(form: Form, name: string): string {
  const value = form[name]
  if (typeof value !== "string") throw new Refused(400, `Missing required param: ${name}.`)
  return value
}

function texts(given: Form[string] | undefined): Record<string, string> {
  return (given ?? {}) as Record<string, string> // metadata is flat
}
