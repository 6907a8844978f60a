import { html } from "hono/html"
import type { StoredEvent } from "#core/contract/delivery.ts"
import { type Html, block, icon, note, press } from "../elements.ts"
import { head } from "../layout.ts"
import { eventItem } from "../numbers/event-item.ts"
import type { Evidence } from "../numbers/evidence.ts"
import { evidenceLine } from "../numbers/state.ts"
import { snippets } from "./snippets.ts"

/** A message on the phone of the sandbox's contact. */
export interface Bubble {
  id: string
  /** Written on that phone; else the bridge sent it. */
  isOwn: boolean
  /** Its kind, unless it is a text. */
  kind?: string
  text: string
}

/** Whether the phone of the sandbox's contact can be used from the page; it becomes available once the sandbox is linked. */
export type PhoneState = "ready" | "linking" | "stopped" | "elsewhere"

interface Shown {
  evidence: Evidence
  events: StoredEvent[]
  /** The number of the newest event when the list was read: the stream goes on behind it. */
  newest: number
  phone: PhoneState
  bubbles: Bubble[]
  /** Digits of that contact. */
  contact: string
  facts: {
    hasSandbox: boolean
    hasEvent: boolean
    hasSent: boolean
    hasNumber: boolean
    hasWebhook: boolean
  }
  baseUrl: string
  /** Whether this service calls a receiver on the reader's own machine. */
  isReceiverHere: boolean
  mayChange: boolean
  told?: Html | string | undefined
  nowMs: number
}

/** The first page: a phone to try the account's sandbox with, the events that come of it, and the code to copy. */
export function startPage(input: Shown): Html {
  return html`${head({
      title: "Start",
      about: `Your sandbox is a number on a simulated network. ${whatToDo(input)}`,
    })}
    ${input.told ?? ""}
    <div class="columns">
      <div data-stream="/live/sandbox">${phoneCard(input)}</div>
      ${eventsCard(input)}
    </div>
    ${input.mayChange ? html`${checklist(input.facts)} ${codeBlocks(input)}` : ""}`
}

function whatToDo({ phone, mayChange }: Shown): string {
  if (phone === "elsewhere")
    return "Send to its contact Echo with the API, and watch the event of the answer."
  return mayChange
    ? "Write to it from the phone, and watch the event that your program would get."
    : "Watch what is written to it from the phone, and the event that a program gets."
}

function eventsCard({ events, newest, evidence }: Shown): Html {
  return html`<section
    class="card flush phone"
    data-stream="/numbers/sandbox/events/stream?list=start&amp;from=${newest}"
    aria-label="Events of the sandbox"
  >
    <header class="row spread">
      <h2>Events</h2>
      ${sandboxState(evidence)}
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
        ${events.map((event) => eventItem("sandbox", event, { list: "start-events" }))}
      </ul>
    </div>
    <footer><a href="/numbers/sandbox/events">All events of the sandbox</a></footer>
  </section>`
}

/** The state of the sandbox, as the stream sends it again. */
export function sandboxState(evidence: Evidence): Html {
  return html`<div id="sandbox-state" class="evidence">${evidenceLine(evidence)}</div>`
}

type Phone = Pick<Shown, "phone" | "bubbles" | "contact" | "mayChange">

/** The phone of the sandbox's contact, as the stream sends it again once it can be used. */
export function phoneCard({ phone, bubbles, contact, mayChange }: Phone): Html {
  return html`<section
    class="card phone"
    id="phone"
    data-keep="${phone === "elsewhere" ? `${phone} ${contact}` : phone}"
    aria-label="A phone that writes to the sandbox"
  >
    <header>
      <h2>Echo's phone</h2>
      <p class="small muted">
        ${contact === "" ? nobodyYet[phone] : html`+${contact}, somebody who writes to you`}
      </p>
    </header>
    <ul class="chat" id="chat" tabindex="0" aria-label="Messages">
      ${
        phone === "ready" && bubbles.length === 0
          ? html`<li class="empty" id="chat-empty">
              Nothing was written yet. Say something to your sandbox below.
            </li>`
          : bubbles.toReversed().map(bubble)
      }
    </ul>
    <footer>${phoneFoot({ phone, mayChange })}</footer>
  </section>`
}

const nobodyYet = {
  ready: "",
  linking: "It is here once the sandbox is linked",
  stopped: "It is away while the sandbox does not run",
  elsewhere: "Its number is here once the sandbox is linked",
}

function phoneFoot({ phone, mayChange }: Pick<Shown, "phone" | "mayChange">): Html | string {
  switch (phone) {
    case "elsewhere":
      return html`<p class="small muted">
        This phone cannot be used from here. Send to it with the API, as the block below does: it answers with
        the same text.
      </p>`
    case "linking":
      return html`<p class="small muted">A moment: the sandbox links its phone.</p>`
    case "stopped":
      return html`<p class="small muted">Nothing can be written to a sandbox that does not run.</p>`
    case "ready":
      return mayChange
        ? controls()
        : html`<p class="small muted">You may look at this account: its members write from this phone.</p>`
  }
}

/** A button for something that the phone does. */
function does(what: string, label: string): Html {
  return press({ action: `/sandbox/${what}`, label, kind: "slim" })
}

function controls(): Html {
  return html`<form class="inline" method="post" action="/sandbox/say">
      <div>
        <label class="hidden" for="say">Message</label>
        <input
          id="say"
          name="text"
          required
          maxlength="65536"
          placeholder="Write to your sandbox"
          autocomplete="off"
          value=""
        />
      </div>
      <button class="button main">${icon("send")} Send</button>
    </form>
    <div class="row">
      ${does("picture", "Picture")} ${does("voice", "Voice")} ${does("react", "React")}
      ${does("vote", "Vote")} ${does("call", "Call")}
      <span class="push"
        >${press({ action: "/sandbox/unlink", label: "Unlink the sandbox", kind: "danger slim" })}</span
      >
    </div>`
}

/** One message on it. */
export function bubble({ id, isOwn, kind, text }: Bubble): Html {
  return html`<li id="bubble-${id}" data-into="chat" class="${isOwn ? "own" : ""}">
    ${kind === undefined ? "" : html`<small>${kind}</small>`}<span class="said">${text}</span>
  </li>`
}

function item(isDone: boolean, body: Html): Html {
  return html`<li class="${isDone ? "done" : ""}">
    ${icon(isDone ? "check" : "open")}<span
      >${body}${isDone ? html`<span class="hidden">: done</span>` : ""}</span
    >
  </li>`
}

/** The first steps, ticked by facts; the stream renews them. */
export function checklist(facts: Shown["facts"]): Html {
  return html`<section class="card" id="checklist">
    <h2>Next steps</h2>
    <ol class="checklist">
      ${
        facts.hasSandbox
          ? html`${item(facts.hasEvent, html`See an event of the sandbox`)}
            ${item(facts.hasSent, html`Send a message with the API: <a href="/keys">make a key</a>, then paste`)}
            ${item(facts.hasWebhook, html`<a href="/numbers/sandbox/settings">Give the sandbox a webhook</a>`)}`
          : ""
      }
      ${item(facts.hasNumber, html`<a href="/new-number">Add a number</a> and link a phone`)}
    </ol>
  </section>`
}

/** Code to copy, as the stream sends it again once the contact's number is known. */
export function codeBlocks(input: Pick<Shown, "baseUrl" | "contact" | "isReceiverHere">): Html {
  const { baseUrl, contact, isReceiverHere } = input
  const receiverUrl = isReceiverHere ? "http://127.0.0.1:9000/" : "https://example.com/"
  return html`<section class="card" id="blocks">
    <header>
      <h2>For your program</h2>
      <p>Put a key from <a href="/keys">API keys</a> into <code>KEY</code>, then paste.</p>
    </header>
    <div class="snippets">
      ${snippets({ baseUrl, contact, receiverUrl }).map(
        ({ title, code }) =>
          html`<div>
            <h3>${title}</h3>
            ${block(code, title)}
          </div>`,
      )}
    </div>
    <p class="small muted">
      ${isReceiverHere ? "" : html`Put the receiver where the internet can reach it, and its address in place of <code>${receiverUrl}</code>.`}
      Every call, and a receiver in three languages: <a href="/api/docs">the reference</a>.
    </p>
  </section>`
}

/** Where there is no sandbox. */
export function startWithoutSandbox(facts: Shown["facts"]): Html {
  return html`${head({ title: "Start", about: "Link a phone, and each of its messages becomes an event for your program." })}
  ${note("info", "This service has no sandbox.")} ${checklist(facts)}`
}
