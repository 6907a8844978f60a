import { html } from "hono/html"
import { type Html, note, press } from "../../elements.ts"

interface Shown {
  email: string
  /** The accounts that the person is in. */
  own: { id: string; name: string; role: string }[]
  /** The account that this browser shows. */
  present: string
  invitations: { id: string; name: string; role: string; by: string }[]
  /** Whether they may have an account made for them here. */
  mayOpen: boolean
  /** Where to go on in the chosen account. */
  next: string
  told?: string | undefined
}

/** Where people choose an account: one that they are in, one that invites them, or one of their own. */
export function accountsPage(input: Shown): Html {
  const { own, invitations, next } = input
  return html`<div class="head">
      <div>
        <h1>Your accounts</h1>
        <p>You are signed in as <b>${input.email}</b>.</p>
      </div>
    </div>
    ${input.told === undefined ? "" : note("bad", input.told)}
    ${own.length + invitations.length === 0 ? note("info", "You are in no account any more: its owner removed you, you left it, or it was deleted.") : ""}
    ${invitations.length === 0 ? "" : invited(input)}
    ${
      own.length === 0
        ? ""
        : html`<section class="card flush">
            <header><h2>You are in</h2></header>
            <ul class="feed">
              ${own.map(
                (one) =>
                  html`<li class="line">
                    <span class="tag">${one.role}</span>
                    <span class="about">${one.name}</span>
                    ${press({ action: "/accounts/turn", label: html`${one.id === input.present ? "Go on" : "Switch"}<span class="hidden"> to ${one.name}</span>`, kind: "slim", fields: { account: one.id, next } })}
                  </li>`,
              )}
            </ul>
          </section>`
    }
    <div class="row">
      ${input.mayOpen ? press({ action: "/accounts/open", label: "Make an account of my own", kind: own.length + invitations.length === 0 ? "main" : "", fields: { next } }) : ""}
      ${press({ action: "/sign-out", label: "Sign out" })}
    </div>`
}

function invited({ invitations, next }: Shown): Html {
  return html`<section class="card flush">
    <header>
      <h2>You are invited</h2>
      <p>
        Everything in an account belongs to it: its owners see and use the numbers and keys that you add
        there. Join one only if you know who invites you.
      </p>
    </header>
    <ul class="feed">
      ${invitations.map(({ id, name, role, by }) => {
        const fields = { account: id, next }
        const to = html`<span class="hidden"> ${name}</span>`
        return html`<li class="line">
          <span class="tag">${role}</span>
          <span class="about"
            >${by === "" ? name : html`${by} <span class="muted">invites you to</span> ${by === name ? "their account" : name}`}</span
          >
          <span class="row">
            ${press({ action: "/accounts/join", label: html`Join${to}`, kind: "slim", fields })}
            ${press({ action: "/accounts/decline", label: html`Decline${to}`, kind: "danger slim", fields })}
          </span>
        </li>`
      })}
    </ul>
  </section>`
}
