import { html } from "hono/html"
import { head } from "../layout.ts"
import { ago, copyable, copyButton, type Html } from "../parts/html.ts"

interface Shown {
  accounts: { id: string; name: string; subscription: string; bridges: number; bridgeLimit: number }[]
  hosts: {
    id: string
    state: string
    network: string
    sessions: number
    up: number
    capacity: number
    beatAt: number
  }[]
  nowMs: number
}

/** The whole service, for whoever runs it. */
export function operatorPage({ accounts, hosts, nowMs }: Shown): Html {
  return html`${head({
      title: "Operator",
      about: html`What runs and for whom. To change it, use <code>npm run admin</code>.`,
    })}
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
              <th>As they should be</th>
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
                  <td>${host.beatAt === 0 ? "none yet" : ago(host.beatAt * 1000, nowMs)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>
    <section class="card flush">
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
                  <td class="strong">${one.name}</td>
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
