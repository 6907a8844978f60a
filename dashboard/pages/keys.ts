import { html } from "hono/html"
import { head } from "../layout.ts"
import { ago, block, type Html, note, press, time } from "../elements.ts"
import { icon } from "../elements.ts"

interface Key {
  keyId: string
  name: string
  scope: "all" | "read" | "bridge"
  bridge?: { customerRef: string } | undefined
  createdAt: number
  lastUsedAt?: number | undefined
}

interface Shown {
  keys: Key[]
  /** The numbers that a key can be for. */
  refs: string[]
  /** A key that was just made. */
  fresh?: string
  problem?: string
  told?: string
  /** The form as it was typed before a refusal, or before the sign-in that a new key needs. */
  typed: { name: string; may: string }
  mayChange: boolean
  baseUrl: string
  nowMs: number
}

/** The keys that programs call the API with. A new one is shown this once. */
export function keysPage(input: Shown): Html {
  const { keys, fresh, problem, told } = input
  return html`${head({
    title: "API keys",
    about: html`Programs call the API with a key: <code>Authorization: Bearer …</code> Give each program one
      of its own, with no more rights than it needs.`,
  })}
  ${problem === undefined ? "" : note("bad", problem)} ${told === undefined ? "" : note("good", told)}
  ${
    fresh === undefined
      ? ""
      : html`<section class="card">
          ${note("good", html`<b>This is your new key.</b> Copy it now: it is not shown again.`)}
          ${block(fresh, "The new key")}
          <p class="small muted">Try it:</p>
          ${block(`curl ${input.baseUrl}/api/instances -H "Authorization: Bearer ${fresh}"`, "A call with the new key")}
        </section>`
  }
  ${input.mayChange ? newKey(input) : ""}
  ${
    keys.length === 0
      ? html`<div class="card empty">
          ${icon("key")}
          <h2>No key yet</h2>
          <p>Create one to call the API.</p>
        </div>`
      : list(input)
  }`
}

function newKey({ refs, typed }: Shown): Html {
  const option = (value: string, label: string) =>
    html`<option value="${value}" ${value === typed.may ? "selected" : ""}>${label}</option>`
  return html`<form class="card inline" method="post" action="/keys">
    <div>
      <label for="name">Name of a new key</label>
      <input
        id="name"
        name="name"
        maxlength="64"
        value="${typed.name}"
        required
        placeholder="Which program is it for?"
        autocomplete="off"
      />
    </div>
    <div>
      <label for="may">It may</label>
      <select id="may" name="may">
        ${option("all", "do everything")} ${option("read", "only read, without secrets")}
        ${
          refs.length === 0
            ? ""
            : html`<optgroup label="do everything at one number">
                ${refs.map((ref) => option(`bridge:${ref}`, `only ${ref}`))}
              </optgroup>`
        }
      </select>
    </div>
    <button class="button main">Create a key</button>
  </form>`
}

function list({ keys, mayChange }: Shown): Html {
  return html`<div class="card flush">
    <div class="scroller" tabindex="0" role="region" aria-label="API keys">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>May</th>
            <th>Last used</th>
            <th>Created</th>
            <th class="end"><span class="hidden">Do</span></th>
          </tr>
        </thead>
        <tbody>
          ${keys.map(
            (key) =>
              html`<tr>
                <td>
                  <span class="strong">${key.name === "" ? "without a name" : key.name}</span>
                  <div class="small muted mono">mbk_${key.keyId}_…</div>
                </td>
                <td>${rightOf(key)}</td>
                <td>
                  ${key.lastUsedAt === undefined ? html`<span class="muted">never</span>` : html`${ago(key.lastUsedAt * 1000)}`}
                </td>
                <td>${time(key.createdAt * 1000)}</td>
                <td class="end">${mayChange ? revoking(key) : ""}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </div>`
}

/** It cannot be undone. */
function revoking({ keyId, name }: Key): Html {
  return html`<details class="plain">
    <summary>Revoke<span class="hidden"> ${name}</span></summary>
    ${press({ action: `/keys/${keyId}/revoke`, label: html`Revoke it now<span class="hidden">: ${name}</span>`, kind: "danger slim" })}
  </details>`
}

function rightOf({ scope, bridge }: Key): Html | string {
  switch (scope) {
    case "all":
      return "everything"
    case "read":
      return "only read"
    case "bridge":
      return html`only <a href="/numbers/${bridge?.customerRef ?? ""}">${bridge?.customerRef ?? ""}</a>`
  }
}
