import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { AccountName } from "#core/account/account-name.ts"
import { Account } from "#core/account/account.ts"
import { accountsOf, invitationsTo } from "#core/account/accounts-of.ts"
import { ApiKey } from "#core/account/api-key.ts"
import { Billing } from "#core/account/billing.ts"
import { Browser } from "#core/account/browser.ts"
import { Mail } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { Email } from "#core/account/person.ts"
import { SignInPasskey } from "#core/account/sign-in-passkey.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { headedPage } from "../answer.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { browserName, confirming, facts, type Html, note, buttonForm, field } from "../elements.ts"
import { typedIn } from "../form.ts"
import { takeDraft, unlessFresh } from "../fresh-sign-in.ts"
import { askOwners, type DashboardEnv, notAllowed, pageOrigin } from "../guard.ts"
import { ago } from "../times.ts"
import { turnTo } from "./accounts.ts"
import { addressCard } from "./address.ts"
import { chooseAlerts, alertsCard } from "./alerts.ts"
import { deleteCard, ownDataCard } from "./export-and-delete.ts"
import { invitationMail, membersCard, nonOwnerRefusal, draftFields } from "./members-card.ts"
import { demandCard, passkeysCard } from "./sign-in-passkeys.ts"
import { tooManyMails } from "./too-many-mails.ts"

/** The account, its people, and where one is signed in. */
export const account = new Hono<DashboardEnv>()
  .get("/account", async (c) => await show(c))
  .use("/account/:act{invite|withdraw|remove|revoke|role|troubles|passkey-only}", async (c, next) => {
    if (c.var.me.role !== "owner") return await notAllowed(c, nonOwnerRefusal)
    const names = draftFields[c.req.param("act")]
    const typed = names && (await typedIn(c, ...names))
    return unlessFresh(c, "/account", typed) ?? (await next())
  })
  .post("/account/rename", async (c) => {
    if (c.var.me.role !== "owner") return await notAllowed(c, "Only owners name the account")
    const typed = await typedIn(c, "name")
    const name = AccountName.Chosen.safeParse(typed.name)
    if (!name.success) {
      const problem = sentenceForPeople(name.error.issues[0]?.message ?? "this is no name")
      return await show(c, note("bad", problem), typed.name.slice(0, 100))
    }
    await Account.rename(c.var.accountId, name.data)
    await did(c, "account_renamed", name.data)
    return c.redirect("/account", 303)
  })
  .post("/account/invite", async (c) => {
    const { me } = c.var
    const typed = await typedIn(c, "email", "role")
    const email = Email.safeParse(typed.email)
    const role = Member.Role.safeParse(typed.role)
    if (!email.success || !role.success)
      return await show(c, note("bad", "This is not an e-mail address: write it as them@example.com."))
    if ((await Member.list(me.account.id)).some((one) => one.email === email.data))
      return await show(c, note("bad", `${email.data} is here already.`))
    if (await tooManyMails(c, email.data))
      return await show(c, note("bad", "Too many mails were asked for: invite them in a quarter of an hour."))
    await Member.invite(me.account.id, email.data, role.data, me.person.email)
    await did(c, "member_invited", `${email.data} as ${role.data}`)
    const origin = pageOrigin(c)
    const link = origin && `${origin}/sign-in/link/${await SignIn.newLinkToInvite(email.data, me.account.id)}`
    const name = AccountName.toStrangers(me.account)
    const mail = invitationMail(email.data, { by: me.person.email, name, role: role.data, link })
    const isSent = await Mail.send(mail)
    const more = isSent ? "" : " No mail could be sent: tell them yourself."
    return await show(
      c,
      note("good", `${email.data} is invited, and can join after a sign-in with this address.${more}`),
    )
  })
  .post("/account/troubles", async (c) => await show(c, await chooseAlerts(c)))
  .post("/account/passkey-only", async (c) => {
    const isDemanded = (await typedIn(c, "only")).only === "yes"
    if (isDemanded && !c.var.me.browser.isStrong)
      return await show(
        c,
        note("bad", "Sign in with a passkey yourself first: otherwise you would be shut out."),
      )
    await Account.setPasskeyOnly(c.var.accountId, isDemanded)
    await did(c, "passkeys_demanded", isDemanded ? "with a passkey alone" : "with a mailed code, too")
    return c.redirect("/account", 303)
  })
  .post("/account/withdraw", async (c) => {
    const { email } = await typedIn(c, "email")
    const isOpen = (await Member.invitations(c.var.accountId)).some((one) => one.email === email)
    await Member.withdraw(c.var.accountId, email)
    if (isOpen) await did(c, "invitation_withdrawn", email)
    return c.redirect("/account", 303)
  })
  .post("/account/remove", async (c) => {
    const { person: personId } = await typedIn(c, "person")
    const leaving = (await Member.list(c.var.accountId)).find((one) => one.personId === personId)
    if (!leaving || !(await Member.remove(c.var.accountId, personId)))
      return await show(c, note("bad", "Not removed: an account keeps at least one owner."))
    await did(c, "member_removed", leaving.email)
    const keys = await keysBy(c.var.accountId, leaving.email)
    return keys.length === 0
      ? c.redirect("/account", 303)
      : await show(c, keysRemain(leaving.email, keys.length))
  })
  .post("/account/revoke", async (c) => {
    const { email } = await typedIn(c, "email")
    const keys = await keysBy(c.var.accountId, email)
    for (const { keyId, name } of keys) {
      await ApiKey.revoke(c.var.accountId, keyId)
      await did(c, "key_revoked", name || keyId)
    }
    return await show(c, note("good", `The keys that ${email} made are revoked.`))
  })
  .post("/account/role", async (c) => {
    const { as, person: personId } = await typedIn(c, "as", "person")
    const role = Member.Role.safeParse(as)
    if (!role.success || !(await Member.setRole(c.var.accountId, personId, role.data)))
      return await show(
        c,
        note("bad", "Not changed: this person has left, or is the last owner. An account keeps one."),
      )
    const whose = (await Member.list(c.var.accountId)).find((one) => one.personId === personId)
    await did(c, "role_changed", `${whose?.email ?? ""} is ${role.data}`)
    return c.redirect("/account", 303)
  })
  // Each person decides these for themselves, viewers as well.
  .post("/account/sign-out", async (c) => {
    await signOutElsewhere(c, (await typedIn(c, "browser")).browser)
    return c.redirect("/account", 303)
  })
  .post("/account/sign-out/others", async (c) => {
    await signOutElsewhere(c)
    return c.redirect("/account", 303)
  })
  .post("/account/leave", async (c) => {
    const { person, account: left } = c.var.me
    if (!(await Member.remove(left.id, person.id)))
      return await show(c, note("bad", "You are its last owner: invite another owner before you leave."))
    await did(c, "member_left")
    const [next] = await accountsOf(person.id)
    return await turnTo(c, next?.account.id ?? "", "/accounts")
  })

/** Signs a person out in another of their browsers, or in all others. */
async function signOutElsewhere(c: Context<DashboardEnv>, chosen?: string): Promise<void> {
  const { person, browser } = c.var.me
  const others = (await Browser.list(person.id)).filter(({ id }) => id !== browser.id)
  const meant = others.filter(({ id }) => chosen === undefined || id === chosen)
  for (const { id } of meant) await Browser.remove(person.id, id)
  for (const { agent, address } of meant)
    await did(c, "browser_signed_out", `${browserName(agent)}${address === "" ? "" : `, at ${address}`}`)
}

/** The keys that a person made for an account. */
async function keysBy(accountId: string, email: string): Promise<ApiKey.Info[]> {
  return (await ApiKey.list(accountId)).filter(({ createdBy }) => createdBy === email)
}

/** A member was removed who may have kept their keys. */
function keysRemain(email: string, count: number): Html {
  const keys = count === 1 ? "an API key, which still works" : `${count} API keys, which still work`
  return note(
    "warn",
    html`${email} is removed, and has made ${keys}: they may have kept a copy.
    ${buttonForm({ action: "/account/revoke", label: "Revoke what they made", kind: "danger slim", fields: { email } })}`,
  )
}

/** `typedName`: a name that was refused. */
async function show(c: Context<DashboardEnv>, notice?: Html, typedName?: string) {
  const { account: own, person, browser, role } = c.var.me
  const draft = takeDraft(c)
  const [members, invitations, browsers, passkeys, all, invited] = await Promise.all([
    Member.list(own.id),
    Member.invitations(own.id),
    Browser.list(person.id),
    SignInPasskey.list(person.id),
    accountsOf(person.id),
    invitationsTo(person.email),
  ])
  const isOwner = role === "owner"
  const others = all.map((one) => one.account).filter(({ id }) => id !== own.id)
  const mayLeave = members.some((one) => one.role === "owner" && one.personId !== person.id)
  const body = html`${notice ?? ""}
    <section class="card">
      <h2>${own.name}</h2>
      ${facts([
        ["Subscription", subscriptionOf(own)],
        ["Numbers", `${own.bridges} of ${own.bridgeLimit}, without the sandbox`],
      ])}
      ${isOwner ? naming(AccountName.toStrangers(own), typedName) : ""}
      ${
        others.length === 0
          ? ""
          : html`<div class="row">
              ${others.map(({ id, name }) => buttonForm({ action: "/accounts/turn", label: `Switch to ${name}`, fields: { account: id } }))}
            </div>`
      }
      ${invited.length > 0 ? note("info", html`You are invited to another account. <a href="/accounts">See who invited you</a>`) : ""}
      ${mayLeave ? leave() : ""}
    </section>
    ${membersCard({ members, invitations, isOwner, personId: person.id, draft })}
    ${isOwner ? "" : note("info", await askOwners(c, nonOwnerRefusal))}
    ${isOwner ? html`${alertsCard(own.id)} ${demandCard(own, browser.isStrong)} ${auditLogCard()} ${ownDataCard()} ${own.isOperator ? "" : deleteCard()}` : ""}
    <h2 class="part">You</h2>
    ${addressCard(person.email)} ${passkeysCard(passkeys, draft.get("passkey") ?? "")}
    ${browsersCard(browsers, browser.id)}`
  return await headedPage(c, { title: "Account", place: "account", body })
}

function subscriptionOf({ subscription }: Account.Info): Html | string {
  if (Billing.isOn()) return html`${subscription.replace("_", " ")} · <a href="/subscription">Billing</a>`
  return subscription === "none"
    ? "none yet: ask the operator of this service for one. The sandbox needs none."
    : subscription
}

/** `publicName`: the name that is shown to people who link a phone; undefined before one was chosen. */
function naming(publicName: string | undefined, typedName: string | undefined): Html {
  return html`<form class="inline" method="post" action="/account/rename">
      ${field("Name", {
        id: "account-name",
        name: "name",
        required: true,
        maxlength: 128,
        value: typedName ?? publicName ?? "",
        placeholder: "Your shop or company",
        autocomplete: "organization",
        "aria-describedby": "account-name-is",
      })}
      <button class="button">Save</button>
    </form>
    <p class="small muted" id="account-name-is">
      It is shown to people who link a phone for you.${publicName === undefined ? " There is none yet." : ""}
    </p>`
}

function leave(): Html {
  return confirming({
    label: "Leave this account",
    about: "You see it no more, until one of its owners invites you again.",
    act: buttonForm({ action: "/account/leave", label: "Leave it now", kind: "danger" }),
    kind: "danger",
  })
}

function auditLogCard(): Html {
  return html`<section class="card">
    <header>
      <h2>Audit log</h2>
      <p>Who signed in, and who changed people, keys, secrets and webhooks; from where.</p>
    </header>
    <div class="row"><a class="button" href="/account/audit-log">Open the audit log</a></div>
  </section>`
}

function browsersCard(browsers: Browser.Info[], here: string): Html {
  return html`<section class="card flush">
    <header><h2>Where you are signed in</h2></header>
    <ul class="feed names">
      ${browsers.map(
        (one) =>
          html`<li class="line">
            <span class="tag">${one.id === here ? "here" : "elsewhere"}</span>
            <span class="about"
              >${browserName(one.agent)}
              <span class="muted"
                >· ${one.address === "" ? "" : `${one.address} · `}seen ${ago(one.seenAt * 1000)}</span
              ></span
            >
            ${one.id === here ? html`<span></span>` : buttonForm({ action: "/account/sign-out", label: "Sign out there", kind: "slim", fields: { browser: one.id } })}
          </li>`,
      )}
    </ul>
    ${browsers.length < 2 ? "" : html`<footer>${buttonForm({ action: "/account/sign-out/others", label: "Sign out everywhere else", kind: "slim" })}</footer>`}
  </section>`
}
