import { html } from "hono/html"
import { Keep } from "#contract/keep.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import type { Choice } from "#core/bridge/choice.ts"
import { invalid } from "#core/error.ts"
import { checkbox, type Html, selectField } from "../elements.ts"

// The card "Kept messages" in a number's settings.

/**
 * The choice in the form: how many days the bridge keeps messages, and whether it asks a phone for earlier
 * ones.
 * @throws ApiError `invalid_request`
 */
export function keepingIn({ keep, history }: { keep: string; history: string }) {
  const { data: days } = Keep.nullable().safeParse(keep === "" ? null : Number(keep))
  if (days === undefined) throw invalid([{ path: "keep", message: "not 7, 30 or 90 days" }])
  if (days === null && history === "on")
    throw invalid([{ path: "history", message: "only while messages are kept: choose for how many days" }])
  return { keep: days, history: history === "on" }
}

const askForHistory =
  "Ask the next phone that is linked for what was said before. The phone chooses what it sends, and takes some minutes"

/** The card that says which messages of a number are kept. */
export function keepingCard(bridge: Bridge.Info, { keep, history }: ReturnType<typeof Choice.wire>): Html {
  const choices = [
    ["", "Not at all"],
    ...[...Keep.values].map((days) => [`${days}`, `${days} days`] as const),
  ] as const
  return html`<section class="card" id="keeping">
    <header>
      <h2>Kept messages</h2>
      <p>
        Chats show them, can be searched, and the API lists them. Each is removed when its days are over.
        Events have the text of messages too, and are kept apart from this: for 7 days, or 30 if no webhook
        took them.
      </p>
    </header>
    <form method="post" action="/numbers/${bridge.customerRef}/settings/keeping">
      ${selectField({ name: "keep", label: "Keep messages for", choices, chosen: `${keep ?? ""}` })}
      <fieldset class="stack">
        <legend class="label">Earlier messages</legend>
        ${checkbox("history", undefined, history, askForHistory)}
      </fieldset>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}
