import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { invitationsTo } from "#core/account/accounts-of.ts"
import { Browser } from "#core/account/browser.ts"
import { Mail } from "#core/account/mail.ts"
import { Email, Person } from "#core/account/person.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { inHalves } from "#core/account/typed-code.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { lonePage, type Status } from "../answer.ts"
import { passkeyScript } from "../assets.ts"
import { type Html, note, buttonForm, field, longestEmail } from "../elements.ts"
import { typedIn } from "../form.ts"
import { cookie, type DashboardEnv, ownPath, pageOrigin, putCookie } from "../guard.ts"
import { span } from "../times.ts"
import { whatJoiningMeans, decline, join, whoInvites } from "./accounts.ts"
import { admitBrowser, shownAccount } from "./admit-browser.ts"
import { tooManyMails } from "./too-many-mails.ts"

/** Signing in with a mailed code or link. Nothing that it answers tells whether an address is known. */
export const signIn = new Hono<DashboardEnv>()
  .get("/sign-in", async (c) => {
    const { next = "", email = "", again } = c.req.query()
    return await showAddress(c, {
      email: email.slice(0, 254),
      next: ownPath(next),
      isAgain: again === "1",
    })
  })
  .post("/sign-in", async (c) => {
    const typed = await typedIn(c, "email", "next")
    const next = ownPath(typed.next)
    const parsed = Email.safeParse(typed.email)
    if (!parsed.success) {
      const problem = "This is not an e-mail address: write it as you@example.com."
      return await showAddress(c, { email: typed.email.slice(0, 254), next, problem }, 400)
    }
    const email = parsed.data
    if (Mail.way() === "none") {
      const problem = "This service sends no mail: ask whoever runs it for a link that signs you in."
      return await showAddress(c, { email, next, problem }, 503)
    }
    const window = await tooManyMails(c, email)
    if (window) {
      const problem = `Too many codes were asked for. Links that came by mail still work. Ask for another code in ${span(window.endsMs - nowMs())}.`
      return await showAddress(c, { email, next, problem }, 429)
    }
    const begun = await SignIn.begin(email, { next, accountId: await shownAccount(c, email) })
    if (!(await Mail.send(mailOf(email, begun, pageOrigin(c))))) {
      const problem =
        "The mail could not be sent: look whether the address is right, or try again in a minute."
      return await showAddress(c, { email, next, problem }, 503)
    }
    putCookie(c, "asking", begun.asking, SignIn.mailedFor)
    // A page of its own: to load it again mails nothing.
    return c.redirect(leadingOn("/sign-in/code", next), 303)
  })
  .get("/sign-in/code", async (c) => {
    const next = ownPath(c.req.query("next"))
    const email = await SignIn.addressOf(cookie(c, "asking") ?? "")
    return email === undefined ? c.redirect(leadingOn("/sign-in", next)) : await showCode(c, { email, next })
  })
  .post("/sign-in/code", async (c) => {
    const typed = await typedIn(c, "email", "code", "next")
    const next = ownPath(typed.next)
    const email = typed.email.slice(0, 254)
    const used = await SignIn.useCode(cookie(c, "asking") ?? "", typed.code.slice(0, 100))
    if (typeof used !== "string") return c.redirect(await admitBrowser(c, { email: used.email, next }), 303)
    if (used === "wrong") {
      const problem = "This is not the code: look again, or ask for a new one."
      return await showCode(c, { email, next, problem }, 400)
    }
    const problem =
      "This code does not work any more: it is too old, was used, or was guessed at too often. Or it was asked for in another browser. Ask for a new one."
    return await showAddress(c, { email, next, problem }, 400)
  })
  .get("/sign-in/link/:token", async (c) => {
    const token = c.req.param("token")
    const found = await SignIn.readLink(token)
    if (!found) return await showDeadLink(c)
    if (found.joins === undefined)
      return await lonePage(c, { title: "Sign in", body: confirmLink({ ...found, token }) })
    if (await Person.isKnown(found.email)) return c.redirect("/accounts")
    const invitation = (await invitationsTo(found.email)).find(({ account }) => account.id === found.joins)
    if (!invitation) return await showDeadLink(c)
    const { email, role, by, account } = invitation
    const body = confirmJoining({ email, role, by, name: account.name, token })
    return await lonePage(c, { title: "You are invited", body })
  })
  .post("/sign-in/link/:token", async (c) => {
    const token = c.req.param("token")
    const found = await SignIn.readLink(token)
    // An invitation works for a week, and must not sign in a person who has an account to lose: they sign in
    // as always, and join then.
    if (found?.joins !== undefined && (await Person.isKnown(found.email))) return c.redirect("/accounts", 303)
    const used = await SignIn.useLink(token)
    if (!used) return await showDeadLink(c)
    const isNew = !(await Person.isKnown(used.email))
    if (used.joins !== undefined && !(await join(c, used.joins, await Person.findOrMake(used.email))))
      return await showDeadLink(c)
    // A printed link comes from whoever runs the service.
    return c.redirect(await admitBrowser(c, { ...used, isNew, isStrong: used.isPrinted }), 303)
  })
  .post("/sign-in/link/:token/decline", async (c) => {
    const token = c.req.param("token")
    const found = await SignIn.readLink(token)
    if (found?.joins === undefined) return await showDeadLink(c)
    if (await Person.isKnown(found.email)) return c.redirect("/accounts", 303)
    if (!(await SignIn.useLink(token)) || !(await decline(c, found.joins, found.email)))
      return await showDeadLink(c)
    return await lonePage(c, { title: "You have declined", body: declined })
  })
  .post("/sign-out", async (c) => {
    const token = cookie(c, "session")
    if (token !== undefined) await Browser.signOut(token)
    putCookie(c, "session", "", 0)
    return c.redirect("/sign-in", 303)
  })

function leadingOn(page: string, next: string): string {
  return next === "/" ? page : `${page}?${new URLSearchParams({ next }).toString()}`
}

function mailOf(email: string, { code, link }: SignIn.Begun, origin: string | undefined) {
  const shown = inHalves(code)
  return {
    to: email,
    subject: `${shown} is your code`,
    text: [
      `Your code for the messaging bridge: ${shown}`,
      ...(origin === undefined
        ? []
        : ["", "Or open this link and press the button:", `${origin}/sign-in/link/${link}`]),
      "",
      "It works once, within 15 minutes; the code only in the browser that asked for it.",
      "You did not ask for this? Then do nothing: nobody is signed in.",
    ].join("\n"),
  }
}

/** How the code, or what stands for it, comes to the person. */
const ways = {
  sent: "You get a code by mail.",
  kept: html`You get a code in the terminal of <code>npm start</code>.`,
  none: "This service sends no mail: sign in with a passkey, or ask the people who run it for a link that signs you in.",
}

/** Where a code is that was not mailed. */
export const keptCodeNote = note(
  "info",
  html`This service sends no mail. The code is in the terminal of <code>npm start</code>, and its operator
    finds it under <a href="/dev/mail" target="_blank">Mail</a>.`,
)

/** Asks for the address. */
async function showAddress(
  c: Context<DashboardEnv>,
  input: { email: string; next: string; problem?: string; isAgain?: boolean },
  status?: Status,
): Promise<Response> {
  const hasCodes = Mail.way() !== "none"
  const body = html`<div class="card">
    <header>
      <h1>${input.isAgain ? "Confirm that it is you" : "Sign in"}</h1>
      <p>
        ${
          input.isAgain
            ? "What you are about to see or do needs a sign-in from the last ten minutes. Nothing was done yet: you come back to do it."
            : "Link a WhatsApp number and get its messages at your webhook."
        }
        ${hasCodes && !input.isAgain ? `Enter your e-mail address: a new one becomes a new account${config.SANDBOX ? ", with a sandbox to try it in" : ""}.` : ""}
        ${ways[Mail.way()]}
      </p>
    </header>
    ${input.problem ? note("bad", input.problem) : ""}
    ${
      !hasCodes
        ? ""
        : html`<form method="post" action="/sign-in">
            <input type="hidden" name="next" value="${input.next}" />
            ${field("E-mail address", {
              name: "email",
              type: "email",
              required: true,
              maxlength: longestEmail,
              value: input.email,
              placeholder: "you@example.com",
              autocomplete: "username webauthn",
              ...(input.problem ? { "aria-invalid": "true" } : { autofocus: true }),
            })}
            <button class="button main wide">Get a code</button>
          </form>`
    }
    <div class="stack" data-passkey="use" data-next="${input.next}" hidden>
      ${hasCodes ? html`<p class="or">or</p>` : ""}
      <button class="button wide" type="button">Sign in with a passkey</button>
      <p class="small" role="alert" data-said></p>
    </div>
    <script src="${passkeyScript}" type="module"></script>
  </div>`
  return await lonePage(c, { title: "Sign in", body, status })
}

/** Asks for the code that was mailed. */
async function showCode(
  c: Context<DashboardEnv>,
  input: { email: string; next: string; problem?: string },
  status?: Status,
): Promise<Response> {
  const isKept = Mail.way() === "kept"
  const body = html`<div class="card">
    <header>
      <h1>${isKept ? "Type your code" : "Look into your mail"}</h1>
      <p>
        ${
          isKept
            ? html`There is a code and a link for <b>${input.email}</b>.`
            : html`A code and a link are on their way to <b>${input.email}</b>.`
        }
        Both work once, within 15 minutes.
      </p>
    </header>
    ${input.problem ? note("bad", input.problem) : ""} ${isKept ? keptCodeNote : ""}
    <form method="post" action="/sign-in/code">
      <input type="hidden" name="next" value="${input.next}" />
      <input type="hidden" name="email" value="${input.email}" />
      ${codeField()}
      <button class="button main wide">Sign in</button>
    </form>
    <div class="row small muted">
      ${isKept ? "Code too old?" : "Nothing came?"}
      ${buttonForm({ action: "/sign-in", label: isKept ? "Make another code" : "Mail another code", kind: "slim", fields: { email: input.email, next: input.next } })}
      <a href="${leadingOn("/sign-in", input.next)}">Use another address</a>
    </div>
  </div>`
  return await lonePage(c, { title: "Your code", body, status })
}

/** The field for a mailed code. It sends itself once it is whole. */
export function codeField(): Html {
  return field("Code", {
    name: "code",
    class: "code-input",
    required: true,
    maxlength: 20,
    autocomplete: "one-time-code",
    autocapitalize: "characters",
    spellcheck: "false",
    placeholder: "XXXX-XXXX",
    "data-whole": true,
    autofocus: true,
  })
}

/** A link was opened. Programs that look at mails open links, too, so a person has to press a button. */
function confirmLink(input: { email: string; token: string; isPrinted: boolean }): Html {
  return html`<div class="card">
    <header>
      <h1>Sign in</h1>
      <p>This link signs in <b>${input.email}</b>, in this browser.</p>
    </header>
    <form method="post" action="/sign-in/link/${input.token}" ${input.isPrinted ? "data-go" : ""}>
      <button class="button main wide">Sign in</button>
    </form>
  </div>`
}

/** The link of an invitation was opened. `name`: the account's. */
function confirmJoining(input: {
  email: string
  role: string
  by: string
  name: string
  token: string
}): Html {
  return html`<div class="card">
    <header>
      <h1>You are invited</h1>
      <p>${whoInvites(input.by, input.name)}, as ${input.role}. ${whatJoiningMeans}</p>
    </header>
    <form method="post" action="/sign-in/link/${input.token}">
      <button class="button main wide">Join</button>
    </form>
    <p class="small muted">You are then signed in as <b>${input.email}</b>, in this browser.</p>
    <div class="row">${buttonForm({ action: `/sign-in/link/${input.token}/decline`, label: "Decline" })}</div>
  </div>`
}

const declined = html`<div class="card">
  <header>
    <h1>You have declined</h1>
    <p>The invitation does not hold any more. Its sender can see that in their audit log.</p>
  </header>
</div>`

/** A link that does not work any more. */
async function showDeadLink(c: Context<DashboardEnv>): Promise<Response> {
  const body = html`<div class="card">
    <header>
      <h1>This link has been used, or is too old</h1>
      <p>
        A link works once: a mailed one for 15 minutes, one from the people who run this service for a day,
        and one that invites you for a week, unless the invitation is withdrawn.
      </p>
    </header>
    <div class="row">
      <a class="button main" href="/sign-in">${"Go to the sign-in"}</a>
    </div>
  </div>`
  return await lonePage(c, { title: "Sign in", body, status: 404 })
}
