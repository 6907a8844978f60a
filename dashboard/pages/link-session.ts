import { html } from "hono/html"
import { type Html, note, until } from "../elements.ts"
import type { Evidence } from "../numbers/evidence.ts"
import { linking, refusedCard, steps, typedCard, unofficial } from "../numbers/linking.ts"

/** The Link page, for somebody without an account: who asks them, and until when. */
interface Asked {
  /** The name of the account that made this page, if it has one. */
  name: string | undefined
  isSandbox: boolean
  /** The only number that may be linked. */
  expectedPhone?: string | undefined
  expiresMs: number
  /** Where this page is. */
  at: string
}

/** Where somebody links their phone to somebody else's account. */
export function linkPage(
  input: Asked & { begunMs: number; nowMs: number; evidence: Evidence; isRefused: boolean },
): Html {
  const wrong = note(
    "bad",
    html`<b>That was another phone.</b> It has another number than the one that is expected here, so it was
      unlinked again. Link the phone with the number ending in ${input.expectedPhone?.slice(-4)}.`,
  )
  return html`${head(input)} ${input.isRefused && input.expectedPhone ? wrong : ""}
    <div class="stack" data-stream="${input.at}/stream?begun=${input.begunMs}">
      ${linking(input.at)} ${steps(input.evidence)}
    </div>`
}

/** The code that was asked for, to be typed on the phone. */
export function linkTyped(
  input: Asked & { code: string; phone: string; endsMs: number; nowMs: number; evidence: Evidence },
): Html {
  return html`${head(input)}
    <div class="stack" data-stream="${input.at}/stream?typed=1">
      ${typedCard(input)} ${steps(input.evidence)}
    </div>`
}

/** No code to type: why, and the form again. */
export function linkRefused(input: Asked & { code: string; sentence: string; phone: string }): Html {
  return html`<h1>Link a phone</h1>
    ${refusedCard(input)}`
}

/** A phone is linked, and this page is used up. */
export function linkDone(input: { returnUrl?: string | undefined }): Html {
  return html`<div class="card">
    <h1>Your phone is linked</h1>
    <p>
      There is nothing more to do here: this page was for one phone. On the phone it is listed under
      <b>Linked devices</b>, where you can end it at any time.
    </p>
    ${
      input.returnUrl === undefined
        ? html`<p>You can close this page.</p>`
        : html`<div class="row">
            <a class="button main" href="${input.returnUrl}" rel="noreferrer"
              >Go on to ${new URL(input.returnUrl).host}</a
            >
          </div>`
    }
  </div>`
}

/** A phone was linked elsewhere. */
export function linkTaken({ name }: Pick<Asked, "name">): Html {
  return html`<div class="card">
    <h1>A phone is linked already</h1>
    <p>
      It was not linked on this page, so there is nothing to do here. If it is not yours, tell
      ${name === undefined ? "those who sent you here" : html`<b><bdi>${name}</bdi></b>`}: they can unlink it
      and send you here again.
    </p>
  </div>`
}

/** The URL is none of ours, or too old. */
export function deadLink(): Html {
  return html`<div class="card">
    <h1>This page is over</h1>
    <p>It lived for an hour, or its address is not whole. Ask whoever sent it to you for a new one.</p>
  </div>`
}

function head({ name, expectedPhone, expiresMs, isSandbox }: Asked): Html {
  return html`<div class="head">
      <div>
        <h1>Link your phone${name === undefined ? "" : html` for <bdi>${name}</bdi>`}</h1>
        <p>
          ${name === undefined ? "Those who sent you here" : html`<bdi>${name}</bdi>`} can then send and
          receive messages with
          ${expectedPhone === undefined ? "your number" : html`the number ending in ${expectedPhone.slice(-4)}`}.
          This page works once, for ${until(expiresMs)} more.
        </p>
      </div>
    </div>
    ${isSandbox ? note("info", "This is a sandbox on a simulated network: no real phone can scan its code.") : unofficial}`
}
