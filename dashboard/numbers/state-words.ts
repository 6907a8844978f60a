import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import type { KnownState } from "#core/bridge/known-state.ts"
import { type Piece, stateWords, type To } from "#core/bridge/state-words.ts"
import type { Html } from "../elements.ts"
import { age, time } from "../times.ts"

/** The page where an action is taken: of the number (`at`), or of its account. */
export function pathOfAction(at: string, to: To): string {
  if (to === "pay") return "/subscription"
  return to === "settings" ? `${at}/settings` : `${at}/connect`
}

/** A state in words for a page. */
export function inWords(knownState: KnownState) {
  const { cause, ...words } = stateWords(knownState)
  return { ...words, cause: typeof cause === "string" ? cause : html`${cause.map(shown)}` }
}

function shown(piece: Piece): Html | string {
  if (typeof piece === "string") return piece
  return "mail" in piece ? html`<a href="mailto:${piece.mail}">${piece.mail}</a>` : time(piece.at * 1000)
}

/** The phone that is linked, or was last; `""` if none is known. */
export function phoneOf(knownState: KnownState): string {
  const phone = (knownState.kind === "said" && knownState.phone) || knownState.lastPhone
  return phone ? `+${phone}` : ""
}

/**
 * What pages call a number: its name, or its reference if it has none. `under`: the line below, with its
 * phone, and with the reference if the name stands above.
 */
export function calledOf(
  { shownName, customerRef: ref }: Pick<Bridge.Info, "shownName" | "customerRef">,
  phone: string,
): { name: Html | string; under: string } {
  if (shownName === "") return { name: ref, under: phone }
  return { name: html`<bdi>${shownName}</bdi>`, under: phone === "" ? ref : `${ref} · ${phone}` }
}

/** A state with its evidence: who said so, and how long ago. */
export function stateLine(knownState: KnownState): Html {
  const { tone, word, cause } = inWords(knownState)
  const said = knownState.kind === "said" ? knownState : undefined
  const isBad = tone === "bad" || tone === "warn"
  return html`<div ${said?.atMs === undefined ? "" : html`data-word="${said.atMs}"`}>
    <span class="state ${tone}">${word}</span>
    ${said?.sinceMs !== undefined && isBad ? html`<span class="small">for ${age(said.sinceMs)}</span>` : ""}
    ${
      said === undefined
        ? ""
        : said.atMs === undefined
          ? html`<div class="small muted">as it was last reported; not checked yet</div>`
          : html`<div class="small muted" data-said>checked just now</div>`
    }
    ${silence(knownState)} ${cause ? html`<div class="small muted">${cause}</div>` : ""}
  </div>`
}

/** For how long a session that was there has not been heard of. */
export function silence(knownState: KnownState): Html | string {
  const isDoubted = knownState.kind === "silent" || (knownState.kind === "unheld" && knownState.hasFailed)
  if (!isDoubted || knownState.last?.atMs === undefined) return ""
  return html`<div class="small muted">not heard of for ${age(knownState.last.atMs)}</div>`
}
