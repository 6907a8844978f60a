import { Hono } from "hono"
import type { Context } from "hono"
import { Account } from "#core/account/account.ts"
import { accountsOf, invitationsTo } from "#core/account/accounts-of.ts"
import { Browser } from "#core/account/browser.ts"
import { Mail } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { Passkey } from "#core/account/passkey.ts"
import { Email } from "#core/account/person.ts"
import { Billing } from "#core/billing.ts"
import { nowMs } from "#core/platform/clock.ts"
import { page, sentenceCase } from "../answer.ts"
import { passkeyScript } from "../assets.ts"
import { note } from "../elements.ts"
import { takeDraft, textsOf, unlessFresh } from "../fresh-sign-in.ts"
import { type DashboardEnv, notAllowed } from "../guard.ts"
import { accountPage } from "../pages/people/account.ts"
import { turnTo } from "./accounts.ts"
import { pageOrigin, tooMany } from "./sign-in.ts"

/** A field of a form as text; `""` if it is none. */
async function field(c: Context<DashboardEnv>, name: string): Promise<string> {
  const value = (await c.req.parseBody())[name]
  return typeof value === "string" ? value : ""
}

/** The fields of the forms that need a fresh sign-in. People find them filled in when they come back. */
const typedIn: Record<string, string[]> = { invite: ["email", "role"], role: ["person", "as"] }

/** The account, its people, and where one is signed in. */
export const account = new Hono<DashboardEnv>()
  .get("/account", async (c) => await show(c))
  .use("/account/:act{invite|withdraw|remove|role}", async (c, next) => {
    if (c.var.me.role !== "owner")
      return await notAllowed(c, "Only owners invite and remove people, and change their roles.")
    const names = typedIn[c.req.param("act")]
    const typed = names && textsOf(await c.req.parseBody(), ...names)
    return unlessFresh(c, "/account", typed) ?? (await next())
  })
  .post("/account/rename", async (c) => {
    if (c.var.me.role !== "owner") return await notAllowed(c, "Only owners name the account.")
    const given = await field(c, "name")
    const name = Account.Name.safeParse(given)
    if (!name.success) {
      const problem = sentenceCase(name.error.issues[0]?.message ?? "this is no name")
      return await show(c, note("bad", problem), given.slice(0, 100))
    }
    await Account.rename(c.var.accountId, name.data)
    return c.redirect("/account", 303)
  })
  .post("/account/invite", async (c) => {
    const { me } = c.var
    const email = Email.safeParse(await field(c, "email"))
    const role = Member.Role.safeParse(await field(c, "role"))
    if (!email.success || !role.success)
      return await show(c, note("bad", "This is not an e-mail address: write it as them@example.com."))
    if ((await Member.list(me.account.id)).some((one) => one.email === email.data))
      return await show(c, note("bad", `${email.data} is here already.`))
    if (await tooMany(c, email.data))
      return await show(c, note("bad", "Too many mails were asked for: invite them in a quarter of an hour."))
    await Member.invite(me.account.id, email.data, role.data, me.person.email)
    const isSent = await Mail.send(invitation(email.data, me.person.email, role.data, pageOrigin(c)))
    const more = isSent ? "" : " No mail could be sent: tell them yourself."
    return await show(
      c,
      note("good", `${email.data} is invited, and can join after a sign-in with this address.${more}`),
    )
  })
  .post("/account/withdraw", async (c) => {
    await Member.withdraw(c.var.accountId, await field(c, "email"))
    return c.redirect("/account", 303)
  })
  .post("/account/remove", async (c) => {
    const isRemoved = await Member.remove(c.var.accountId, await field(c, "person"))
    return isRemoved
      ? c.redirect("/account", 303)
      : await show(c, note("bad", "Not removed: an account keeps at least one owner."))
  })
  .post("/account/role", async (c) => {
    const role = Member.Role.safeParse(await field(c, "as"))
    const isGiven =
      role.success && (await Member.setRole(c.var.accountId, await field(c, "person"), role.data))
    return isGiven
      ? c.redirect("/account", 303)
      : await show(
          c,
          note("bad", "Not changed: this person has left, or is the last owner. An account keeps one."),
        )
  })
  // Each person decides these for themselves, viewers as well.
  .post("/account/sign-out", async (c) => {
    await Browser.remove(c.var.me.person.id, await field(c, "browser"))
    return c.redirect("/account", 303)
  })
  .post("/account/leave", async (c) => {
    const { person, account: left } = c.var.me
    if (!(await Member.remove(left.id, person.id)))
      return await show(c, note("bad", "You are its last owner: invite another owner before you leave."))
    const [next] = await accountsOf(person.id)
    return await turnTo(c, next?.account.id ?? "", "/accounts")
  })

function invitation(to: string, by: string, role: Member.Role, origin: string | undefined) {
  const where = origin === undefined ? "" : ` at ${origin}/accounts`
  const text = `${by} invites you to an account of the messaging bridge, as ${role}. Sign in with this address${where}, and choose whether you join.`
  return { to, subject: `${by} invites you`, text }
}

async function show(c: Context<DashboardEnv>, told?: ReturnType<typeof note>, typed?: string) {
  const { account: own, person, browser, role } = c.var.me
  const draft = takeDraft(c)
  const [members, invitations, browsers, passkeys, all, invited] = await Promise.all([
    Member.list(own.id),
    Member.invitations(own.id),
    Browser.list(person.id),
    Passkey.list(person.id),
    accountsOf(person.id),
    invitationsTo(person.email),
  ])
  const others = all.flatMap(({ account: { id, name } }) => (id === own.id ? [] : [{ accountId: id, name }]))
  const { name, subscription, bridges, bridgeLimit } = own
  const isBilled = Billing.isOn()
  const about = { name, subscription, isBilled, bridges, bridgeLimit, role, told, nowMs: nowMs() }
  const ids = { personId: person.id, browserId: browser.id }
  const body = accountPage({
    ...about,
    ...ids,
    members,
    invitations,
    browsers,
    passkeys,
    others,
    publicName: Account.publicName(own),
    typed: {
      name: typed,
      email: draft.get("email") ?? "",
      role: draft.get("role") ?? "",
      person: draft.get("person") ?? "",
      as: draft.get("as") ?? "",
      passkey: draft.get("passkey") ?? "",
    },
    isInvited: invited.length > 0,
    script: passkeyScript,
  })
  return await page(c, { title: "Account", place: "account", body })
}
