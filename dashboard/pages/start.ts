import { html } from "hono/html"
import type { StoredEvent } from "#core/contract/delivery.ts"
import { head } from "../layout.ts"
import { eventItem } from "../parts/event.ts"
import { badge, type Evidence } from "../parts/evidence.ts"
import { block, type Html, note, press } from "../parts/html.ts"
import { icon } from "../parts/icon.ts"

/** A message on the phone of the sandbox's contact. */
export interface Bubble {
  id: string
  /** Written on that phone; else the bridge sent it. */
  isOwn: boolean
  text: string
}

interface Shown {
  evidence: Evidence
  events: StoredEvent[]
  /** Whether the phone of the sandbox's contact can be used from here; it moves in with the linking. */
  phone: "ready" | "linking" | "elsewhere"
  bubbles: Bubble[]
  /** Digits of that contact. */
  contact: string
  facts: { hasKey: boolean; hasEvent: boolean; hasNumber: boolean; hasWebhook: boolean }
  baseUrl: string
  mayChange: boolean
  told?: Html | string | undefined
  nowMs: number
}

/** The first page: a phone to try the account's sandbox with, the events that come of it, and the code to copy. */
export function startPage(input: Shown): Html {
  const { events, nowMs, facts } = input
  const after = new URLSearchParams({ list: "start", after: events[0]?.event_id ?? "" }).toString()
  return html`${head({
      title: "Start",
      about:
        "Your sandbox is a number on a simulated network. Write to it from the phone, and watch the event that your program would get.",
    })}
    ${input.told ?? ""}
    <div class="columns">
      <div data-stream="/live/sandbox">${phoneCard(input)}</div>
      <section
        class="card flush phone"
        data-stream="/numbers/sandbox/events/stream?${after}"
        aria-label="Events of the sandbox"
      >
        <header class="row spread">
          <h2>Events</h2>
          ${sandboxState(input.evidence)}
        </header>
        <div class="scroller" tabindex="0" role="region" aria-label="Events">
          ${
            events.length > 0
              ? ""
              : html`<div class="empty" id="start-events-empty">
                  ${icon("inbox")}
                  <h2>The first event is on its way</h2>
                  <p>
                    The sandbox links itself to its phone. Its <code>connected</code> appears here in a few
                    seconds.
                  </p>
                </div>`
          }
          <ul class="feed" id="start-events">
            ${events.map((event) => eventItem("sandbox", event, { nowMs, list: "start-events" }))}
          </ul>
        </div>
        <footer><a href="/numbers/sandbox/events">All events of the sandbox</a></footer>
      </section>
    </div>
    <div class="columns">${checklist(facts)} ${blocks(input)}</div>`
}

/** The state of the sandbox, as the stream sends it again. */
export function sandboxState(evidence: Evidence): Html {
  return html`<span id="sandbox-state">${badge(evidence)}</span>`
}

/** The phone of the sandbox's contact, as the stream sends it again once it can be used. */
export function phoneCard({
  phone,
  bubbles,
  contact,
  mayChange,
}: Pick<Shown, "phone" | "bubbles" | "contact" | "mayChange">): Html {
  return html`<section
    class="card phone"
    id="phone"
    data-keep="${phone}"
    aria-label="A phone that writes to the sandbox"
  >
    <header>
      <h2>Echo's phone</h2>
      <p class="small muted">
        ${contact === "" ? "Moves in when the sandbox is linked" : html`+${contact}, somebody who writes to you`}
      </p>
    </header>
    <ul class="chat" id="chat" tabindex="0" aria-label="Messages">
      ${bubbles.toReversed().map(bubble)}
    </ul>
    <footer>
      ${
        phone === "elsewhere"
          ? html`<p class="small muted">
              This service's simulated phones cannot be used from here: use the API to send to the sandbox's
              contacts.
            </p>`
          : phone === "linking"
            ? html`<p class="small muted">A moment: the sandbox links its phone.</p>`
            : mayChange
              ? html`<form class="inline" method="post" action="/sandbox/say">
                    <div>
                      <label class="hidden" for="say">Message</label>
                      <input
                        id="say"
                        name="text"
                        required
                        maxlength="1000"
                        placeholder="Write to your bridge"
                        autocomplete="off"
                        value=""
                      />
                    </div>
                    <button class="button main">${icon("send")} Send</button>
                  </form>
                  <div class="row">
                    ${press({ action: "/sandbox/call", label: "Call", kind: "slim" })}
                    ${press({ action: "/sandbox/react", label: "React", kind: "slim" })}
                  </div>`
              : ""
      }
    </footer>
  </section>`
}

/** One message on it. */
export function bubble({ id, isOwn, text }: Bubble): Html {
  return html`<li id="bubble-${id}" data-into="chat" class="${isOwn ? "own" : ""}">${text}</li>`
}

function item(isDone: boolean, body: Html): Html {
  return html`<li class="${isDone ? "done" : ""}">
    ${icon(isDone ? "check" : "open")}<span
      >${body}${isDone ? html`<span class="hidden">: done</span>` : ""}</span
    >
  </li>`
}

/** What there is to do, ticked by what there is; the stream sends it again. */
export function checklist(facts: Shown["facts"]): Html {
  return html`<section class="card" id="checklist">
    <h2>Next steps</h2>
    <ol class="checklist">
      ${item(facts.hasEvent, html`See an event of the sandbox`)}
      ${item(facts.hasKey, html`<a href="/keys">Create an API key</a> and send a message with it`)}
      ${item(facts.hasWebhook, html`<a href="/numbers/sandbox/settings">Give the sandbox a webhook</a>`)}
      ${item(facts.hasNumber, html`<a href="/new-number">Add a number</a> and link a phone`)}
    </ol>
  </section>`
}

function blocks({ baseUrl, contact }: Shown): Html {
  const to = contact === "" ? "<a contact's number>" : contact
  const api = `${baseUrl}/api/instances`
  const json = `-H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json'`
  return html`<section class="card">
    <header>
      <h2>For your program</h2>
      <p>Put a key from <a href="/keys">API keys</a> into <code>KEY</code>, then paste.</p>
    </header>
    <h3>Send a message</h3>
    ${block(`curl ${api}/sandbox/proxy/send/text \\\n  ${json} \\\n  -d '{"chat":"${to}","body":"Hello"}'`, "Send a message")}
    <h3>Have events sent to you</h3>
    ${block(`curl -X PATCH ${api}/sandbox \\\n  ${json} \\\n  -d '{"webhook_url":"http://127.0.0.1:9000/"}'`, "Set the webhook")}
    <h3>Add a number</h3>
    ${block(`curl ${api} \\\n  ${json} \\\n  -d '{"customer_ref":"shop"}'`, "Create a bridge")}
    <p class="small muted">
      A receiver that checks signatures, in three languages: <a href="/api/docs">the reference</a>.
    </p>
  </section>`
}

/** Where there is no sandbox. */
export function startWithoutSandbox(facts: Shown["facts"]): Html {
  return html`${head({ title: "Start", about: "Link a phone, and each of its messages becomes an event for your program." })}
  ${note("info", "This service has no sandbox.")} ${checklist(facts)}`
}
