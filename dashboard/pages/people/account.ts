import { html } from "hono/html"
import { head } from "../../layout.ts"
import { ago, emailField, type Html, note, press } from "../../elements.ts"

interface Shown {
  name: string
  /** The name that people read who link a phone for it; undefined before one was chosen. */
  publicName: string | undefined
  /** The name that was refused, and what was typed before a sign-in that it needed. */
  typed: {
    name: string | undefined
    email: string
    role: string
    person: string
    as: string
    passkey: string
  }
  subscription: string
  /** Whether it is paid for in this dashboard. */
  isBilled: boolean
  bridges: number
  bridgeLimit: number
  role: string
  personId: string
  browserId: string
  members: { personId: string; email: string; role: string }[]
  invitations: { email: string; role: string }[]
  browsers: { id: string; agent: string; seenAt: number }[]
  passkeys: { id: string; name: string; createdAt: number; usedAt?: number | undefined }[]
  others: { accountId: string; name: string }[]
  /** Whether other accounts invite the person. */
  isInvited: boolean
  /** Where the script for passkeys is. */
  script: string
  told?: Html | string | undefined
  nowMs: number
}

const roles = [
  ["member", "Member: everything but people"],
  ["owner", "Owner: people, too"],
  ["viewer", "Viewer: looks, without secrets"],
] as const

/** The account, its people, and where one is signed in. */
export function accountPage(input: Shown): Html {
  const { members, invitations, browsers, others } = input
  const isOwner = input.role === "owner"
  return html`${head({ title: "Account" })} ${input.told ?? ""}
    <section class="card">
      <h2>${input.name}</h2>
      <dl class="facts">
        <dt>Subscription</dt>
        <dd>
          ${input.isBilled ? html`${input.subscription.replace("_", " ")} · <a href="/subscription">See what it costs, and pay</a>` : input.subscription === "none" ? "none yet: ask the operator of this service for one. The sandbox needs none." : input.subscription}
        </dd>
        <dt>Numbers</dt>
        <dd>${input.bridges} of ${input.bridgeLimit}</dd>
      </dl>
      ${isOwner ? naming(input) : ""}
      ${
        others.length === 0
          ? ""
          : html`<div class="row">
              ${others.map((one) => press({ action: "/accounts/turn", label: `Switch to ${one.name}`, fields: { account: one.accountId } }))}
            </div>`
      }
      ${input.isInvited ? note("info", html`You are invited to another account. <a href="/accounts">Look who invites you</a>`) : ""}
      ${mayLeave(input) ? leave() : ""}
    </section>
    <section class="card flush">
      <header><h2>People</h2></header>
      <ul class="feed">
        ${members.map(
          (one) =>
            html`<li class="line">
              <span class="tag">${one.role}</span>
              <span class="about">${one.email}${one.personId === input.personId ? " (you)" : ""}</span>
              ${isOwner && one.personId !== input.personId ? press({ action: "/account/remove", label: html`Remove<span class="hidden"> ${one.email}</span>`, kind: "danger slim", fields: { person: one.personId } }) : html`<span></span>`}
            </li>`,
        )}
        ${invitations.map(
          (one) =>
            html`<li class="line">
              <span class="tag">${one.role}</span>
              <span class="about muted">${one.email}, invited</span>
              ${isOwner ? press({ action: "/account/withdraw", label: html`Withdraw<span class="hidden"> ${one.email}</span>`, kind: "slim", fields: { email: one.email } }) : html`<span></span>`}
            </li>`,
        )}
      </ul>
    </section>
    ${isOwner ? [inviting(input), roleForm(input)] : note("info", "Only owners invite and remove people, and change their roles.")}
    ${passkeysCard(input)}
    <section class="card flush">
      <header><h2>Where you are signed in</h2></header>
      <ul class="feed">
        ${browsers.map(
          (one) =>
            html`<li class="line">
              <span class="tag">${one.id === input.browserId ? "here" : "elsewhere"}</span>
              <span class="about"
                >${nameOf(one.agent)} <span class="muted">· seen ${ago(one.seenAt * 1000)}</span></span
              >
              ${one.id === input.browserId ? html`<span></span>` : press({ action: "/account/sign-out", label: "Sign out there", kind: "slim", fields: { browser: one.id } })}
            </li>`,
        )}
      </ul>
    </section>`
}

function inviting({ typed }: Shown): Html {
  return html`<form class="card inline" method="post" action="/account/invite">
    ${emailField({ label: "Invite somebody", value: typed.email, placeholder: "them@example.com", autocomplete: "off" })}
    <div class="roomy">
      <label for="role">As</label>
      <select id="role" name="role">
        ${roleOptions(typed.role)}
      </select>
    </div>
    <button class="button main">Invite</button>
  </form>`
}

function roleOptions(chosen: string): Html[] {
  return roles.map(
    ([value, label]) =>
      html`<option value="${value}" ${value === chosen ? "selected" : ""}>${label}</option>`,
  )
}

/** Everybody's role but one's own: owners who gave theirs away could not take it back. */
function roleForm({ members, personId, typed }: Shown): Html | string {
  const others = members.filter((one) => one.personId !== personId)
  if (others.length === 0) return ""
  return html`<form class="card inline" method="post" action="/account/role">
    <div class="roomy">
      <label for="person">Change the role of</label>
      <select id="person" name="person">
        ${others.map((one) => html`<option value="${one.personId}" ${one.personId === typed.person ? "selected" : ""}>${one.email} (${one.role})</option>`)}
      </select>
    </div>
    <div class="roomy">
      <label for="as">To</label>
      <select id="as" name="as">
        ${roleOptions(typed.as)}
      </select>
    </div>
    <button class="button">Change</button>
  </form>`
}

function naming({ publicName, typed }: Shown): Html {
  return html`<form class="inline" method="post" action="/account/rename">
      <div>
        <label for="account-name">Name</label>
        <input
          id="account-name"
          name="name"
          required
          maxlength="64"
          value="${typed.name ?? publicName ?? ""}"
          placeholder="Your shop or company"
          autocomplete="organization"
          aria-describedby="account-name-is"
        />
      </div>
      <button class="button">Save</button>
    </form>
    <p class="small muted" id="account-name-is">
      People who link a phone for you see it.${publicName === undefined ? " There is none yet." : ""}
    </p>`
}

/** An account keeps at least one owner. */
function mayLeave({ members, personId }: Shown): boolean {
  return members.some((one) => one.role === "owner" && one.personId !== personId)
}

function leave(): Html {
  return html`<details class="plain">
    <summary>Leave this account</summary>
    <p class="small">You see it no more, until one of its owners invites you again.</p>
    ${press({ action: "/account/leave", label: "Leave it now", kind: "danger" })}
  </details>`
}

/** Each person has their own, whatever account they look at. */
function passkeysCard({ passkeys, script, typed }: Shown): Html {
  const used = (at: number | undefined) => (at === undefined ? "not used yet" : html`used ${ago(at * 1000)}`)
  return html`<section class="card flush">
      <header>
        <h2>Your passkeys</h2>
        <p>
          They sign you in by a finger, a face or a PIN of your device. A mailed code always works as well.
        </p>
      </header>
      <ul class="feed">
        ${passkeys.map(
          (one) =>
            html`<li class="line">
              <span class="tag">passkey</span>
              <span class="about">${one.name} <span class="muted">· ${used(one.usedAt)}</span></span>
              ${press({ action: "/account/passkeys/remove", label: html`Remove<span class="hidden"> ${one.name}</span>`, kind: "danger slim", fields: { passkey: one.id } })}
            </li>`,
        )}
      </ul>
    </section>
    <form class="card inline" data-passkey="make" hidden>
      <div>
        <label for="passkey-name">A name for this device</label>
        <input
          id="passkey-name"
          name="name"
          maxlength="60"
          value="${typed.passkey}"
          placeholder="My laptop"
          autocomplete="off"
        />
      </div>
      <button class="button">Make a passkey</button>
      <p class="small" role="alert" data-said></p>
    </form>
    <script src="${script}" type="module"></script>`
}

/** A browser's name and system, out of what it says of itself. */
function nameOf(agent: string): string {
  const browser = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari)\/(\d+)/.exec(agent)
  const system = /\((?:[^;)]*; )?([^;)]+)/.exec(agent)?.[1] ?? ""
  return browser
    ? `${browser[1] === "Edg" ? "Edge" : browser[1]} ${browser[2]}${system && `, ${system}`}`
    : "A browser"
}
