import { Hono } from "hono"
import { html } from "hono/html"
import type { UsageRow } from "#contract/usage.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { FilesOnDisk } from "#core/files/files-on-disk.ts"
import { iso, nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { usageOf } from "#functions/api/account.ts"
import { headedPage } from "./answer.ts"
import { bars } from "./bars.ts"
import { empty, type Html, note, selectField, field } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"
import { manyNumbers } from "./numbers/ranking.ts"

const dayMs = 86_400_000
/** How many days a page can show. */
const spans = ["7", "30", "90"] as const

/** The deliveries of the account's numbers, day by day: a chart, and the same as a table. */
export const usage = new Hono<DashboardEnv>().get("/usage", async (c) => {
  const { accountId } = c.var
  const asked = c.req.query("days")
  const span = spans.find((one) => one === asked) ?? "30"
  const at = nowMs()
  const days = Array.from({ length: Number(span) }, (_, i) => iso(at - i * dayMs).slice(0, 10)).toReversed()
  const bridges = await Bridge.list(accountId)
  const offered = bridges.filter(Bridge.isVisible)
  const chosen = offered.find(({ customerRef }) => customerRef === c.req.query("number"))
  const isTooMany = !chosen && bridges.length > manyNumbers
  const unknown = isTooMany ? c.req.query("number") : undefined
  const rows = await usageOf(chosen ? [chosen] : isTooMany ? [] : bridges, { from: days[0] })
  const about = "What came and went, by day (UTC)."
  const body = html`${filterForm({ refs: offered.map(({ customerRef }) => customerRef), ref: chosen?.customerRef, span })}
  ${await files(accountId)} ${unknown ? note("warn", html`No number is called <bdi>${unknown}</bdi>.`) : ""}
  ${isTooMany ? chooseOne : rows.length === 0 ? nothing : figures(rows, days)}`
  return await headedPage(c, { title: "Usage", about, place: "usage", body })
})

/** What the account's files take up, where they are on the disk of one machine. */
async function files(accountId: string): Promise<Html | ""> {
  if (!config.STORAGE_DIR) return ""
  const mb = Math.ceil((await FilesOnDisk.usedBy(accountId)) / 1e6)
  const kept = "uploads are kept for 24 hours, received files for 3"
  return html`<ul class="figures">
    ${figure("Files here", `${mb} of ${config.STORAGE_ACCOUNT_MB} MB`, kept)}
  </ul>`
}

const chooseOne = note(
  "info",
  html`There are too many numbers to add up here: type the name of one.
    <a href="/api/docs#getUsage">The API</a> gives the usage of all.`,
)

const nothing = empty({
  isCard: true,
  icon: "gauge",
  title: "Nothing yet",
  about: "Each event of a number counts on its day. The sandbox's count, too.",
  action: html`<a class="button main" href="/start">Make the first event</a>`,
})

/**
 * `rows`: one for each number and day on which something happened; `days`: every day that is shown; oldest
 * first.
 */
function figures(rows: UsageRow[], days: string[]): Html {
  const total = totalOf(rows)
  return html`<ul class="figures">
      ${figure("Messages in", String(total.in), "as they came")}
      ${figure("Messages out", String(total.out), "the last 10 min may be missing")}
      ${figure(deliveredOrKept, String(total.events))}
      ${figure("Undelivered", String(total.undelivered), ofFirst)}
      ${figure("Attempts that succeeded", success(total), ofFirst)}
    </ul>
    ${howExact} ${chart(rows, days)} ${table(rows)}`
}

/** `ref`: the only number that is shown; undefined: all. */
function filterForm({ refs, ref, span }: { refs: string[]; ref: string | undefined; span: string }): Html {
  const numbers = refs.map((one) => [one, one] as const)
  const days = spans.map((one) => [one, `${one} days`] as const)
  return html`<form class="inline" method="get" action="/usage" aria-label="Filter">
    ${
      refs.length > manyNumbers
        ? field("Number", { name: "number", value: ref ?? "", required: true })
        : selectField({
            name: "number",
            label: "Number",
            choices: [["", "All numbers"], ...numbers],
            chosen: ref,
          })
    }
    ${selectField({ name: "days", label: "The last", choices: days, chosen: span })}
    <button class="button">Show</button>
  </form>`
}

const howExact = html`<details class="plain small">
  <summary>How exact are these counts?</summary>
  <p>
    A message in counts when it comes. An event counts once it is delivered, undelivered, or kept here: one
    that still waits for a webhook does not count yet. Of a number with several webhooks, the first counts;
    what the others did not get is shown at their deliveries. A message out counts once the network has it.
    These are saved every ten minutes: the newest are missing, and a server that fails loses as many. No
    message is lost with them.
  </p>
</details>`

const deliveredOrKept = "Events delivered or kept here"
const ofFirst = "at each number's first webhook"

function figure(name: string, value: string, hint = ""): Html {
  return html`<li class="card">
    <span class="small muted">${name}</span> <b>${value}</b>
    ${hint === "" ? "" : html`<span class="small muted">${hint}</span>`}
  </li>`
}

interface Total {
  events: number
  /** Messages that others wrote, and those of the number itself. */
  in: number
  out: number
  undelivered: number
  attempts: number
  succeeded: number
}

function totalOf(rows: UsageRow[]): Total {
  const sum = (of: (row: UsageRow) => number) => rows.reduce((all, row) => all + of(row), 0)
  return {
    events: sum(({ events }) => events),
    in: sum(({ messages_in }) => messages_in),
    out: sum(({ messages_out }) => messages_out),
    undelivered: sum(({ undelivered }) => undelivered),
    attempts: sum(({ attempts }) => attempts),
    succeeded: sum(({ attempts, success: share }) => Math.round(attempts * share)),
  }
}

function success({ attempts, succeeded }: Pick<Total, "attempts" | "succeeded">): string {
  if (attempts === 0) return "-"
  const share = Math.round((succeeded / attempts) * 1000) / 10
  // Nearly all is not all.
  return `${succeeded < attempts ? Math.min(share, 99.9) : share} %`
}

/** Bars of the days. Whoever cannot see them has the table. */
function chart(rows: UsageRow[], days: string[]): Html {
  const counts = days.map((day) => totalOf(rows.filter(({ date }) => date === day)))
  const most = Math.max(1, ...counts.map(({ events, undelivered }) => events + undelivered))
  return html`<section class="card">
    <header>
      <h2>By day</h2>
      <p class="legend"><span></span> ${deliveredOrKept}</p>
      <p class="legend"><span class="key-lost"></span> Undelivered</p>
      <p>The highest bar is ${most}.</p>
    </header>
    ${bars(
      counts.map(({ events, undelivered }, i) => ({
        title: `${days[i]}: ${events} events, ${undelivered} undelivered`,
        count: events,
        lost: undelivered,
      })),
      days[0] ?? "",
      days.at(-1) ?? "",
    )}
  </section>`
}

function table(rows: UsageRow[]): Html {
  return html`<div class="card flush">
    <div class="scroller" tabindex="0" role="region" aria-label="Usage by day and number">
      <table class="cards">
        <thead>
          <tr>
            <th>Day</th>
            <th>Number</th>
            <th class="end">Events</th>
            <th class="end"><span class="hidden">Messages: </span>In</th>
            <th class="end"><span class="hidden">Messages: </span>Out</th>
            <th class="end">Undelivered</th>
            <th class="end">Attempts</th>
            <th class="end">Succeeded</th>
            <th class="end">95 % within</th>
          </tr>
        </thead>
        <tbody>
          ${rows.toReversed().map(
            (row) =>
              html`<tr>
                <td class="number">${row.date}</td>
                <td><a href="/numbers/${row.customer_ref}">${row.customer_ref}</a></td>
                <td class="end number" data-label="Events">${row.events}</td>
                <td class="end number" data-label="Messages in">${row.messages_in}</td>
                <td class="end number" data-label="Messages out">${row.messages_out}</td>
                <td class="end number" data-label="Undelivered">${row.undelivered}</td>
                <td class="end number" data-label="Attempts">${row.attempts}</td>
                <td class="end number" data-label="Succeeded">${success(totalOf([row]))}</td>
                <td class="end number" data-label="95 % within">
                  ${row.attempts === 0 ? "-" : `${row.p95_ms} ms`}
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </div>`
}
