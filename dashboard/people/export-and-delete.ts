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
          for await (const part of dataOf(me.account, c.var.requestId)) {
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
    const body = deleteForm(c.var.me, await numbersOf(c.var.accountId))
    return await headedPage(c, { ...deletion, body })
  })
  .post("/account/delete", async (c) => {
    const { account, person, role } = c.var.me
    if (role !== "owner") return await notAllowed(c, onlyOwners)
    const again = unlessFresh(c, "/account/delete")
    if (again) return again
    const { confirm } = await typedIn(c, "confirm")
    if (account.isOperator || confirm.trim().toLowerCase() !== person.email) {
      const notice = note("bad", "Nothing was deleted: read below what has to be done first.")
      const body = html`${notice} ${deleteForm(c.var.me, await numbersOf(account.id))}`
      return await headedPage(c, { ...deletion, body, status: 400 })
    }
    const others = (await Member.list(account.id)).filter(({ personId }) => personId !== person.id)
    // A number that was made meanwhile is deleted as well.
    while (!(await removeWhole(account.id, c.var.requestId))) continue
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
        Everything that is kept except secrets, logs and files: people, keys, who did what, requests, numbers
        with their settings, webhooks, contacts and usage, the events of the last 30 days, attempts to deliver
        them, messages that were sent, and kept chats. One JSON object per line. What a number cannot say now,
        as while it is paused, is named by <code>"kind":"not_read"</code>. The last one is
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

async function numbersOf(accountId: string): Promise<number> {
  return (await Bridge.listBrief(accountId)).filter(({ isSandbox }) => !isSandbox).length
}

function deleteForm({ account, person }: DashboardEnv["Variables"]["me"], numbers: number): Html {
  if (account.isOperator) return note("info", "This account runs the service, so it cannot be deleted.")
  const its = numbers === 1 ? "Its number is" : `Its ${numbers} numbers are`
  const goes = `${its} deleted with it, and all that is kept of them. Their phones are unlinked, which takes a moment.`
  return html`${numbers === 0 ? "" : note("warn", goes)}
    <form class="card inline" method="post" action="/account/delete">
      ${confirmField(person.email)}
      <button class="button danger">Delete the account for ever</button>
    </form>`
}
