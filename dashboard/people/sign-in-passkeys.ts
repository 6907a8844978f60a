import { Hono } from "hono"
import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { html } from "hono/html"
import { z } from "zod"
import type { Account } from "#core/account/account.ts"
import { accountsOf } from "#core/account/accounts-of.ts"
import { Mail } from "#core/account/mail.ts"
import { Person } from "#core/account/person.ts"
import { SignInPasskey } from "#core/account/sign-in-passkey.ts"
import { originOf } from "#functions/http/address.ts"
import { lonePage } from "../answer.ts"
import { passkeyScript } from "../assets.ts"
import { did } from "../audit-log.ts"
import { confirming, type Html, buttonForm, removing, field } from "../elements.ts"
import { typedIn } from "../form.ts"
import { freshOnly, signInAgainPath } from "../fresh-sign-in.ts"
import { cookie, type DashboardEnv, ownPath, putCookie } from "../guard.ts"
import { ago } from "../times.ts"
import { admitBrowser } from "./admit-browser.ts"

/**
 * Passkeys: made on the page of the account, used on the page of the sign-in. A browser's script carries the
 * challenges and the answers, and is told where to go, or what is wrong.
 */
export const passkeys = new Hono<DashboardEnv>()
  .post("/sign-in/passkey/options", async (c) => {
    const options = await SignInPasskey.optionsToSignIn({ origin: originOf(c) })
    return challenged(c, options)
  })
  .post("/sign-in/passkey", async (c) => {
    const { response, next } = await answered(c)
    const used = await SignInPasskey.use({ challenge: challengeOf(c), response }, { origin: originOf(c) })
    const person = used && (await Person.get(used.personId))
    if (!person)
      return c.json({ problem: "This passkey does not sign in here: try again, or have a code mailed." }, 400)
    const signed = { email: person.email, next: ownPath(next), isStrong: true }
    return c.json({ goto: await admitBrowser(c, signed) })
  })
  .post("/account/passkeys/options", async (c) => {
    const { name } = await answered(c)
    const again = signInAgainPath(c, "/account", { passkey: name })
    if (again !== undefined) return c.json({ goto: again }, 403)
    const options = await SignInPasskey.optionsToAdd(c.var.me.person, { origin: originOf(c) })
    return challenged(c, options)
  })
  .post("/account/passkeys", async (c) => {
    const again = signInAgainPath(c, "/account")
    if (again !== undefined) return c.json({ goto: again }, 403)
    const { response, name } = await answered(c)
    const made = { person: c.var.me.person, name, challenge: challengeOf(c), response }
    if (!(await SignInPasskey.add(made, { origin: originOf(c) }))) {
      const problem = "This passkey was not taken: try again, on this page and within five minutes."
      return c.json({ problem }, 400)
    }
    await did(c, "passkey_added", name)
    return c.json({ goto: "/account" })
  })
  .post(
    "/account/passkeys/remove",
    freshOnly(() => "/account"),
    async (c) => {
      const { passkey } = await typedIn(c, "passkey")
      await SignInPasskey.remove(c.var.me.person.id, passkey)
      await did(c, "passkey_removed")
      return c.redirect("/account", 303)
    },
  )

/** The challenge stays in a cookie, so that another browser's answer to it is worth nothing. */
function challenged<Options extends { challenge: string }>(c: Context<DashboardEnv>, options: Options) {
  putCookie(c, "challenge", options.challenge, SignInPasskey.answeredWithin)
  return c.json(options)
}

function challengeOf(c: Context<DashboardEnv>): string {
  const challenge = cookie(c, "challenge") ?? ""
  putCookie(c, "challenge", "", 0)
  return challenge
}

const Answer = z.object({
  response: z.unknown(),
  next: z.string().catch(""),
  name: z
    .string()
    .transform((name) => Array.from(name.trim().toWellFormed()).slice(0, 60).join("") || "Passkey")
    .catch("Passkey"),
})

/** A body that is no JSON answers no challenge. */
async function answered(c: Context<DashboardEnv>): Promise<z.infer<typeof Answer>> {
  const given: unknown = await c.req.json().catch(() => ({}))
  return Answer.catch({ response: undefined, next: "", name: "" }).parse(given)
}

/** A person's passkeys, which are the same in each of their accounts. `typed`: the name of a new one. */
export function passkeysCard(all: SignInPasskey.Info[], typed: string): Html {
  return html`<section class="card flush">
    <header>
      <h2>Your passkeys</h2>
      <p>
        Sign in with your fingerprint, your face or your device's PIN.
        ${Mail.way() === "none" ? "" : "Codes work as well, except for an account whose owners require passkeys."}
      </p>
    </header>
    ${all.length === 0 ? html`<p class="foot muted">None yet: you sign in without one.</p>` : ""}
    <ul class="feed names">
      ${all.map(
        (one) =>
          html`<li class="line">
            <span class="tag">passkey</span>
            <span class="about">${one.name} <span class="muted">· ${usedWhen(one.usedAt)}</span></span>
            ${removingPasskey(one)}
          </li>`,
      )}
    </ul>
    ${making(typed, "foot inline")}
  </section>`
}

function removingPasskey({ id, name }: SignInPasskey.Info): Html {
  return removing({
    does: ["Remove", "it"],
    name,
    about: "Nobody signs in with it any more.",
    action: "/account/passkeys/remove",
    fields: { passkey: id },
  })
}

function making(typed: string, look: "foot inline" | "" = ""): Html {
  return html`<form class="${look}" data-passkey="make" hidden>
      ${field("A name for this device", {
        id: "passkey-name",
        name: "name",
        maxlength: 60,
        value: typed,
        placeholder: "My laptop",
      })}
      <button class="button ${look === "" ? "main wide" : ""}">Make a passkey</button>
      <p class="small" role="alert" data-said></p>
    </form>
    <script src="${passkeyScript}" type="module"></script>`
}

/**
 * Where an account demands passkeys, a browser that was signed in otherwise sees nothing of it. A person
 * without a passkey makes one first. A person with one who signed in otherwise can neither add nor remove
 * passkeys, nor change their address, in any of their accounts.
 */
export const byPasskey = createMiddleware<DashboardEnv>(async (c, next) => {
  const { account: own, person, browser } = c.var.me
  const isOfPasskeys = c.req.path.startsWith("/account/passkeys")
  // A person's ways in are the same for all of their accounts.
  const isOfPerson = isOfPasskeys || c.req.path.startsWith("/account/address")
  const demanding = isOfPerson ? (await accountsOf(person.id)).map(({ account }) => account) : [own]
  if (browser.isStrong || !demanding.some(({ isPasskeyOnly }) => isPasskeyOnly)) return await next()
  const hasPasskey = (await SignInPasskey.list(person.id)).length > 0
  if (isOfPasskeys && !hasPasskey) return await next()
  const body = html`<div class="card">
    <h1>A passkey is needed</h1>
    <p>
      The account <b>${own.name}</b> opens for people who sign in with a passkey.
      ${
        hasPasskey
          ? "Yours is on the device where you made it. Have you lost it? Then ask the operator of this service for a link that signs you in."
          : "You have none yet: make one here, then sign in with it."
      }
    </p>
    ${
      hasPasskey
        ? html`<div
              class="stack"
              data-passkey="use"
              data-next="${c.req.method === "GET" ? c.req.path : "/"}"
              hidden
            >
              <button class="button main wide" type="button">Sign in with a passkey</button>
              <p class="small" role="alert" data-said></p>
            </div>
            <script src="${passkeyScript}" type="module"></script>`
        : making("")
    }
    <div class="row">
      <a class="button" href="/accounts">My other accounts</a>
      ${buttonForm({ action: "/sign-out", label: "Sign out" })}
    </div>
  </div>`
  return await lonePage(c, { title: "A passkey is needed", body, status: 403 })
})

/**
 * Whether an account demands passkeys, and the button that changes it, for its owners. `isStrong`: this
 * reader has signed in with a passkey; any other would shut themselves out.
 */
export function demandCard({ isPasskeyOnly }: Account.Info, isStrong: boolean): Html {
  return html`<section class="card">
    <header>
      <h2>Only with a passkey</h2>
      <p>
        ${
          isPasskeyOnly
            ? "People see this account after a sign-in with a passkey alone. Whoever has none makes one at their next sign-in."
            : "Everybody then signs in with a passkey: access to somebody's mailbox is not enough to see this account. API keys work as before."
        }
      </p>
    </header>
    ${
      isPasskeyOnly
        ? confirming({
            label: "Let mailed codes in again",
            about: "Then anybody who can read the mail of one of its people can see this account.",
            act: demanding("Let them in now", "no"),
            kind: "danger",
          })
        : isStrong
          ? confirming({
              label: "Require passkeys",
              about:
                "People who signed in without a passkey are shut out until they sign in with one. People who lose their passkey need the operator of this service. You can let mailed codes in again.",
              act: demanding("Require them now", "yes"),
              kind: "danger",
            })
          : html`<p class="muted">To require passkeys, sign in with one yourself first.</p>`
    }
  </section>`
}

function demanding(label: string, only: "yes" | "no"): Html {
  return buttonForm({ action: "/account/passkey-only", label, kind: "danger", fields: { only } })
}

function usedWhen(at: number | undefined): Html | string {
  return at === undefined ? "not used yet" : html`used ${ago(at * 1000)}`
}
