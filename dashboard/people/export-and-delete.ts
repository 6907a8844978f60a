import { Hono } from "hono"
import { html } from "hono/html"
import { stream } from "hono/streaming"
import { dataOf } from "#core/account/data-of.ts"
import { Mail } from "#core/account/mail.ts"
import { Member } from "#core/account/member.ts"
import { removeWhole } from "#core/account/remove-whole.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { rateLimited } from "#core/error.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { log } from "#core/platform/log.ts"
import { Slots } from "#core/platform/slots.ts"
import { headedPage } from "../answer.ts"
import { did } from "../audit-log.ts"
import { type Html, note, confirmField } from "../elements.ts"
import { typedIn } from "../form.ts"
import { unlessFresh } from "../fresh-sign-in.ts"
import { type DashboardEnv, notAllowed } from "../guard.ts"

const onlyOwners = "Only owners download the account's data, and delete it"

/** How many downloads of all its data an account may have under way in this process: each reads every row. */
const exports = new Slots({ most: Infinity, each: 2 }, { ms: 0, refusal: () => rateLimited(10) })

/** What an owner takes along, and the account's end. */
export const ownData = new Hono<DashboardEnv>()
  .get("/account/export", async (c) => {
    const { me } = c.var
    if (me.role !== "owner") return await notAllowed(c, onlyOwners)
    const again = unlessFresh(c, "/account/export")
    if (again) return again
    const leave = await exports.enter(me.account.id)
    await did(c, "data_exported").catch((error: unknown) => {
      leave()
      throw error
    })
    c.header("content-type", "application/jsonl; charset=utf-8")
    c.header("content-disposition", `attachment; filename="account-${iso(nowMs()).slice(0, 10)}.jsonl"`)
    return stream(
      c,
      async (out) => {
        out.onAbort(leave)
        try {
          for await (const part of dataOf(me.account)) {
            if (out.aborted) return
            await out.write(`${JSON.stringify(part)}\n`)
          }
        } finally {
          leave()
        }
      },
      async (error) => log.error({ error, accountId: me.account.id }, "a download of an account broke off"),
    )
  })
  .get("/account/delete", async (c) => {
    if (c.var.me.role !== "owner") return await notAllowed(c, onlyOwners)
    const count = (await Bridge.list(c.var.accountId)).filter(({ isSandbox }) => !isSandbox).length
    return await headedPage(c, { ...deletion, body: deleteForm(c.var.me, count) })
  })
  .post("/account/delete", async (c) => {
    const { account, person, role } = c.var.me
    if (role !== "owner") return await notAllowed(c, onlyOwners)
    const again = unlessFresh(c, "/account/delete")
    if (again) return again
    const bridges = (await Bridge.list(account.id)).filter(({ isSandbox }) => !isSandbox)
    const { confirm } = await typedIn(c, "confirm")
    if (account.isOperator || bridges.length > 0 || confirm.trim().toLowerCase() !== person.email) {
      const notice = note("bad", "Nothing was deleted: read below what has to be done first.")
      const body = html`${notice} ${deleteForm(c.var.me, bridges.length)}`
      return await headedPage(c, { ...deletion, body, status: 400 })
    }
    const others = (await Member.list(account.id)).filter(({ personId }) => personId !== person.id)
    await removeWhole(account.id, c.var.requestId)
    const said = `${person.email} has deleted the account ${account.name}`
    const text = `${said}. Its keys do not work any more, and nothing of it is kept.`
    await Promise.all(others.map(async ({ email }) => await Mail.send({ to: email, subject: said, text })))
    return c.redirect("/accounts", 303)
  })

/** The card that leads to the download. */
export function ownDataCard(): Html {
  return html`<section class="card">
    <header>
      <h2>The data of this account</h2>
      <p>
        Everything that is kept except secrets: people, keys, who did what, numbers and their settings, usage,
        and the events of the last 30 days. One JSON object per line; the last one is
        <code>"kind":"end"</code>.
      </p>
    </header>
    <div class="row">
      <a class="button" href="/account/export" download>Download the data</a>
    </div>
  </section>`
}

/** The card that leads to the account's end. */
export function deleteCard(): Html {
  return html`<section class="card">
    <header>
      <h2>Delete this account</h2>
      <p>For all of its people. The next page says what goes, and asks once more.</p>
    </header>
    <div class="row"><a class="button danger" href="/account/delete">Delete this account</a></div>
  </section>`
}

/** The page on which an account is deleted. */
const deletion = {
  title: "Delete this account",
  crumbs: html`<a href="/account">Account</a>`,
  about:
    "Its keys end at once, its people are removed, and all that is kept of it goes. A subscription ends with it. Nobody can bring it back.",
  place: "account",
} as const

function deleteForm({ account, person }: DashboardEnv["Variables"]["me"], numbers: number): Html {
  if (account.isOperator) return note("info", "This account runs the service, so it cannot be deleted.")
  if (numbers > 0)
    return note(
      "warn",
      html`It has ${numbers === 1 ? "a number" : `${numbers} numbers`}. Delete
        ${numbers === 1 ? "it" : "each of them"} first, in its settings: their phones are unlinked then.
        <a href="/numbers">To the numbers</a>`,
    )
  return html`<form class="card inline" method="post" action="/account/delete">
    ${confirmField(person.email)}
    <button class="button danger">Delete the account for ever</button>
  </form>`
}
