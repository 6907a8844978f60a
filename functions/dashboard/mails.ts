import { Hono } from "hono"
import { Mail } from "#core/account/mail.ts"
import { head } from "#dashboard/layout.ts"
import { mails as list } from "#dashboard/pages/sign-in.ts"
import { time } from "#dashboard/parts/html.ts"
import { html } from "hono/html"
import { page } from "./answer.ts"
import type { DashboardEnv } from "./env.ts"
import { notAllowed } from "./guard.ts"

/** The mails that this process kept instead of sending them: for its operator alone, since they sign others in. */
export const mails = new Hono<DashboardEnv>().get("/dev/mail", async (c) => {
  if (!c.var.me.account.isOperator)
    return await notAllowed(c, "Only the operator of this service reads its mail.")
  const about = "What this service would send by mail. It is kept here until the service ends."
  const shown = list(Mail.list().map((mail) => ({ ...mail, at: time(mail.atMs) })))
  const body = html`${head({ title: "Mail", about })}${shown}`
  return await page(c, { title: "Mail", place: "mail", body })
})
