import { html } from "hono/html"
import { head } from "../layout.ts"
import { age, ago, copyable, copyButton, type Html, note, press, until } from "../elements.ts"

interface Account {
  id: string
  name: string
  subscription: string
  bridges: number
  bridgeLimit: number
}

interface Shown {
  accounts: Account[]
  hosts: {
    id: string
    state: string
    network: string
    sessions: number
    up: number
    capacity: number
    beatAt: number
  }[]
  /** Bridges with events that wait, the one with the oldest event first. */
  waiting: Waiting[]
  told?: string | undefined
  nowMs: number
}

interface Waiting {
  bridgeId: string
  waiting: number
  oldest_at?: number | undefined
  next_attempt_at?: number | undefined
  failing_since?: number | undefined
}

/** The whole service, for whoever runs it. */
export function operatorPage({ accounts, hosts, waiting, told }: Shown): Html {
  return html`${head({
      title: "Operator",
      about: html`The hosts that run, the events that wait, and the accounts. <code>npm run admin</code> does
        the rest.`,
    })}
    ${told === undefined ? "" : note("bad", told)}
    <form class="card inline" method="get" action="/operator/find">
      <div>
        <label for="id">Find a number or an account</label>
        <input
          id="id"
          name="id"
          required
          maxlength="254"
          placeholder="an id, an account's name, or the number of a linked phone"
          autocomplete="off"
          spellcheck="false"
        />
      </div>
      <button class="button">Find</button>
    </form>
    <section class="card flush">
      <header><h2>Session hosts</h2></header>
      <div class="scroller" tabindex="0" role="region" aria-label="Session hosts">
        <table>
          <thead>
            <tr>
              <th>Host</th>
              <th>State</th>
              <th>Network</th>
              <th>Sessions</th>
              <th>Up</th>
              <th>Last beat</th>
            </tr>
          </thead>
          <tbody>
            ${hosts.map(
              (host) =>
                html`<tr>
                  <td class="mono">${host.id.slice(0, 8)}… ${copyButton(host.id)}</td>
                  <td>
                    <span
                      class="state ${host.state === "up" ? "good" : host.state === "dead" ? "bad" : "warn"}"
                      >${host.state}</span
                    >
                  </td>
                  <td>${host.network}</td>
                  <td class="number">${host.sessions} of ${host.capacity}</td>
                  <td class="number">${host.up}</td>
                  <td>${host.beatAt === 0 ? "none yet" : ago(host.beatAt * 1000)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>
    ${waits(waiting)} ${accountsCard(accounts)}`
}

function accountsCard(accounts: Account[]): Html {
  return html`<section class="card flush">
    <header><h2>Accounts</h2></header>
    <div class="scroller" tabindex="0" role="region" aria-label="Accounts">
      <table>
        <thead>
          <tr>
            <th>Account</th>
            <th>Subscription</th>
            <th>Numbers</th>
            <th>Id</th>
          </tr>
        </thead>
        <tbody>
          ${accounts.map(
            (one) =>
              html`<tr>
                <td class="strong"><a href="/operator/find?id=${one.id}">${one.name}</a></td>
                <td>${one.subscription}</td>
                <td class="number">${one.bridges} of ${one.bridgeLimit}</td>
                <td>${copyable(one.id)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

/** A receiver that is away, or a queue that is behind: the oldest event tells which number it is. */
function waits(all: Waiting[]): Html {
  const time = (at: number | undefined) => (at === undefined ? "" : age(at * 1000))
  return html`<section class="card flush">
    <header>
      <h2>Events that wait</h2>
      <p>The numbers in which events have waited for longest.</p>
    </header>
    ${
      all.length === 0
        ? html`<p class="empty">None waits.</p>`
        : html`<div class="scroller" tabindex="0" role="region" aria-label="Events that wait">
            <table>
              <thead>
                <tr>
                  <th>Number</th>
                  <th>Waiting</th>
                  <th>Oldest</th>
                  <th>Failing for</th>
                  <th>Next attempt in</th>
                </tr>
              </thead>
              <tbody>
                ${all.map(
                  (one) =>
                    html`<tr>
                      <td class="mono"><a href="/operator/find?id=${one.bridgeId}">${one.bridgeId}</a></td>
                      <td class="number">${one.waiting}</td>
                      <td>${time(one.oldest_at)}</td>
                      <td>${time(one.failing_since)}</td>
                      <td>${one.next_attempt_at === undefined ? "" : until(one.next_attempt_at * 1000)}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`
}

interface Matches {
  asked: string
  /** Those of this name. */
  accounts: Account[]
  /** Those that have been linked to this phone, and when each last connected as it, Unix seconds. */
  numbers: { id: string; ref: string; account: { id: string; name: string }; connectedAt: number }[]
  nowMs: number
}

/** The accounts or numbers that fit a name or a phone: names are not unique, and a phone is linked to one number after another. */
export function matchesPage({ asked, accounts, numbers }: Matches): Html {
  return html`${head({
    title: asked,
    crumbs: html`<a href="/operator">Operator</a>`,
    about: "Names are free, and a phone can be linked again elsewhere: choose by the id.",
  })}
  ${accounts.length === 0 ? "" : accountsCard(accounts)} ${numbers.length === 0 ? "" : linkedCard(numbers)}`
}

function linkedCard(numbers: Matches["numbers"]): Html {
  return html`<section class="card flush">
    <header>
      <h2>Numbers that have been linked to this phone</h2>
      <p>The one that connected last comes first. It may be linked to another phone by now.</p>
    </header>
    <div class="scroller" tabindex="0" role="region" aria-label="Numbers">
      <table>
        <thead>
          <tr>
            <th>Number</th>
            <th>Account</th>
            <th>Last connected</th>
            <th>Id</th>
          </tr>
        </thead>
        <tbody>
          ${numbers.map(
            ({ id, ref, account, connectedAt }) =>
              html`<tr>
                <td class="strong"><a href="/operator/find?id=${id}">${ref}</a></td>
                <td><a href="/operator/find?id=${account.id}">${account.name}</a></td>
                <td>${ago(connectedAt * 1000)}</td>
                <td>${copyable(id)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`
}

interface Found {
  account: { id: string; name: string; subscription: string }
  numbers: FoundNumber[]
  /** The only number that was asked for. */
  isOne: boolean
  told?: string | undefined
  nowMs: number
}

interface FoundNumber {
  id: string
  ref: string
  /** Undefined while it is being deleted. */
  lease?: Lease | undefined
  waiting: Waiting
}

interface Lease {
  state: "running" | "paused" | "suspended"
  /** The gravest reason why it must not run. */
  why?: string | undefined
  host: string
  isHeld: boolean
  epoch: number
  failures: number
  deaths: number
  logins: number
  told?: { status: string; since: number } | undefined
}

/** A number, or those of an account, as the operator needs to see them. */
export function foundPage({ account, numbers, isOne, told }: Found): Html {
  return html`${head({
    title: isOne ? (numbers[0]?.ref ?? "") : account.name,
    crumbs: html`<a href="/operator">Operator</a>`,
    about: html`Account <a href="/operator/find?id=${account.id}">${account.name}</a>, subscription
      ${account.subscription}.`,
  })}
  ${told === undefined ? "" : note("bad", told)}
  ${numbers.length === 0 ? note("info", "This account has no number.") : numbers.map((one) => numberCard(one))}`
}

function numberCard({ id, ref, lease, waiting }: FoundNumber): Html {
  return html`<section class="card">
    <h2>${ref}</h2>
    <dl class="facts">
      <dt>Id</dt>
      <dd>${copyable(id)}</dd>
      ${
        lease
          ? leaseFacts(lease)
          : html`<dt>State</dt>
              <dd>deleted a moment ago</dd>`
      }
      <dt>Events that wait</dt>
      <dd>
        ${waiting.waiting}${waiting.oldest_at === undefined ? "" : html`, the oldest for ${age(waiting.oldest_at * 1000)}`}
      </dd>
    </dl>
    ${lease ? html`<div class="row">${acts(id, lease)}</div>` : ""}
  </section>`
}

function leaseFacts(lease: Lease): Html {
  return html`<dt>State</dt>
    <dd>${lease.state}${lease.why === undefined ? "" : ` (${lease.why})`}</dd>
    <dt>Session</dt>
    <dd>${sessionOf(lease)}</dd>
    <dt>Lease</dt>
    <dd>${holderOf(lease)}, epoch ${lease.epoch}</dd>
    <dt>In a row</dt>
    <dd>
      ${counted(lease.failures, "failure")}, ${counted(lease.deaths, "death")} of hosts,
      ${counted(lease.logins, "login")} that did not last
    </dd>`
}

function sessionOf({ told, isHeld }: Lease): Html | string {
  if (!told) return "has said nothing yet"
  const sinceMs = told.since * 1000
  if (isHeld) return html`${told.status}, for ${age(sinceMs)}`
  return html`none; the last one became ${told.status} ${ago(sinceMs)}`
}

function holderOf({ host, isHeld, state }: Lease): Html | string {
  if (isHeld) return html`host <code>${host}</code>`
  return state === "running" ? "waits for a host" : "no host"
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`
}

/**
 * The buttons for a number as it is now. One that is paused for billing runs again when it is paid, and one that its
 * people have paused is theirs to wake, unless the operator pauses it, too.
 */
function acts(id: string, { state, why }: Lease): Html[] {
  const act = (name: string, label: string, kind: "" | "danger" = "") =>
    press({ action: `/operator/${name}`, label, kind, fields: { id } })
  if (state === "suspended") return [act("resume", "Resume")]
  const suspend = act("suspend", "Suspend", "danger")
  if (state === "running" || why === "customer") return [act("pause", "Pause", "danger"), suspend]
  return why === "operator" || why === "idle" ? [act("wake", "Wake"), suspend] : [suspend]
}
