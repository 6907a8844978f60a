import { html } from "hono/html"
import { type Html, note, press, until } from "../parts/html.ts"
import { numberHead } from "../parts/number-head.ts"
import { type Evidence, tell } from "../parts/evidence.ts"

/** What there is to scan, or why there is nothing. */
export type Code =
  | { kind: "asking" }
  /** A picture of the code that the network shows now. */
  | { kind: "shown"; png: Uint8Array; expiresMs: number }
  /** Nobody scanned it while it was on show. */
  | { kind: "over" }
  | { kind: "refused"; sentence: string }
  /** A phone is linked: there is nothing to scan. */
  | { kind: "linked" }

/** Linking a phone: by the code on this screen, or by one that is typed on the phone. */
export function connectPage(input: {
  ref: string
  isSandbox: boolean
  evidence: Evidence
  begunMs: number
  nowMs: number
  mayChange: boolean
}): Html {
  const { ref, evidence, nowMs } = input
  const at = `/numbers/${ref}/connect`
  const isLinked = evidence.kind === "said" && !["unpaired", "passkey_required"].includes(evidence.status)
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "connect" })}
  ${
    input.isSandbox
      ? note(
          "info",
          "The sandbox is on a simulated network, and a simulated phone links itself to it. No real phone can scan its code.",
        )
      : note(
          "warn",
          "This service links as an unofficial device. The network can restrict or ban a number for that: connect one that you can afford to lose.",
        )
  }
  ${
    input.mayChange
      ? html`<div class="stack" data-stream="${at}/stream?begun=${input.begunMs}">
          ${isLinked ? linkedCard(ref, evidence) : linking({ ref, nowMs })} ${steps(evidence)}
        </div>`
      : note("info", "You may look at this account, but link no phone: ask one of its owners.")
  }`
}

function linking({ ref, nowMs }: { ref: string; nowMs: number }): Html {
  return html`<section class="card" id="linking" aria-label="Link a phone">
    <div class="link phone-first">
      ${codePiece(ref, { kind: "asking" }, nowMs)}
      <div class="stack">
        <h2>Scan this with the phone</h2>
        <ol class="how">
          <li>Open the messenger on the phone.</li>
          <li>Open its settings, then <b>Linked devices</b>.</li>
          <li>Tap <b>Link a device</b>.</li>
          <li>Point the camera at this code.</li>
        </ol>
        <form class="inline" method="post" action="/numbers/${ref}/connect">
          <div>
            <label for="phone">Without a camera: the phone's number</label>
            <input
              id="phone"
              name="phone"
              inputmode="tel"
              autocomplete="tel"
              required
              placeholder="+49 171 1234567"
            />
          </div>
          <button class="button">Get a code to type</button>
        </form>
      </div>
    </div>
  </section>`
}

/** The code to scan as it is now; the stream sends it each time it turns. */
export function codePiece(ref: string, code: Code, nowMs: number): Html {
  return html`<div id="qr">
    <div class="qr">${codeInside(ref, code)}</div>
    <p class="qr-foot">
      ${
        code.kind === "shown"
          ? html`The code changes in ${until(code.expiresMs, nowMs)}`
          : code.kind === "asking"
            ? "This takes a few seconds"
            : ""
      }
    </p>
  </div>`
}

function codeInside(ref: string, code: Code): Html {
  switch (code.kind) {
    case "asking":
      return html`<div class="over">Asking the network for a code…</div>
        <noscript
          ><div class="over">
            Without script the code cannot follow the network. Get a code to type instead.
          </div></noscript
        >`
    case "shown":
      return html`<img
          alt="QR code to scan with the phone"
          src="data:image/png;base64,${Buffer.from(code.png).toString("base64")}"
        />
        <div class="over cut">
          This code may be old: the connection to the service is lost. It comes back by itself.
        </div>`
    case "over":
      return html`<div class="over">
        <b>Nobody scanned the code</b><span>The network shows one for three minutes.</span>
        <a class="button main" href="/numbers/${ref}/connect">Show a new code</a>
      </div>`
    case "refused":
      return html`<div class="over">
        <b>There is no code</b><span>${code.sentence}</span>
        <a class="button" href="/numbers/${ref}/connect">Try again</a>
      </div>`
    case "linked":
      return html`<div class="over"><b>A phone is linked</b></div>`
  }
}

/** Takes the place of the code once a phone is linked. */
export function linkedCard(ref: string, evidence: Extract<Evidence, { kind: "said" }>): Html {
  const { action, cause } = tell(evidence)
  return html`<section class="card" id="linking" aria-label="The linked phone">
    <h2>${evidence.phone === "" ? "A phone is linked" : html`Linked to +${evidence.phone}`}</h2>
    <p class="muted">
      ${cause === "" ? "Its messages arrive. To link another phone, unlink this one in the settings." : cause}
    </p>
    <div class="row">
      ${
        action?.to === "take-back"
          ? press({ action: `/numbers/${ref}/restart`, label: action.label, kind: "main" })
          : html`<a class="button main" href="/numbers/${ref}/events">See its events</a>`
      }
      <a class="button" href="/numbers/${ref}/settings">Settings</a>
    </div>
  </section>`
}

/** The code that was asked for, to be typed on the phone. */
export function typePage(input: {
  ref: string
  isSandbox: boolean
  code: string
  phone: string
  endsMs: number
  evidence: Evidence
  nowMs: number
}): Html {
  const { ref, nowMs } = input
  return html`${numberHead({ ref, isSandbox: input.isSandbox, tab: "connect" })}
    <div class="stack" data-stream="/numbers/${ref}/connect/stream?typed=1">
      <section class="card" id="linking" aria-label="Link a phone">
        <h2>Type this on the phone with the number +${input.phone}</h2>
        <p class="big-code" aria-label="Code">${input.code}</p>
        <p class="muted small">It works for ${until(input.endsMs, nowMs)} more.</p>
        <ol class="how">
          <li>Open the messenger on the phone.</li>
          <li>Open its settings, then <b>Linked devices</b>.</li>
          <li>Tap <b>Link a device</b>, then <b>Link with phone number instead</b>.</li>
          <li>Type the code above.</li>
        </ol>
        <div class="row">
          <a class="button" href="/numbers/${ref}/connect">Use the QR code, or another number</a>
        </div>
      </section>
      ${steps(input.evidence)}
    </div>`
}

/** No code to type: why, and the form again. */
export function typeRefused(input: {
  ref: string
  isSandbox: boolean
  sentence: string
  phone: string
}): Html {
  return html`${numberHead({ ref: input.ref, isSandbox: input.isSandbox, tab: "connect" })}
    <section class="card">
      ${note("bad", input.sentence)}
      <form class="inline" method="post" action="/numbers/${input.ref}/connect">
        <div>
          <label for="phone">The phone's number, with its country code</label>
          <input
            id="phone"
            name="phone"
            inputmode="tel"
            required
            value="${input.phone}"
            aria-invalid="true"
          />
        </div>
        <button class="button main">Get a code to type</button>
      </form>
      <p><a href="/numbers/${input.ref}/connect">Back to the QR code</a></p>
    </section>`
}

const order = ["Waiting for the phone", "Phone linked", "Signing in", "Connected"] as const

/** How far the linking is, by the session's word. */
export function steps(evidence: Evidence): Html {
  const at = stepOf(evidence)
  const { tone, word, cause } = tell(evidence)
  const isOdd = tone === "bad" || evidence.kind !== "said"
  return html`<section
    class="card"
    id="steps"
    aria-live="polite"
    aria-label="Progress"
    ${evidence.kind === "said" ? html`data-word="${evidence.atMs - (evidence.atMs % 5000)}"` : ""}
  >
    <div class="row spread">
      <h2>Progress</h2>
      ${evidence.kind === "said" ? html`<span class="small muted" data-said>confirmed now</span>` : ""}
    </div>
    ${isOdd ? note(tone === "bad" ? "bad" : "warn", html`<b>${word}.</b> ${cause}`) : ""}
    <ol class="steps">
      ${order.map(
        (step, i) =>
          html`<li class="${i < at || at === order.length - 1 ? "done" : i === at ? "now" : ""}">
            <span
              >${step}${i < at || at === order.length - 1 ? html`<span class="hidden">: done</span>` : ""}</span
            >
          </li>`,
      )}
    </ol>
  </section>`
}

function stepOf(evidence: Evidence): number {
  if (evidence.kind !== "said") return 0
  if (evidence.status === "connected") return 3
  if (evidence.status === "unpaired" || evidence.status === "passkey_required") return 0
  return 2
}
