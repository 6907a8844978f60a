import { Hono } from "hono"
import type { Context } from "hono"
import { openAccount } from "#core/account/account-at-sign-in.ts"
import { accountsOf, invitationsTo } from "#core/account/accounts-of.ts"
import { Browser } from "#core/account/browser.ts"
import { Member } from "#core/account/member.ts"
import { lonePage } from "../answer.ts"
import { type DashboardEnv, ownPath, putCookie } from "../guard.ts"
import { accountsPage } from "../pages/people/accounts.ts"

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
    if (!(await Member.accept(account, c.var.signed.person)))
      return await show(c, next, "This invitation does not hold any more: ask for a new one.")
    return await turnTo(c, account, next)
  })
  .post("/accounts/decline", async (c) => {
    const { account, next } = await asked(c)
    await Member.withdraw(account, c.var.signed.person.email)
    return await show(c, next)
  })
  .post("/accounts/open", async (c) => {
    const { next } = await asked(c)
    return await turnTo(c, await openAccount(c.var.signed.person.id), next)
  })

/** Shows this browser another account of its person. */
export async function turnTo(c: Context<DashboardEnv>, accountId: string, next: string): Promise<Response> {
  const { browser } = c.var.signed
  if (accountId !== browser.accountId) {
    const { token, seconds } = await Browser.turnTo(browser, accountId)
    putCookie(c, "session", token, seconds)
  }
  return c.redirect(next, 303)
}

/** Nobody needs an account of their own who owns one. */
const isOwn = ({ role }: { role: Member.Role }) => role === "owner"

async function asked(c: Context<DashboardEnv>): Promise<{ account: string; next: string }> {
  const { account, next } = await c.req.parseBody()
  return { account: typeof account === "string" ? account : "", next: ownPath(next) }
}

async function show(c: Context<DashboardEnv>, next: string, told?: string): Promise<Response> {
  const { person, browser } = c.var.signed
  const [own, invitations] = await Promise.all([accountsOf(person.id), invitationsTo(person.email)])
  const body = accountsPage({
    email: person.email,
    own: own.map(({ account: { id, name }, role }) => ({ id, name, role })),
    present: browser.accountId,
    invitations: invitations.map(({ account: { id, name }, role, by }) => ({ id, name, role, by })),
    mayOpen: !own.some(isOwn),
    next,
    told,
  })
  return await lonePage(c, {
    title: "Your accounts",
    body,
    isBroad: true,
    ...(told !== undefined && { status: 403 }),
  })
}
