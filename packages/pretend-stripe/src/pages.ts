import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { type Book, price, type Session } from "./book.ts"
import { type Card, cardOf } from "./cards.ts"
import { complete } from "./checkout.ts"
import { payInvoice, useCard } from "./invoices.ts"
import { advance } from "./pass-time.ts"
import { setCancelAtEnd } from "./subscriptions.ts"
import { now, type World } from "./world.ts"

type Html = ReturnType<typeof html>

/** Stripe's hosted pages: Checkout, an invoice, the customer portal; and a page to let days pass. */
export function pages(world: World) {
  const { book } = world
  const app = new Hono()

  app.get("/checkout/:id", (c) => {
    const session = book.sessions[c.req.param("id")]
    return session ? c.html(checkout(world, session)) : c.notFound()
  })
  app.post("/checkout/:id", async (c) => {
    const session = book.sessions[c.req.param("id")]
    if (!session) return c.notFound()
    if (session.status !== "open") return c.html(checkout(world, session))
    return await withCard(
      c,
      `Pay with this card`,
      (problem) => checkout(world, session, problem),
      (card) => {
        complete(world, session, card)
        return session.success_url
      },
    )
  })

  app.get("/invoice/:id", (c) => {
    const found = book.invoices[c.req.param("id")]
    return found ? c.html(invoice(found)) : c.notFound()
  })
  app.post("/invoice/:id", async (c) => {
    const found = book.invoices[c.req.param("id")]
    if (!found) return c.notFound()
    if (found.status !== "open") return c.html(invoice(found))
    return await withCard(
      c,
      "Pay with this card",
      (problem) => invoice(found, problem),
      (card) => {
        if (card.fails) return undefined
        payInvoice(world, found, card)
        return c.req.path
      },
    )
  })

  routePortal(app, world)

  app.get("/", (c) => c.html(desk(world)))
  app.post("/advance", async (c) => {
    const { days } = await c.req.parseBody()
    advance(world, Number(days) * 86_400)
    return c.redirect(world.url(), 303)
  })

  return app
}

function routePortal(app: Hono, world: World): void {
  const { book } = world
  app.get("/portal/:id", (c) => c.html(portal(world, c.req.param("id"))))
  app.post("/portal/:id", async (c) => {
    const id = c.req.param("id")
    const { customer, cancels } = book.portals[id] ?? {}
    const { act } = await c.req.parseBody()
    if (customer === undefined) return c.notFound()
    if (cancels) {
      setCancelAtEnd(world, book.subscriptions[cancels.subscription]!, true)
      delete book.portals[id]!.cancels
      return c.redirect(cancels.return_url ?? c.req.path, 303)
    }
    if (act === undefined)
      return await withCard(
        c,
        "Put this card on file",
        (problem) => portal(world, id, problem),
        (card) => {
          useCard(world, customer, card)
          return c.req.path
        },
      )
    for (const subscription of ofCustomer(world, customer))
      setCancelAtEnd(world, subscription, act === "cancel")
    return c.redirect(c.req.path, 303)
  })
}

function ofCustomer({ book }: World, customer: string) {
  return Object.values(book.subscriptions).filter(
    (one) => one.customer === customer && one.status !== "canceled",
  )
}

function checkout({ book }: World, session: Session, problem?: string): Html {
  const { trialDays, quantity } = book.asked[session.id]!
  if (session.status !== "open")
    return whole(
      "This page is done",
      html`<p>It can be paid once, and has been, or it is too old.</p>
        <p><a href="${session.cancel_url}">Back</a></p>`,
    )
  const due = trialDays === undefined ? money(quantity * price.unit_amount) : money(0)
  const trial =
    trialDays === undefined
      ? ""
      : html`<p>${trialDays} days free, then ${money(price.unit_amount)} for each number and month.</p>`
  return whole(
    "Checkout",
    html`${trial}
      <p>Due today: <b>${due}</b></p>
      ${cardForm(problem)}
      <p><a href="${session.cancel_url}">Back, without paying</a></p>`,
  )
}

function portal(world: World, id: string, problem?: string): Html {
  const { book } = world
  const page = book.portals[id]
  if (!page) return whole("Gone", html`<p>This page is too old.</p>`)
  if (page.cancels)
    return whole(
      "Cancel your subscription",
      html`<p>It then ends with the time that is paid.</p>
        <form method="post"><button>Cancel it</button></form>
        <p><a href="${page.return_url}">Back, without canceling</a></p>`,
    )
  const card = book.cards[page.customer]
  const invoices = Object.values(book.invoices).filter(({ customer }) => customer === page.customer)
  return whole(
    "Your subscription",
    html` ${ofCustomer(world, page.customer).map(
        (one) =>
          html`<p>
              ${one.items.data[0].quantity} numbers:
              ${one.status}${one.cancel_at_period_end ? ", ends with this period" : ""}.
            </p>
            <form method="post">
              <button name="act" value="${one.cancel_at_period_end ? "go-on" : "cancel"}">
                ${one.cancel_at_period_end ? "Go on after all" : "Cancel it"}
              </button>
            </form>`,
      )}
      <p>Card on file: ${card ? `ends with ${card.last4}` : "none"}.</p>
      ${cardForm(problem)}
      <ul>
        ${invoices.map((one) => html`<li><a href="${one.hosted_invoice_url}">${money(one.amount_due)}, ${one.status}</a></li>`)}
      </ul>
      <p><a href="${page.return_url}">Back</a></p>`,
  )
}

/** A page for people who try billing out: it shows the clock, and what exists at this Stripe. */
function desk(world: World): Html {
  const { book } = world
  const subscriptions = Object.values(book.subscriptions)
  return whole(
    "The pretend Stripe",
    html` <p>Here it is ${new Date(now(world) * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC.</p>
      ${[1, 8, 30].map((days) => html`<form method="post" action="${world.url()}/advance"><input type="hidden" name="days" value="${days}" /><button>Let ${days} ${days === 1 ? "day" : "days"} pass</button></form>`)}
      <ul>
        ${subscriptions.map((one) => html`<li>${book.customers[one.customer]?.email}: ${one.status}, ${one.items.data[0].quantity} numbers</li>`)}
      </ul>`,
  )
}

function invoice(found: Book["invoices"][string], problem?: string): Html {
  const amount = money(found.amount_due)
  if (found.status !== "open")
    return whole("Invoice", html`<p>${amount}: ${found.status}. You can close this page.</p>`)
  return whole(
    "Invoice",
    html`<p>Due: <b>${amount}</b></p>
      ${cardForm(problem)}`,
  )
}

/** Takes the card of a form: declined, put through a step that its owner confirms, or used. */
async function withCard(
  c: Context,
  label: string,
  again: (problem: string) => Html,
  use: (card: Card) => string | undefined,
) {
  const { card: number, step } = await c.req.parseBody()
  const given = typeof number === "string" ? number : ""
  const card = cardOf(given)
  if (!card) return c.html(again("This card was declined."), 402)
  if (card.wantsStep && step === undefined) return c.html(stepPage(given, label))
  if (card.wantsStep && step !== "done")
    return c.html(again("The step was not confirmed: nothing was paid."), 402)
  const next = use(card)
  return next === undefined ? c.html(again("This card was declined."), 402) : c.redirect(next, 303)
}

function stepPage(number: string, label: string): Html {
  return whole(
    "Your bank wants a step",
    html`<p>${label}?</p>
      <form method="post">
        <input type="hidden" name="card" value="${number}" />
        <button name="step" value="done">Confirm</button>
        <button name="step" value="failed">Do not</button>
      </form>`,
  )
}

function cardForm(problem?: string): Html {
  return html`${problem ? html`<p role="alert"><b>${problem}</b></p>` : ""}
    <form method="post">
      <label for="card">Card number</label>
      <input id="card" name="card" required inputmode="numeric" value="4242 4242 4242 4242" />
      <button>Go on</button>
    </form>
    <p>
      <small
        >4242 4242 4242 4242 pays. 4000 0000 0000 0341 fails when it is charged. 4000 0000 0000 3220 wants a
        step.</small
      >
    </p>`
}

function money(cents: number): string {
  return new Intl.NumberFormat("en", { style: "currency", currency: price.currency }).format(cents / 100)
}

function whole(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · pretend Stripe</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 36rem;
            margin: 3rem auto;
            padding: 0 1rem;
          }
          form {
            display: inline-block;
            margin: 0.5rem 0.5rem 0.5rem 0;
          }
          input,
          button {
            font: inherit;
            padding: 0.4rem 0.6rem;
          }
        </style>
      </head>
      <body>
        <p><b>This is not Stripe. No money moves.</b></p>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`
}
