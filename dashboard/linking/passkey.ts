import { html } from "hono/html"
import { PasskeyAssertion, passkeyOrigin, type PasskeyOptions } from "#contract/passkey.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { type KnownState, knownStateOf } from "#core/bridge/known-state.ts"
import { ApiError } from "#core/error.ts"
import { nowMs } from "#core/platform/clock.ts"
import { sentenceForPeople, sentenceOf } from "../api-words.ts"
import { codeBlock, type Html, note, buttonForm } from "../elements.ts"
import { callSession, unlinkPhone } from "../numbers/session-answer.ts"
import { until } from "../times.ts"
import type { Refused } from "./ask-for-codes.ts"
import { dashboardWords, fill, type LinkWords } from "./link-words.ts"
import { type Code, reason, refusedCard, waysToLink, cardAndSteps } from "./linking-cards.ts"

type Asked = NonNullable<Extract<KnownState, { kind: "said" }>["passkey"]>

/** The page that shows a card. */
export interface CardPage {
  /** The page where a phone is linked. */
  at: string
  /** Where people reach this service. */
  origin: string
  /**
   * Who gets the link to the phone, in words that its owner knows: a number of the account, or the account's
   * name.
   */
  linksTo: string
  /** What an end person reads; English where it is not said. */
  words?: LinkWords
}

const wordsOf = ({ words = dashboardWords }: CardPage) => words

/** Whether a phone took a code, and its account wants a passkey. */
export function wantsPasskey(knownState: KnownState): boolean {
  return knownState.kind === "said" && knownState.status === "passkey_required"
}

function requestIn(knownState: KnownState): Asked | undefined {
  return knownState.kind === "said" ? knownState.passkey : undefined
}

/** What tells one request from the next. */
export function challengeIn(knownState: KnownState): string | undefined {
  return requestIn(knownState)?.options.challenge
}

/** The code to scan or, once a phone took it and its account wants a passkey, the way to use one. */
export function linkingCard(knownState: KnownState, shown: CardPage, code: Code = { kind: "asking" }): Html {
  return wantsPasskey(knownState) ? passkeyCard(shown, knownState) : waysToLink(shown.at, code, shown.words)
}

/**
 * Takes the place of the codes while the network waits for a passkey: the way to WhatsApp's page and back;
 * once the request has expired, the way to a new code. `refused`: why the answer before was not taken.
 */
function passkeyCard(shown: CardPage, knownState: KnownState, refused?: Refused): Html {
  const asked = requestIn(knownState)
  const isWaiting = asked !== undefined && asked.expires_at * 1000 > nowMs()
  const words = wordsOf(shown)
  const isOurs = refused?.code === "passkey_refused" && !words.reasons
  // While the request stays the same the card is not exchanged: a person may be writing in it.
  return html`<section
    class="card"
    id="linking"
    data-keep="${isWaiting ? asked.options.challenge : "over"}"
    aria-label="${words.usePasskey}"
  >
    ${refused ? note("bad", isOurs ? ownWords(refused) : reason(refused, words)) : ""}
    ${
      isWaiting
        ? waiting(shown, asked)
        : html`<h2>${words.passkeyOver}</h2>
            <p>${words.passkeyOverHow}</p>`
    }
    <div class="row">${beginAgain(shown, isWaiting ? "" : "main")}</div>
  </section>`
}

function beginAgain(shown: CardPage, kind: "" | "main"): Html {
  return buttonForm({ action: `${shown.at}/again`, label: wordsOf(shown).beginAgain, kind })
}

function waiting(shown: CardPage, { options, expires_at }: Asked): Html {
  const words = wordsOf(shown)
  const page = html`<code>chrome://extensions</code>`
  const edge = html`<code>edge://extensions</code>`
  return html`<h2>${words.passkey}</h2>
    <p>${fill(words.passkeyWhy, { time: until(expires_at * 1000) })}</p>
    <ol class="how">
      <li>
        ${words.extension}
        <details class="plain">
          <summary>${words.addIt}</summary>
          <ol class="how">
            <li><a href="/passkey-extension.zip" download>${words.download}</a>. ${words.unpack}</li>
            <li>${fill(words.openExtensions, { page, edge })}</li>
            <li>${words.loadIt}</li>
          </ol>
        </details>
      </li>
      <li>
        <a class="button main" referrerpolicy="origin" href="${linkOf(shown, options)}"
          >${words.usePasskey}</a
        >
        <p>${words.leads}</p>
      </li>
    </ol>
    <p class="muted">${words.nothingAsks}</p>
    ${byHand(shown, options)}`
}

/**
 * For those who know what a console is, and for answers that were made elsewhere. The script hands over an
 * answer here, too.
 */
function byHand({ at, origin }: CardPage, options: PasskeyOptions): Html {
  return html`<details class="plain" lang="en">
    <summary>Without the extension, if you know the developer tools</summary>
    <p>
      Open <a href="${passkeyOrigin}" target="_blank" rel="noreferrer">${passkeyOrigin}</a>, and run this in
      the console of that page. It uses the passkey, and comes back here with the answer. Never run there what
      somebody else sent you.
    </p>
    ${codeBlock(snippet(origin + at, options), "To run in the console")}
    <form class="stack" method="post" action="${at}/passkey" data-answer>
      <label for="answer"
        >Or bring the answer yourself: the JSON of <code>navigator.credentials.get</code></label
      >
      <textarea id="answer" name="answer" rows="3" required spellcheck="false"></textarea>
      <div class="row"><button class="button">Send the answer</button></div>
    </form>
  </details>`
}

/** Only the members of WebAuthn's own request: extensions could ask a passkey for more than a signature. */
function requestOf({ challenge, rpId, timeout, userVerification, allowCredentials }: PasskeyOptions) {
  return { challenge, rpId, timeout, userVerification, allowCredentials }
}

/**
 * Leads to WhatsApp's page, with what the extension reads there (`packages/passkey-extension/passkey.js`).
 */
function linkOf({ at, linksTo }: CardPage, options: PasskeyOptions): string {
  const request = { options: requestOf(options), page: at, linksTo }
  return `${passkeyOrigin}/#bridge-passkey=${encodeURIComponent(JSON.stringify(request))}`
}

function snippet(page: string, options: PasskeyOptions): string {
  return `navigator.credentials
  .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(requestOf(options))}) })
  .then((answer) => location.replace(${JSON.stringify(`${page}#passkey=`)} + encodeURIComponent(JSON.stringify(answer))))`
}

/** What was wrong with an answer. The rest of the API's sentence, what to do, is for programs. */
function ownWords({ sentence }: Refused): Html {
  return html`<b>The passkey was not accepted.</b>
    <span
      >${sentenceForPeople(sentence.split(": ")[0] ?? "")} Use it again, for the request that is there
      now.</span
    >`
}

/** The answer was taken: the phone has the next word. */
function takenCard(shown: CardPage): Html {
  const { accepted, acceptedHow } = wordsOf(shown)
  return html`<section class="card" id="linking" aria-label="${accepted}">
    <h2>${accepted}</h2>
    <p>${acceptedHow}</p>
    <noscript
      ><p>Without script this page does not see when it is done: <a href="${shown.at}">look</a>.</p></noscript
    >
    <div class="row">${beginAgain(shown, "")}</div>
  </section>`
}

/**
 * Brings an answer to the session. @returns what the page shows then: the phone has the next word, or the
 * request is there again
 */
export async function bringPasskeyAnswer(
  answer: string,
  input: { bridge: Bridge.Info; requestId: string; readState: () => Promise<KnownState>; shown: CardPage },
): Promise<{ body: Html; status?: Refused["status"] }> {
  const { bridge, requestId, readState, shown } = input
  const { at } = shown
  const words = wordsOf(shown)
  const before = await readState()
  const refused = await giveAnswer(bridge, answer, requestId)
  if (!refused) {
    // The card of the same request does not come again.
    const query = new URLSearchParams({ typed: "1", taken: challengeIn(before) ?? "" }).toString()
    return { body: cardAndSteps({ at, query, card: takenCard(shown), knownState: before, words }) }
  }
  const { status } = refused
  const knownState = await readState()
  if (!wantsPasskey(knownState)) return { body: refusedCard({ at, ...refused, words }), status }
  const card = passkeyCard(shown, knownState, refused)
  return { body: cardAndSteps({ at, query: `begun=${nowMs()}`, card, knownState, words }), status }
}

/** Turns the phone away that wants a passkey, so that codes are shown again. */
export async function turnAway(bridge: Bridge.Info, requestId: string): Promise<void> {
  // An old page does not unlink a phone that has been linked meanwhile.
  if (!wantsPasskey(await knownStateOf(bridge))) return
  await unlinkPhone(bridge, requestId)
}

/**
 * Hands an answer, as a person or our script brought it, to the session. @returns why it was not taken, if it
 * was not
 */
async function giveAnswer(
  bridge: Bridge.Info,
  written: string,
  requestId: string,
): Promise<Refused | undefined> {
  const answer = PasskeyAssertion.safeParse(json(written))
  if (!answer.success)
    return {
      code: "passkey_refused",
      sentence: "This is not what a browser makes with a passkey, or not the whole of it",
      phone: "",
      status: 400,
    }
  try {
    const body = JSON.stringify(answer.data)
    await callSession({ method: "POST", path: "/passkey", bridgeId: bridge.id, requestId, body })
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // The answer was sent twice, and the first one linked the phone.
    if (error.code === "already_paired") return undefined
    return { code: error.code, sentence: sentenceOf(error), phone: "", status: error.status }
  }
}

function json(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return undefined
  }
}
