import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { openAccount } from "#core/account/account-at-sign-in.ts"
import { accountsOf, invitationsTo } from "#core/account/accounts-of.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Browser } from "#core/account/browser.ts"
import { Member } from "#core/account/member.ts"
import type { Person } from "#core/account/person.ts"
import { lonePage } from "../answer.ts"
import { fromWhere } from "../audit-log.ts"
import { type Html, note, buttonForm } from "../elements.ts"
import { typedIn } from "../form.ts"
import { type DashboardEnv, ownPath, pageOrigin, putCookie } from "../guard.ts"
import { heading } from "../layout.ts"

/** Where people choose an account. They are signed in, and perhaps in none. */
export const accounts = new Hono<DashboardEnv>()
  .get("/accounts", async (c) => await show(c, ownPath(c.req.query("next"))))
  .post("/accounts/turn", async (c) => {
    const { account, next } = await asked(c)
    const all = await accountsOf(c.var.signed.person.id)
    if (!all.some((one) => one.account.id === account))
      return await show(c, next, "You are not in this account.")
    return await turnTo(c, account, next)
  })
  .post("/accounts/join", async (c) => {
    const { account, next } = await asked(c)
    if (!(await join(c, account, c.var.signed.person)))
      return await show(c, next, "This invitation does not hold any more: ask for a new one.")
    return await turnTo(c, account, next)
  })
  .post("/accounts/decline", async (c) => {
    const { account, next } = await asked(c)
    await decline(c, account, c.var.signed.person.email)
    return await show(c, next)
  })
  .post("/accounts/open", async (c) => {
    const { next } = await asked(c)
    return await turnTo(c, await openAccount(c.var.signed.person.id), next)
  })

/** Accepts an invitation. @returns false when it does not hold any more */
export async function join(c: Context<DashboardEnv>, account: string, person: Person.Info): Promise<boolean> {
  if (!(await Member.accept(account, person))) return false
  const role = (await Member.ofPerson(person.id)).find((one) => one.accountId === account)?.role
  await record(c, account, { by: person.email, act: "member_joined", about: role ?? "" })
  return true
}

/** Declines an invitation. @returns false when there is none any more */
export async function decline(c: Context<DashboardEnv>, account: string, email: string): Promise<boolean> {
  const isInvited = (await Member.invitationsOf(email)).some(({ accountId }) => accountId === account)
  await Member.withdraw(account, email)
  if (isInvited) await record(c, account, { by: email, act: "invitation_declined", about: "" })
  return isInvited
}

/** Records what a person did to an account that their browser does not show. */
async function record(
  c: Context<DashboardEnv>,
  account: string,
  did: Pick<AuditLog.Entry, "by" | "act" | "about">,
): Promise<void> {
  await AuditLog.recordAndMail(account, { ...did, ...fromWhere(c) }, { origin: pageOrigin(c) })
}

/** Shows this browser another account of its person. */
export async function turnTo(c: Context<DashboardEnv>, accountId: string, next: string): Promise<Response> {
  const { browser } = c.var.signed
  if (accountId !== browser.accountId) {
    const { token, seconds } = await Browser.turnTo(browser, accountId)
    putCookie(c, "session", token, seconds)
  }
  return c.redirect(next, 303)
}

/** Whoever owns an account needs no other of their own. */
const isOwn = ({ role }: { role: Member.Role }) => role === "owner"

async function asked(c: Context<DashboardEnv>): Promise<{ account: string; next: string }> {
  const { account, next } = await typedIn(c, "account", "next")
  return { account, next: ownPath(next) }
}

async function show(c: Context<DashboardEnv>, next: string, problem?: string): Promise<Response> {
  const { person, browser } = c.var.signed
  const [own, invitations] = await Promise.all([accountsOf(person.id), invitationsTo(person.email)])
  const body = accountsPage({
    email: person.email,
    own: own.map(({ account: { id, name }, role }) => ({ id, name, role })),
    present: browser.accountId,
    invitations: invitations.map(({ account: { id, name }, role, by }) => ({ id, name, role, by })),
    mayOpen: !own.some(isOwn),
    next,
    problem,
  })
  const status = problem === undefined ? 200 : 403
  return await lonePage(c, { title: "Your accounts", body, isBroad: true, status })
}

interface Shown {
  email: string
  /** The accounts that the person is in. */
  own: { id: string; name: string; role: string }[]
  /** The account that this browser shows. */
  present: string
  invitations: { id: string; name: string; role: string; by: string }[]
  /** Whether they may have an account made for them here. */
  mayOpen: boolean
  /** Where to go on in the chosen account. */
  next: string
  problem?: string | undefined
}

/** Where people choose an account: one that they are in, one that invites them, or one of their own. */
export function accountsPage(input: Shown): Html {
  const { own, invitations, next } = input
  const about = html`You are signed in as <b>${input.email}</b>.`
  return html`${heading({ title: "Your accounts", about })}
    ${input.problem === undefined ? "" : note("bad", input.problem)}
    ${own.length + invitations.length === 0 ? note("info", "You are in no account any more: its owner removed you, you left it, or it was deleted.") : ""}
    ${invitations.length === 0 ? "" : invited(input)}
    ${
      own.length === 0
        ? ""
        : html`<section class="card flush">
            <header><h2>You are in</h2></header>
            <ul class="feed">
              ${own.map(
                (one) =>
                  html`<li class="line">
                    <span class="tag">${one.role}</span>
                    <span class="about">${one.name}</span>
                    ${buttonForm({ action: "/accounts/turn", label: html`${one.id === input.present ? "Open" : "Switch"}<span class="hidden"> to ${one.name}</span>`, kind: "slim", fields: { account: one.id, next } })}
                  </li>`,
              )}
            </ul>
          </section>`
    }
    <div class="row">
      ${input.mayOpen ? buttonForm({ action: "/accounts/open", label: "Make an account of my own", kind: own.length + invitations.length === 0 ? "main" : "", fields: { next } }) : ""}
      ${buttonForm({ action: "/sign-out", label: "Sign out" })}
    </div>`
}

export const whatJoiningMeans =
  "Everything in an account belongs to it: its owners see and use the numbers and keys that you add there. Join one only if you know who invites you."

function invited({ invitations, next }: Shown): Html {
  return html`<section class="card flush">
    <header>
      <h2>You are invited</h2>
      <p>${whatJoiningMeans}</p>
    </header>
    <ul class="feed">
      ${invitations.map(({ id, name, role, by }) => {
        const fields = { account: id, next }
        const to = html`<span class="hidden"> ${name}</span>`
        return html`<li class="line">
          <span class="tag">${role}</span>
          <span class="about">${by === "" ? name : whoInvites(by, name)}</span>
          <span class="row">
            ${buttonForm({ action: "/accounts/join", label: html`Join${to}`, kind: "main slim", fields })}
            ${buttonForm({ action: "/accounts/decline", label: html`Decline${to}`, kind: "slim", fields })}
          </span>
        </li>`
      })}
    </ul>
  </section>`
}

/** `name`: the account's. */
export function whoInvites(by: string, name: string): Html {
  return html`${by} <span class="muted">invites you to</span> ${by === name ? "their account" : name}`
}
