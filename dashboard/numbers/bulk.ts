import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import type { Act } from "#core/account/audit-log.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { pause, unpause } from "#core/bridge/customer-pause.ts"
import { remove } from "#core/bridge/remove.ts"
import { parseWebhookUrl } from "#core/bridge/webhook-url.ts"
import { ApiError } from "#core/error.ts"
import { awakeLease } from "#core/lease/call-holder.ts"
import { Lease } from "#core/lease/lease.ts"
import { LinkedPhone } from "#core/lease/linked-phone.ts"
import { redirectEvents } from "#functions/api/bridges.ts"
import { sentenceForPeople } from "../api-words.ts"
import { did } from "../audit-log.ts"
import { checkbox, type Html, note, selectField, urlField } from "../elements.ts"
import { typedIn } from "../form.ts"
import { unlessFresh } from "../fresh-sign-in.ts"
import { type DashboardEnv, notAllowed, viewerRefusal } from "../guard.ts"
import { kindWords, rankingOf } from "./ranking.ts"
import { unlinkPhone } from "./session-answer.ts"

type C = Context<DashboardEnv>

interface BulkAct {
  label: string
  done: string
  audit: Act
  /** It cannot be undone, or sends events elsewhere: a fresh sign-in is needed. */
  isGrave?: true
  act: (c: C, bridge: Bridge.Info, url: string) => Promise<void>
}

/** What can be done with several numbers at once. */
const acts: Record<string, BulkAct> = {
  pause: {
    label: "Pause them",
    done: "paused",
    audit: "number_paused",
    isGrave: true,
    act: async (c, { id }) => await pause(id, c.var.requestId),
  },
  wake: {
    label: "Wake them",
    done: "woken",
    audit: "number_woken",
    act: async (_, bridge) => await unpause(bridge),
  },
  webhook: {
    label: "Send their events to this address",
    done: "changed",
    audit: "webhook_changed",
    isGrave: true,
    act: async ({ var: { requestId } }, bridge, url) => {
      await redirectEvents(await awakeLease(bridge.id, requestId), bridge, url, requestId)
    },
  },
  unlink: {
    label: "Unlink their phones",
    done: "unlinked",
    audit: "number_unlinked",
    isGrave: true,
    act: async (c, bridge) => await unlinkPhone(bridge, c.var.requestId),
  },
  delete: {
    label: "Delete them",
    done: "deleted",
    audit: "number_deleted",
    isGrave: true,
    act: async (c, bridge) => await remove(bridge, c.var.requestId),
  },
}

/** How many numbers are worked on at once. */
const together = 10

/** Does something with the numbers that were ticked in their list, and says what became of each. */
export async function actOnChosen(c: C): Promise<{ notice: Html } | { answer: Response }> {
  if (!c.var.me.mayChange) return { answer: await notAllowed(c, viewerRefusal) }
  const refs = [(await c.req.parseBody({ all: true }))["refs"] ?? []].flat()
  const typed = await typedIn(c, "act", "url", "sure")
  const chosen = acts[typed.act]
  if (!chosen || refs.length === 0) return { notice: note("bad", "Choose what to do, and tick the numbers.") }
  if (typed.act === "delete" && typed.sure === "")
    return { notice: note("bad", "Nothing was deleted: tick that you are sure.") }
  const again = chosen.isGrave && unlessFresh(c, "/numbers")
  if (again) return { answer: again }
  const left = refs.filter((ref) => typeof ref === "string")
  const failed: Html[] = []
  let count = 0
  const next = async () => {
    for (let ref = left.pop(); ref !== undefined; ref = left.pop()) {
      try {
        const bridge = await Bridge.get(c.var.accountId, ref)
        const url = typed.act === "webhook" ? parseWebhookUrl(typed.url.trim()) : ""
        await chosen.act(c, bridge, url)
        await did(c, chosen.audit, ref)
        count++
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        failed.push(html`<li><b>${ref}</b>: ${sentenceForPeople(error.message)}</li>`)
      }
    }
  }
  await Promise.all(Array.from({ length: together }, next))
  const words = html`${count} of ${refs.length} numbers ${chosen.done}.`
  return {
    notice:
      failed.length === 0
        ? note("good", words)
        : note(
            "bad",
            html`${words}
              <ul>
                ${failed}
              </ul>`,
          ),
  }
}

/** What to do with the numbers that are ticked. The ticks are in the table, which names this form. */
export function actsForm(): Html {
  const choices = Object.entries(acts).map(([name, { label }]) => [name, label] as const)
  return html`<section class="card at-hand">
    <details class="plain">
      <summary>With the ticked numbers</summary>
      <form class="inline" id="chosen" method="post" action="/numbers">
        ${selectField({ name: "act", label: "Do", choices, chosen: undefined })}
        ${urlField("Address, if one is needed", { name: "url", value: "" })}
        <div class="row">
          ${checkbox("sure", "yes", false, "I am sure, if they are deleted")}
          <button class="button">Do it</button>
        </div>
      </form>
    </details>
  </section>`
}

/** Every number of an account as CSV, for a spreadsheet. */
export const numbersAsCsv = new Hono<DashboardEnv>().get("/numbers.csv", async (c) => {
  const { accountId } = c.var
  const bridges = (await Bridge.list(accountId)).filter(Bridge.isVisible)
  const ranking = await rankingOf(accountId, bridges)
  const whole = new Map(bridges.map((bridge) => [bridge.id, bridge]))
  const leases = await Lease.byIds(bridges.map(({ id }) => id))
  const heads = [
    "customer_ref",
    "name",
    "phone",
    "state",
    "webhook",
    "messages_today",
    "waiting",
    "undelivered",
  ]
  const rows = ranking.map(async (one) => {
    const bridge = whole.get(one.bridge.id)
    const lease = leases.get(one.bridge.id)
    const phone = bridge && lease ? LinkedPhone.numberOf(lease, await Bridge.deliveryKeyOf(bridge)) : ""
    const came = one.came.reduce((all, count) => all + count, 0)
    const { customerRef, shownName } = one.bridge
    const state = kindWords[one.group]
    return [
      customerRef,
      shownName,
      phone,
      state,
      bridge?.webhookUrl ?? "",
      came,
      one.waiting,
      one.undelivered,
    ]
  })
  const lines = [heads, ...(await Promise.all(rows))].map((row) => row.map(cell).join(","))
  c.header("content-disposition", 'attachment; filename="numbers.csv"')
  return c.body(`${lines.join("\r\n")}\r\n`, 200, { "content-type": "text/csv; charset=utf-8" })
})

/** A cell that no spreadsheet takes for a formula. */
function cell(value: string | number): string {
  const text = String(value).replace(/^[=+\-@\t\r]/, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
