import { Hono } from "hono"
import type { Context } from "hono"
import { html } from "hono/html"
import { Account } from "#core/account/account.ts"
import { Bridge } from "#core/bridge/bridge.ts"
import { DeliveryReport } from "#core/event/delivery-report.ts"
import type { Receiver } from "#core/event/receiver.ts"
import { waitingLongest } from "#core/event/waiting-deliveries.ts"
import { Host } from "#core/lease/host.ts"
import { headedPage } from "../answer.ts"
import { cardTable, copyable, copyButton, type Html, note, field } from "../elements.ts"
import type { DashboardEnv } from "../guard.ts"
import { age, ago, until } from "../times.ts"

/** How many numbers with waiting events the page shows. */
const mostWaiting = 10

/** The whole service, for whoever runs it: its hosts, the events that wait, and the accounts. */
export const operator = new Hono<DashboardEnv>().get("/operator", async (c) => await showOperator(c))

/** `problem`: why something was not found. */
export async function showOperator(c: Context<DashboardEnv>, problem?: string): Promise<Response> {
  const [accounts, hosts, longest] = await Promise.all([
    Account.list(),
    Host.list(),
    waitingLongest(mostWaiting),
  ])
  const waiting = await Promise.all(
    longest.map(async (id) => ({
      ...(await whatWaitsFor(id)),
      name: (await Bridge.byId(id.bridgeId))?.customerRef ?? "",
    })),
  )
  const about = html`The hosts that run, the events that wait, and the accounts.
    <code>npm run admin</code> does the rest: <code>events resend</code> sends again what was given up.
    <code>npm run cost</code> says what the service should cost.`
  const body = html`${problem === undefined ? "" : note("bad", problem)} ${findForm()} ${hostsCard(hosts)}
  ${waits(waiting.toSorted(byAge))} ${accountsCard(accounts)}`
  const status = problem === undefined ? 200 : 404
  return await headedPage(c, { title: "Operator", about, place: "operator", body, status })
}

const byAge = (a: { oldest_at?: number }, b: { oldest_at?: number }) =>
  (a.oldest_at ?? Infinity) - (b.oldest_at ?? Infinity)

type Waiting = Awaited<ReturnType<typeof whatWaitsFor>> & { name: string }

/** What waits for one of a bridge's webhooks. */
export async function whatWaitsFor(id: Receiver.Id) {
  return { bridgeId: id.bridgeId, ...(await DeliveryReport.summary(id)) }
}

function findForm(): Html {
  return html`<form class="card inline" method="get" action="/operator/find">
    ${field("Find a number or an account", {
      name: "id",
      required: true,
      maxlength: 254,
      placeholder: "an id, an account's name, or the number of a linked phone",
      spellcheck: "false",
    })}
    <button class="button">Find</button>
  </form>`
}

function hostsCard(hosts: Host.Info[]): Html {
  return html`<section class="card flush">
    <header><h2>Session hosts</h2></header>
    ${cardTable({
      label: "Session hosts",
      heads: ["Host", "State", "Network", "Sessions", "Sessions up", "Last heard"],
      rows: hosts.map(
        (host) =>
          html`<tr>
            <td class="mono">${host.id.slice(0, 8)}… ${copyButton(host.id)}</td>
            <td>
              <span class="state ${host.state === "up" ? "good" : host.state === "dead" ? "bad" : "warn"}"
                >${host.state}</span
              >
            </td>
            <td data-label="Network">${host.network}</td>
            <td class="number" data-label="Sessions">${host.sessions} of ${host.capacity}</td>
            <td class="number" data-label="Sessions up">${host.up}</td>
            <td data-label="Last heard">${host.beatAt === 0 ? "none yet" : ago(host.beatAt * 1000)}</td>
          </tr>`,
      ),
    })}
  </section>`
}

/** A receiver that is away, or a queue that is behind: the oldest event tells which number it is. */
function waits(all: Waiting[]): Html {
  return html`<section class="card flush">
    <header>
      <h2>Events that wait</h2>
      <p>The numbers in which events have waited for longest.</p>
    </header>
    ${
      all.length === 0
        ? html`<p class="empty">None waits.</p>`
        : cardTable({
            label: "Events that wait",
            heads: ["Number", "Waiting", "Oldest", "Failing for", "Next attempt in"],
            rows: all.map(
              (one) =>
                html`<tr>
                  <td>
                    <a class="strong" href="/operator/find?id=${one.bridgeId}"
                      >${one.name || "a number that is gone"}</a
                    >
                    <div class="small muted mono">${one.bridgeId}</div>
                  </td>
                  <td class="number" data-label="Waiting">${one.waiting}</td>
                  <td data-label="Oldest">${ageOf(one.oldest_at)}</td>
                  <td data-label="Failing for">${ageOf(one.failing_since)}</td>
                  <td data-label="Next attempt in">
                    ${one.next_attempt_at === undefined ? "-" : until(one.next_attempt_at * 1000)}
                  </td>
                </tr>`,
            ),
          })
    }
  </section>`
}

function ageOf(at: number | undefined): Html | string {
  return at === undefined ? "-" : age(at * 1000)
}

/** As many as are read at a glance: others are found by their names. */
const mostAccounts = 100

export function accountsCard(accounts: Account.Info[]): Html {
  const newest = accounts.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, mostAccounts)
  return html`<section class="card flush">
    <header>
      <h2>Accounts</h2>
      ${newest.length === accounts.length ? "" : html`<p>The ${mostAccounts} newest of ${accounts.length}.</p>`}
    </header>
    ${cardTable({
      label: "Accounts",
      heads: ["Account", "Subscription", "Numbers", "Id"],
      rows: newest.map(
        (one) =>
          html`<tr>
            <td class="strong"><a href="/operator/find?id=${one.id}">${one.name}</a></td>
            <td data-label="Subscription">${one.subscription}</td>
            <td class="number" data-label="Numbers">${one.bridges} of ${one.bridgeLimit}</td>
            <td>${copyable(one.id)}</td>
          </tr>`,
      ),
    })}
  </section>`
}
