import { html } from "hono/html"
import { errorStatus } from "#contract/error.ts"
import type { KnownState } from "#core/bridge/known-state.ts"
import { config } from "#core/platform/config.ts"
import { type Html, note, field } from "../elements.ts"
import { type Failure, linkFailures } from "../events/failure-words.ts"
import { inWords } from "../numbers/state-words.ts"
import { time, until } from "../times.ts"
import { dashboardWords, failureIn, fill, type LinkWords, stateIn } from "./link-words.ts"

/** The code to scan, or why there is none. */
export type Code =
  | { kind: "asking" }
  /**
   * A picture of the code that the network shows now, and its place in its round, from 1; 0 where that is not
   * known.
   */
  | { kind: "shown"; png: Uint8Array; expiresMs: number; number: number }
  /** No phone scanned the codes while they were shown. */
  | { kind: "over" }
  /** Why there is no code, by the API's own code. */
  | { kind: "refused"; code: string; sentence: string }
  /** A phone is linked: there is nothing to scan. */
  | { kind: "linked" }

/** The title of a link page. `name`: of the account that asks, if it has a public one. */
export function titleOf(name: string | undefined, words: LinkWords): Html | string {
  return name === undefined ? words.title : fill(words.linkFor, { who: html`<bdi>${name}</bdi>` })
}

export function whoAsks(name: string | undefined, { who }: LinkWords): Html | string {
  return name === undefined ? who : html`<b><bdi>${name}</bdi></b>`
}

/**
 * The introduction of a link page: who asks for a phone, for what and until when, and that the visitor need
 * not link it.
 */
export function introduction(input: {
  name: string | undefined
  /** The last digits of the phone's number, where only that is expected. */
  digits?: string | undefined
  /** How long it works; undefined: it stays. */
  time: Html | string | undefined
  isSandbox: boolean
  words: LinkWords
}): Html {
  const { name, digits, time, words } = input
  const number = digits === undefined ? words.ownNumber : fill(words.endingIn, { digits })
  return html`<p>
      ${fill(words.allows, { who: whoAsks(name, words), number })}
      ${time === undefined ? words.lasting : fill(words.once, { time })}
    </p>
    ${note("warn", html`<b>${words.stop}</b> ${words.stopWhy} ${words.undo}`)}
    ${input.isSandbox || config.HOST_NETWORK === "simulated" ? note("info", words.simulated) : note("warn", words.unofficial)}`
}

/** The code to scan, and the way without a camera. `at` is the page where a phone is linked. */
export function waysToLink(at: string, code: Code, words: LinkWords = dashboardWords): Html {
  return html`<div class="linking" id="linking" data-keep="codes">
    <section class="card" aria-label="Link with a camera">
      <div class="link">
        ${codePiece(at, code, words)}
        <div class="stack">
          <h2>${words.scan}</h2>
          <ol class="how">
            ${[words.open, words.devices, words.tap, words.point].map((step) => html`<li>${step}</li>`)}
          </ol>
        </div>
      </div>
    </section>
    <section class="card">
      <header>
        <h2>${words.noCamera}</h2>
        <p>${words.noCameraHow}</p>
      </header>
      ${phoneForm({ at, phone: "", words })} ${phoneSays(words)}
    </section>
  </div>`
}

/** Failures that only the phone shows. */
function phoneSays({ noLink, onThePhone }: LinkWords): Html {
  return html`<details class="plain">
    <summary>${noLink}</summary>
    <dl class="answers">
      ${onThePhone.map(
        ([title, next]) =>
          html`<div>
            <dt>${title}</dt>
            <dd class="muted">${next}</dd>
          </div>`,
      )}
    </dl>
  </details>`
}

function phoneForm({
  at,
  phone,
  words,
  isWrong = false,
}: {
  at: string
  phone: string
  words: LinkWords
  isWrong?: boolean
}): Html {
  return html`<form class="inline" method="post" action="${at}">
    ${field(
      words.phone,
      {
        name: "phone",
        type: "tel",
        autocomplete: "tel",
        required: true,
        value: phone,
        placeholder: "+49 171 1234567",
        "aria-invalid": isWrong ? "true" : undefined,
      },
      { width: "roomy" },
    )}
    <button class="button main">${words.getCode}</button>
  </form>`
}

/** How many codes the network gives at a time. */
const codesOfARound = 6

/** The code to scan as it is now; the stream sends it each time it changes. */
export function codePiece(at: string, code: Code, words: LinkWords = dashboardWords): Html {
  return html`<div id="qr">
    <div class="qr">${codeInside(at, code, words)}</div>
    <p class="qr-foot">
      ${
        code.kind === "shown"
          ? code.number === 0
            ? fill(words.changesIn, { time: until(code.expiresMs) })
            : html`Code ${code.number} of ${codesOfARound}, changes in ${until(code.expiresMs)}`
          : code.kind === "asking"
            ? words.soon
            : ""
      }
    </p>
  </div>`
}

function codeInside(at: string, code: Code, words: LinkWords): Html {
  switch (code.kind) {
    case "asking":
      return html`<div class="over">${words.asking}</div>
        <noscript><div class="over">${words.noScript}</div></noscript>`
    case "shown":
      return html`<img
          alt="QR code to scan with the phone"
          src="data:image/png;base64,${Buffer.from(code.png).toString("base64")}"
        />
        <div class="over cut">${words.old}</div>`
    case "over":
      return html`<div class="over">
        <b>${words.nobody}</b><span>${words.threeMinutes}</span>
        <a class="button main" href="${at}">${words.newCode}</a>
      </div>`
    case "refused":
      return html`<div class="over">
        ${reason(code, words)}
        <a class="button" href="${at}">${words.again}</a>
      </div>`
    case "linked":
      return html`<div class="over"><b>${words.isLinked}</b></div>`
  }
}

/**
 * A failure by the API's code: in words, and what to do. Where the fault is not the reader's, the API's own
 * sentence and code follow, for those who run the service. That sentence is also shown for a limit: only it
 * says when the limit is over. `digits`: the last ones of the only number that may be linked.
 */
export function reason(
  { code, sentence, digits = "" }: { code: string; sentence: string; digits?: string | undefined },
  words: LinkWords = dashboardWords,
): Html {
  const translated = failureIn(words, code)
  if (translated)
    return html`<b>${translated[0]}.</b> <span>${fill(translated[1], { digits })}</span>
      <code class="small">${code}</code>`
  const known: Failure | undefined = linkFailures[code as keyof typeof linkFailures]
  const { title, next } = known ?? linkFailures.internal_error // a code that is not expected here
  const isReaders =
    known && (code === "number_mismatch" || errorStatus[code as keyof typeof errorStatus] < 500)
  return html`<b>${title}.</b>
    <span>${fill(next, { digits })}${code === "rate_limited" ? ` ${sentence}` : ""}</span>
    ${isReaders ? "" : html`<span class="small">${sentence} <code>${code}</code></span>`}`
}

/** The code that was asked for, to be typed on the phone. */
export function typedCodeCard(input: {
  at: string
  code: string
  phone: string
  endsMs: number
  words?: LinkWords
}): Html {
  const { words = dashboardWords } = input
  return html`<section class="card" id="linking" aria-label="${words.title}">
    <h2>${fill(words.typeOn, { number: `+${input.phone}` })}</h2>
    <p class="big-code">${input.code}</p>
    <p class="muted small">${fill(words.works, { time: until(input.endsMs) })}</p>
    <ol class="how">
      ${[words.open, words.devices, words.tapPhone, words.typeIt].map((step) => html`<li>${step}</li>`)}
    </ol>
    <noscript
      ><p>Without script this page does not see when it is done: <a href="${input.at}">look</a>.</p></noscript
    >
    <div class="row">
      <a class="button" href="${input.at}">${words.goBack}</a>
    </div>
  </section>`
}

/** No code to type: why, by the API's own code, and the form again. */
export function refusedCard(input: {
  at: string
  code: string
  sentence: string
  phone: string
  digits?: string | undefined
  words?: LinkWords
}): Html {
  const { at, code, phone, words = dashboardWords } = input
  return html`<section class="card">
    ${note("bad", reason(input, words))}
    ${phoneForm({ at, phone, words, isWrong: code === "invalid_request" || code === "number_mismatch" })}
    <p><a href="${at}">${words.goBack}</a></p>
  </section>`
}

/** Where the network is simulated. `phones`: where its phones can be used. */
export function simulatedNote(phones: string): Html {
  return note(
    "info",
    html`This service runs on a simulated network, and no real phone can link here. Open the
      <a href="${phones}" target="_blank" rel="noopener">simulated phones</a> in another tab, add a phone
      there, then paste a copy of the QR code, or type the code of eight letters and digits.`,
  )
}

/** The network bans numbers for the use of unofficial software, and no other page says so. */
export const unofficialNote = note("warn", dashboardWords.unofficial)

/**
 * The card with which a person links a phone, and the progress. The stream renews both; `query` is what it is
 * opened with.
 */
export function cardAndSteps(input: {
  at: string
  query: string
  card: Html
  knownState: KnownState
  words?: LinkWords
}): Html {
  return html`<div class="stack" data-stream="${input.at}/stream?${input.query}">
    ${input.card} ${stepList(input.knownState, [], input.words)}
  </div>`
}

/**
 * How far the linking is, by the session's word. `times`: when each step was seen to begin, where that is
 * known.
 */
export function stepList(
  knownState: KnownState,
  times: readonly (number | undefined)[] = [],
  words: LinkWords = dashboardWords,
): Html {
  const at = stepOf(knownState)
  const order = words.steps
  const isOver = at === order.length - 1
  // The phone was linked before the page was opened: there is no progress to tell of.
  if (isOver && words.isForOwner && times.every((time) => time === undefined))
    return html`<section id="steps" hidden></section>`
  // That another phone was linked before says nothing of this linking.
  const { tone, word, cause } = inWords({ ...knownState, hadPhone: false })
  const isOdd = tone === "bad" || knownState.kind !== "said"
  const [title, text] = stateIn(words, knownState) ?? [word, cause]
  const wantsPasskey = knownState.kind === "said" && knownState.status === "passkey_required"
  return html`<section
    class="card"
    id="steps"
    aria-live="polite"
    aria-label="${words.progress}"
    ${knownState.kind === "said" && knownState.atMs !== undefined ? html`data-word="${knownState.atMs - (knownState.atMs % 5000)}"` : ""}
  >
    <div class="row spread">
      <h2>${words.progress}</h2>
      ${knownState.kind === "said" && words.isForOwner ? html`<span class="small muted" data-said>checked just now</span>` : ""}
    </div>
    ${isOdd ? note(tone === "bad" ? "bad" : "warn", html`<b>${title}.</b> ${text}`) : ""}
    <ol class="steps">
      ${order.map((step, i) => {
        const isDone = i < at || isOver
        return html`<li class="${isDone ? "done" : i === at ? "now" : ""}">
          <span
            >${i === 0 && wantsPasskey ? words.passkey : step}${isDone ? html`<span class="hidden">: done</span>` : ""}</span
          >
          ${times[i] === undefined ? "" : html`<span class="small muted">${time(times[i])}</span>`}
        </li>`
      })}
    </ol>
  </section>`
}

/** How many steps there are. */
export const stepCount = dashboardWords.steps.length

/** The step that the linking has come to, from 0. */
export function stepOf(knownState: KnownState): number {
  if (knownState.kind !== "said") return 0
  if (knownState.status === "connected") return knownState.isCatchingUp ? 3 : 4
  if (knownState.status === "unpaired" || knownState.status === "passkey_required") return 0
  return 2
}
