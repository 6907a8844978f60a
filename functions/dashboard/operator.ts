import { Hono } from "hono"
import { Account } from "#core/account/account.ts"
import { Mail } from "#core/account/outgoing-mail.ts"
import { Host } from "#core/lease/host.ts"
import { nowMs } from "#core/platform/clock.ts"
import { head } from "#dashboard/layout.ts"
import { operatorPage } from "#dashboard/pages/operator.ts"
import { mails } from "#dashboard/pages/sign-in.ts"
import { time } from "#dashboard/parts/html.ts"
import { html } from "hono/html"
import { page } from "./answer.ts"
import type { DashboardEnv } from "./env.ts"
import { notAllowed } from "./guard.ts"

/** Pages for the people who run the service alone: everybody's accounts, and mails that would sign others in. */
export const operator = new Hono<DashboardEnv>()
for (const path of ["/operator", "/dev/mail"])
  operator.use(path, async (c, next) => {
    const { account, role } = c.var.me
    if (account.isOperator && role === "owner") return await next()
    return await notAllowed(c, "This is for the owners of the account that runs the service.")
  })
operator.get("/operator", async (c) => {
  const [accounts, hosts] = await Promise.all([Account.list(), Host.list()])
  const body = operatorPage({ accounts, hosts, nowMs: nowMs() })
  return await page(c, { title: "Operator", place: "operator", body })
})
operator.get("/dev/mail", async (c) => {
  const about = "What this service would send by mail. It is kept here until the service ends."
  const shown = mails(Mail.list().map((mail) => ({ ...mail, at: time(mail.atMs) })))
  const body = html`${head({ title: "Mail", about })}${shown}`
  return await page(c, { title: "Mail", place: "mail", body })
})
