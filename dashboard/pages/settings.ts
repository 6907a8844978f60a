import { html } from "hono/html"
import { block, type Html, note, press, until } from "../elements.ts"
import { numberHead } from "../layout.ts"

interface Shown {
  ref: string
  isSandbox: boolean
  url: string
  /** Shown only after a fresh sign-in. */
  secret?: string | undefined
  /** Until then the secret that was replaced signs as well. */
  overlapMs?: number | undefined
  events: string[]
  types: readonly string[]
  ignore: string[]
  mayChange: boolean
  /** Whether it runs, or who has stopped it. */
  running: "yes" | "paused" | "stopped"
  told?: Html | string | undefined
  nowMs: number
}

/** The settings of a number. */
export function settingsPage(input: Shown): Html {
  const { ref, isSandbox } = input
  if (!input.mayChange)
    return html`${numberHead({ ref, isSandbox, tab: "settings" })}
    ${note("info", "You may look at this account, but change nothing: ask one of its owners.")}`
  return html`${numberHead({ ref, isSandbox, tab: "settings" })} ${input.told ?? ""} ${webhook(input)}
  ${secretCard(input)} ${eventsCard(input)} ${endings(input)}`
}

function webhook({ ref, url }: Shown): Html {
  return html`<section class="card">
    <header>
      <h2>Webhook</h2>
      <p>
        Each event is sent to this address, signed and in order. Left empty, events stay in the inbox here.
      </p>
    </header>
    <form method="post" action="/numbers/${ref}/settings/webhook">
      <div>
        <label for="url">Address</label>
        <input
          id="url"
          name="webhook_url"
          type="url"
          maxlength="2048"
          value="${url}"
          placeholder="https://example.com/webhook"
          autocomplete="off"
        />
      </div>
      <div class="row"><button class="button main">Save</button></div>
    </form>
  </section>`
}

function secretCard({ ref, secret, overlapMs, nowMs }: Shown): Html {
  const at = `/numbers/${ref}/settings/secret`
  return html`<section class="card" id="secret">
    <header>
      <h2>Webhook secret</h2>
      <p>
        Your receiver checks the signature of each event with it:
        <a href="/api/docs#receive">how, in three languages</a>.
      </p>
    </header>
    ${secret === undefined ? "" : block(secret, "The webhook secret")}
    ${
      overlapMs === undefined
        ? ""
        : note(
            "info",
            html`It was replaced, and the old one signs as well for ${until(overlapMs, nowMs)} more. Once your
            receiver knows the new one, end the old one.
            ${press({ action: `${at}/finish`, label: "End the old one now", kind: "slim" })}`,
          )
    }
    <div class="row">
      ${secret === undefined ? html`<a class="button" href="${at}">Show the secret</a>` : ""}
      ${
        overlapMs === undefined
          ? html`<details class="plain">
              <summary>Replace it</summary>
              <p class="small">
                For 24 hours each event is signed with both, so nothing is lost while your receiver changes. A
                receiver that compares <code>Authorization</code> has to accept the new secret at once.
              </p>
              ${press({ action: `${at}/roll`, label: "Replace the secret" })}
            </details>`
          : ""
      }
    </div>
  </section>`
}

const ignorable = [
  ["groups", "Groups: no event, and nothing is kept"],
  ["status", "Status updates of contacts"],
] as const

function choice(name: string, value: string, isChosen: boolean, label: Html | string): Html {
  return html`<label class="choice"
    ><input type="checkbox" name="${name}" value="${value}" ${isChosen ? "checked" : ""} /> ${label}</label
  >`
}

function eventsCard({ ref, types, events, ignore }: Shown): Html {
  return html`<section class="card">
    <header>
      <h2>Events</h2>
      <p>Which of them you are told, and which chats count at all.</p>
    </header>
    <form method="post" action="/numbers/${ref}/settings/events">
      <fieldset class="choices">
        <legend class="label">Types</legend>
        ${types.map((type) => choice("events", type, events.includes(type), html`<code>${type}</code>`))}
      </fieldset>
      <fieldset class="stack">
        <legend class="label">Ignore</legend>
        ${ignorable.map(([value, label]) => choice("ignore", value, ignore.includes(value), label))}
      </fieldset>
      <div class="row"><button class="button">Save</button></div>
    </form>
  </section>`
}

function pausing(at: string, running: Shown["running"]): Html | string {
  switch (running) {
    case "yes":
      return html`<details class="plain">
        <summary>Pause this number</summary>
        <p class="small">
          Its session ends until you wake it, and calls are refused. It costs as much as before. The phone
          stays linked at first, but unlinks a device that does not sign in for some weeks.
        </p>
        ${press({ action: `${at}/pause`, label: "Pause it now" })}
      </details>`
    case "paused":
      return html`${note("warn", "Somebody of this account has paused it: it receives and sends nothing.")}
        <div class="row">${press({ action: `${at}/wake`, label: "Wake it", kind: "main" })}</div>`
    case "stopped":
      return ""
  }
}

function endings({ ref, running }: Shown): Html {
  const at = `/numbers/${ref}/settings`
  return html`<section class="card">
    <header>
      <h2>Pause, unlink or delete</h2>
      <p>
        Unlinking signs the session out on the phone; the number stays here. Deleting removes all that is kept
        of it.
      </p>
    </header>
    ${pausing(at, running)}
    <details class="plain">
      <summary>Unlink the phone</summary>
      <p class="small">No message is received until a phone is linked again.</p>
      ${press({ action: `${at}/unlink`, label: "Unlink it now", kind: "danger" })}
    </details>
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
