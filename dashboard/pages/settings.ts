import { html } from "hono/html"
import { copyable, type Html, note, press } from "../parts/html.ts"
import { numberHead } from "../parts/number-head.ts"

/** What an account decides about a number. */
export function settingsPage(input: {
  ref: string
  isSandbox: boolean
  url: string
  /** Shown only after a fresh sign-in. */
  secret?: string | undefined
  events: string[]
  types: readonly string[]
  ignore: string[]
  mayChange: boolean
  told?: Html | string | undefined
}): Html {
  const { ref, mayChange } = input
  const at = `/numbers/${ref}/settings`
  if (!mayChange)
    return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "settings" })}
    ${note("info", "You may look at this account, but change nothing: ask one of its owners.")}`
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "settings" })} ${input.told ?? ""}
    <section class="card">
      <header>
        <h2>Webhook</h2>
        <p>
          Each event is sent to this address, signed and in order. Left empty, events stay in the inbox here.
        </p>
      </header>
      <form method="post" action="${at}/webhook">
        <div>
          <label for="url">Address</label>
          <input
            id="url"
            name="webhook_url"
            type="url"
            maxlength="2048"
            value="${input.url}"
            placeholder="https://example.com/webhook"
            autocomplete="off"
          />
        </div>
        <div class="row"><button class="button main">Save</button></div>
      </form>
    </section>
    <section class="card">
      <header>
        <h2>Webhook secret</h2>
        <p>Your receiver checks the signature of each event with it.</p>
      </header>
      ${
        input.secret === undefined
          ? html`<div class="row"><a class="button" href="${at}/secret">Show the secret</a></div>`
          : copyable(input.secret)
      }
    </section>
    <section class="card">
      <header>
        <h2>Events</h2>
        <p>Which of them you are told, and which chats count at all.</p>
      </header>
      <form method="post" action="${at}/events">
        <fieldset class="columns">
          <legend class="label">Types</legend>
          ${input.types.map(
            (type) =>
              html`<label class="choice"
                ><input
                  type="checkbox"
                  name="events"
                  value="${type}"
                  ${input.events.includes(type) ? "checked" : ""}
                />
                <code>${type}</code></label
              >`,
          )}
        </fieldset>
        <fieldset class="stack">
          <legend class="label">Ignore</legend>
          ${[
            ["groups", "Groups: no event, and nothing is kept"],
            ["status", "Status updates of contacts"],
          ].map(
            ([value, label]) =>
              html`<label class="choice"
                ><input
                  type="checkbox"
                  name="ignore"
                  value="${value}"
                  ${input.ignore.includes(value ?? "") ? "checked" : ""}
                />
                ${label}</label
              >`,
          )}
        </fieldset>
        <div class="row"><button class="button">Save</button></div>
      </form>
    </section>
    <section class="card">
      <header>
        <h2>Unlink or delete</h2>
        <p>
          Unlinking signs the session out on the phone; the number stays here. Deleting removes all that is
          kept of it.
        </p>
      </header>
      <div class="row">${press({ action: `${at}/unlink`, label: "Unlink the phone", kind: "danger" })}</div>
      <details class="plain">
        <summary>Delete this number</summary>
        <form class="inline" method="post" action="${at}/delete">
          <div>
            <label for="confirm">Type <code>${ref}</code> to confirm</label>
            <input id="confirm" name="confirm" required autocomplete="off" spellcheck="false" />
          </div>
          <button class="button danger">Delete it for ever</button>
        </form>
      </details>
    </section>`
}
