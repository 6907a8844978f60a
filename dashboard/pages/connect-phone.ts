import { html } from "hono/html"
import { type Evidence, isLinked, placeOf, tell } from "../numbers/state.ts"
import { ago, type Html, note, press } from "../elements.ts"
import { refusedCard, simulated, steps, unofficial } from "../numbers/linking.ts"
import { numberHead } from "../layout.ts"

interface Shown {
  ref: string
  isSandbox: boolean
  evidence: Evidence
  /** What somebody does who links a phone. */
  card: Html
  /** What the pieces of its stream depend on. */
  stream: string
  nowMs: number
  mayChange: boolean
  /** Where simulated phones can be used, if the network is a simulated one. */
  phones?: string | undefined
  /** Why the phone that was linked last is no more, and when that was. */
  ended?: { sentence: string; atMs: number } | undefined
}

/** Linking a phone: by the code on this screen, or by one that is typed on the phone. */
export function connectPhonePage(input: Shown): Html {
  const { ref, isSandbox, evidence, mayChange } = input
  const isStopped = evidence.kind === "paused" || evidence.kind === "suspended"
  return html`${numberHead({ ref, isSandbox, tab: "connect" })} ${networkNote(input)}
  ${
    mayChange
      ? isStopped
        ? stoppedCard(ref, evidence)
        : linkingNow(input)
      : note("info", "You may look at this account, but link no phone: ask one of its owners.")
  }`
}

/** Which phones can link, and at which risk. */
function networkNote({ isSandbox, evidence, phones }: Shown): Html | string {
  if (isSandbox)
    return note(
      "info",
      "The sandbox is on a simulated network, and a simulated phone links itself to it. No real phone can scan its code.",
    )
  if (isLinked(evidence)) return ""
  return phones === undefined ? unofficial : simulated(phones)
}

/** The parts that the stream renews. */
function linkingNow({ ref, evidence, card, stream, ended, nowMs }: Shown): Html {
  const at = `/numbers/${ref}/connect`
  // The steps say why a login is refused. Nobody knows it of a number that says nothing.
  const isUnlinked = evidence.kind === "said" && evidence.objection === undefined && !isLinked(evidence)
  return html`<div class="stack" data-stream="${at}/stream?${stream}">
    ${isUnlinked && ended ? note("warn", html`${ended.sentence} That was ${ago(ended.atMs, nowMs)}.`) : ""}
    ${isLinked(evidence) ? linkedCard(ref, evidence) : card} ${steps(evidence)}
  </div>`
}

/** Nothing can be linked to a number that does not run. */
function stoppedCard(ref: string, evidence: Evidence): Html {
  const { word, cause, action } = tell(evidence)
  const at = `/numbers/${ref}`
  return html`<section class="card">
    ${note("bad", html`<b>${word}.</b> ${cause} No phone can be linked meanwhile.`)}
    <div class="row">
      ${action ? html`<a class="button main" href="${placeOf(at, action.to)}">${action.label}</a>` : ""}
      <a class="button" href="${at}/connect">Look again</a>
    </div>
  </section>`
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

/** In the midst of linking: what somebody does next. */
export function linkingPage(input: Pick<Shown, "ref" | "isSandbox" | "card" | "stream" | "evidence">): Html {
  return html`${numberHead({ ref: input.ref, isSandbox: input.isSandbox, tab: "connect" })}
    <div class="stack" data-stream="/numbers/${input.ref}/connect/stream?${input.stream}">
      ${input.card} ${steps(input.evidence)}
    </div>`
}

/** No code to type: why, and the form again. */
export function typeRefused(input: {
  ref: string
  isSandbox: boolean
  code: string
  sentence: string
  phone: string
}): Html {
  return html`${numberHead({ ref: input.ref, isSandbox: input.isSandbox, tab: "connect" })}
  ${refusedCard({ ...input, at: `/numbers/${input.ref}/connect` })}`
}
