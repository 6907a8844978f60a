import { html } from "hono/html"
import { head } from "../layout.ts"
import { block, type Html, note, press, time } from "../parts/html.ts"
import { icon } from "../parts/icon.ts"

interface Key {
  keyId: string
  name: string
  createdAt: number
}

/** The keys that programs call the API with. A new one is shown this once. */
export function keysPage(input: { keys: Key[]; fresh?: string; mayChange: boolean; baseUrl: string }): Html {
  const { keys, fresh, mayChange } = input
  return html`${head({
    title: "API keys",
    about: html`Programs call the API with a key: <code>Authorization: Bearer …</code> Whoever has one can do
      everything but sign in here.`,
  })}
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
  ${
    mayChange
      ? html`<form class="card inline" method="post" action="/keys">
          <div>
            <label for="name">Name of a new key</label>
            <input
              id="name"
              name="name"
              maxlength="100"
              required
              placeholder="Which program is it for?"
              autocomplete="off"
            />
          </div>
          <button class="button main">Create a key</button>
        </form>`
      : ""
  }
  ${
    keys.length === 0
      ? html`<div class="card empty">
          ${icon("key")}
          <h2>No key yet</h2>
          <p>Create one to call the API.</p>
        </div>`
      : html`<div class="card flush">
          <div class="scroller" tabindex="0" role="region" aria-label="API keys">
            <table>
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Id</th>
                  <th>Created</th>
                  <th class="end"><span class="hidden">Do</span></th>
                </tr>
              </thead>
              <tbody>
                ${keys.map(
                  (key) =>
                    html`<tr>
                      <td class="strong">${key.name === "" ? "without a name" : key.name}</td>
                      <td><code>mbk_${key.keyId}_…</code></td>
                      <td>${time(key.createdAt * 1000)}</td>
                      <td class="end">
                        ${mayChange ? press({ action: `/keys/${key.keyId}/revoke`, label: html`Revoke<span class="hidden"> ${key.name}</span>`, kind: "danger slim" }) : ""}
                      </td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>
        </div>`
  }`
}
