import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { changeAddress } from "#core/account/change-address.ts"
import { Mail } from "#core/account/mail.ts"
import { Email } from "#core/account/person.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { inHalves } from "#core/account/typed-code.ts"
import { headedPage, type Status } from "../answer.ts"
import { did } from "../audit-log.ts"
import { type Html, note, field, longestEmail } from "../elements.ts"
import { typedIn } from "../form.ts"
import { freshOnly } from "../fresh-sign-in.ts"
import { cookie, type DashboardEnv, putCookie } from "../guard.ts"
import { codeField, keptCodeNote } from "./sign-in.ts"
import { tooManyMails } from "./too-many-mails.ts"

const fresh = freshOnly(() => "/account")

/** A person's own address: they prove the new one with a code, as they did with the first. */
export const address = new Hono<DashboardEnv>()
  .get("/account/address", async (c) => {
    const email = await SignIn.addressOf(cookie(c, "asking") ?? "")
    return email === undefined ? c.redirect("/account") : await show(c, codeForm(email))
  })
  .post("/account/address", fresh, async (c) => {
    const email = Email.safeParse((await typedIn(c, "address")).address)
    if (!email.success) return await refused(c, "This is not an e-mail address: write it as you@example.com.")
    if (email.data === c.var.me.person.email) return await refused(c, "This is your address already.")
    if (await tooManyMails(c, email.data))
      return await refused(c, "Too many mails were asked for: try again in a quarter of an hour.", 429)
    const { asking, code } = await SignIn.begin(email.data)
    if (!(await Mail.send(mailOf(email.data, inHalves(code)))))
      return await refused(c, "The mail could not be sent: look whether the address is right.", 503)
    putCookie(c, "asking", asking, SignIn.mailedFor)
    return c.redirect("/account/address", 303)
  })
  .post("/account/address/code", fresh, async (c) => {
    const asking = cookie(c, "asking") ?? ""
    const { code } = await typedIn(c, "code")
    const used = await SignIn.useCode(asking, code.slice(0, 100))
    if (used === "wrong") {
      const email = (await SignIn.addressOf(asking)) ?? ""
      return await show(c, codeForm(email, "This is not the code: look again."), 400)
    }
    if (used === "over") return await refused(c, "This code does not work any more: begin again.")
    putCookie(c, "asking", "", 0)
    if (!(await changeAddress(c.var.me.person, used.email)))
      return await refused(c, `${used.email} has an account of its own here: sign in with it instead.`, 409)
    await did(c, "address_changed", used.email)
    return c.redirect("/account", 303)
  })

function mailOf(to: string, code: string) {
  const text = `Your code for the new address of your sign-in: ${code}\n\nIt works once, within 15 minutes, in the browser that asked for it. You did not ask for this? Then do nothing.`
  return { to, subject: `${code} is your code`, text }
}

async function show(c: Context<DashboardEnv>, body: Html, status?: Status): Promise<Response> {
  const crumbs = html`<a href="/account">Account</a>`
  return await headedPage(c, { title: "Change your address", crumbs, place: "account", body, status })
}

async function refused(c: Context<DashboardEnv>, sentence: string, status: Status = 400): Promise<Response> {
  return await show(c, html`${note("bad", sentence)} ${addressCard(c.var.me.person.email)}`, status)
}

/** The card with a person's address. */
export function addressCard(email: string): Html | string {
  // Without mail no code reaches the person.
  if (Mail.way() === "none") return ""
  return html`<section class="card">
    <form class="inline" method="post" action="/account/address">
      ${field("New e-mail address", {
        name: "address",
        type: "email",
        required: true,
        maxlength: longestEmail,
        placeholder: "you@example.com",
        autocomplete: "email",
        "aria-describedby": "address-now",
      })}
      <button class="button">Change it</button>
    </form>
    <p class="small muted" id="address-now">Now: ${email}.</p>
  </section>`
}

function codeForm(email: string, problem?: string): Html {
  return html`${problem === undefined ? "" : note("bad", problem)}
    <form class="card" method="post" action="/account/address/code">
      <p>
        ${Mail.way() === "kept" ? "There is a code for" : "A code is on its way to"} <b>${email}</b>. Until
        you type it here, you sign in with the old address.
      </p>
      ${Mail.way() === "kept" ? keptCodeNote : ""} ${codeField()}
      <div class="row"><button class="button main">Change my address</button></div>
    </form>`
}
