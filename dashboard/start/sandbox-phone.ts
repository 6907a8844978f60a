import { html } from "hono/html"
import { type Html, icon, buttonForm } from "../elements.ts"

/** A message on the phone of the sandbox's contact. */
export interface Bubble {
  id: string
  /** Written on that phone; else the bridge sent it. */
  isOwn: boolean
  /** Its kind, unless it is a text. */
  kind?: string
  text: string
}

/**
 * Whether the phone of the sandbox's contact can be used from the page; it becomes available once the sandbox
 * is linked.
 */
export type PhoneState = "ready" | "linking" | "stopped" | "elsewhere"

interface Phone {
  phone: PhoneState
  bubbles: Bubble[]
  /** Digits of the sandbox's contact, whose phone it is; `""` while there is none. */
  contact: string
  mayChange: boolean
}

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

function phoneFoot({ phone, mayChange }: Pick<Phone, "phone" | "mayChange">): Html | string {
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
  return buttonForm({ action: `/sandbox/${what}`, label, kind: "slim" })
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
      ${does("vote", "Vote")} ${does("call", "Call")} ${does("unlink", "Unlink the sandbox")}
    </div>`
}

/** One message on the phone. */
export function bubble({ id, isOwn, kind, text }: Bubble): Html {
  return html`<li id="bubble-${id}" data-into="chat" class="${isOwn ? "own" : ""}">
    ${kind === undefined ? "" : html`<small>${kind}</small>`}<span class="said">${text}</span>
  </li>`
}
