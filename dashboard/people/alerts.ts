import type { Context } from "hono"
import { html } from "hono/html"
import { Mail } from "#core/account/mail.ts"
import { Troubles } from "#core/account/troubles.ts"
import { ApiError } from "#core/error.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { codeBlock, type Html, note, selectField, urlField } from "../elements.ts"
import { askOwners, type DashboardEnv } from "../guard.ts"

const listed = new Intl.ListFormat("en")

/** Saves who gets alerts, as an owner has chosen, and says so. */
export async function chooseAlerts(c: Context<DashboardEnv>): Promise<Html> {
  const { to, url } = await c.req.parseBody()
  try {
    await Troubles.setRecipients(c.var.accountId, Troubles.To.catch("owners").parse(to), url ?? "")
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_webhook_url") throw error
    return note("bad", sentenceForPeople(error.message))
  }
  await did(c, "troubles_changed")
  return note("good", "Saved.")
}

/** Who is told that a webhook of this page's number fails; nothing where no one can be told. */
export async function whoIsTold(c: Context<DashboardEnv>): Promise<Html | string> {
  const { accountId, bridge, me } = c.var
  if (bridge.isSandbox || !Troubles.isReporting()) return ""
  const { to, url } = await Troubles.get(accountId)
  const hasMail = Mail.way() !== "none"
  const people = !hasMail ? [] : await Troubles.addressesToMail(accountId, to)
  const names = people.length > 3 ? [...people.slice(0, 2), `${people.length - 2} others`] : people
  const told = [
    ...(names.length === 0 ? [] : [`${listed.format(names)} by mail`]),
    ...(url === "" ? [] : [url]),
  ]
  return html`<p class="small">
    ${told.length === 0 ? `Nobody is told that it fails.${hasMail ? "" : noMail}` : `Once it has failed for 15 minutes, an alert goes to ${told.join(", and to ")}.`}
    ${me.role === "owner" ? html`<a href="/account#alerts">Change who is told</a>` : await askOwners(c, "Owners change who is told")}
  </p>`
}

/** What can be done where the service sends no mail. */
const noMail =
  " This service sends no mail until its operator sets that up, but it can post alerts to a program."

const example = '{"customer_ref":"shop","trouble":"unlinked","state":"begun","at":"2026-11-27T15:01:00.000Z"}'

const words = { owners: "The owners", members: "Owners and members", nobody: "Nobody" } as const

export async function alertsCard(accountId: string): Promise<Html | string> {
  if (!Troubles.isReporting()) return ""
  const { to, url } = await Troubles.get(accountId)
  const choices = Troubles.To.options.map((one) => [one, words[one]] as const)
  return html`<section class="card" id="alerts">
    <header>
      <h2>Alerts</h2>
      <p>
        Sent when the phone of a number is unlinked, the network bans it, another program takes its place, it
        has no connection for 15 minutes, or its webhook fails for 15 minutes; and when that is over.
        ${Mail.way() === "none" ? noMail : ""}
      </p>
    </header>
    <form method="post" action="/account/troubles">
      ${selectField({ id: "troubles-to", name: "to", label: "By mail", choices, chosen: to })}
      ${urlField("Posted to, as JSON", { name: "url", value: url, placeholder: "https://" }, "Signed with the webhook secret of the number that it is about.")}
      <details class="plain">
        <summary>What is posted</summary>
        ${codeBlock(example, "An alert")}
        <p class="small">
          <code>trouble</code> is one of: ${Troubles.Trouble.options.join(", ")}. <code>state</code> is begun
          or over. A post that fails is not repeated.
        </p>
      </details>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}
