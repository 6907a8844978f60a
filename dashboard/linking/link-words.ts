import { html } from "hono/html"
import type { KnownState } from "#core/bridge/known-state.ts"
import type { Html } from "../elements.ts"
import de from "./link-words/de.json" with { type: "json" }
import en from "./link-words/en.json" with { type: "json" }
import es from "./link-words/es.json" with { type: "json" }
import fr from "./link-words/fr.json" with { type: "json" }
import it from "./link-words/it.json" with { type: "json" }
import pt from "./link-words/pt.json" with { type: "json" }
import { type Reason, type Words, wordsIn } from "./link-words/words.ts"

/**
 * `isForOwner`: for the dashboard's own pages, whose readers own the number. The readers of a link page do
 * not.
 */
export type LinkWords = Words & { lang: string; isForOwner: boolean }

const english = wordsIn(en)
const all: Record<string, Words> = {
  en: english,
  de: wordsIn(de),
  es: wordsIn(es),
  fr: wordsIn(fr),
  it: wordsIn(it),
  pt: wordsIn(pt),
}

/** The words of the dashboard's own pages: in English, for the owner of the number. */
export const dashboardWords: LinkWords = { ...english, lang: "en", isForOwner: true }

/**
 * The words of a link page, in the first language in a browser's list that there are words for; English
 * otherwise.
 */
export function linkWordsFor(acceptLanguage = ""): LinkWords {
  const wanted = acceptLanguage.split(",").map((one) => {
    const [tag = "", quality] = one.trim().split(/;\s*q=/)
    return { lang: tag.toLowerCase().split("-")[0] ?? "", q: Number(quality ?? 1) }
  })
  const found = wanted.toSorted((a, b) => b.q - a.q).find(({ lang, q }) => q > 0 && Object.hasOwn(all, lang))
  const lang = found?.lang ?? "en"
  return { ...all[lang]!, lang, isForOwner: false }
}

/** A sentence, with its gaps filled. */
export function fill(sentence: string, parts: Record<string, Html | string>): Html {
  return html`${sentence.split(/\{(\w+)\}/).map((part, i) => (i % 2 === 0 ? part : (parts[part] ?? "")))}`
}

const reasons: Record<string, Reason> = {
  session_unavailable: "unreachable",
  passkey_not_awaited: "passkey_refused",
  bridge_paused: "stopped",
  bridge_moved: "stopped",
  bridge_suspended: "stopped",
  not_found: "stopped",
}

/**
 * A failure by the API's code, and what to do, in the language of an end person; undefined where that is
 * English.
 */
export function failureIn(words: LinkWords, code: string): readonly [string, string] | undefined {
  // A code without words of its own is an internal error to this person.
  return words.reasons && (words.reasons[reasons[code] ?? (code as Reason)] ?? words.reasons.internal_error)
}

/** Why a page cannot be shown, and what to do. `time`: how long a visitor waits who came too often. */
export function refusalIn(
  words: LinkWords,
  status: number,
  time: string | undefined,
): readonly [string, Html | string] {
  if (time !== undefined) return [words.tooMuch, fill(words.tooMuchHow, { time })]
  if (status === 404) return [words.over, words.overHow]
  const { internal_error, unreachable } = words.reasons ?? inEnglish
  return status >= 500 ? unreachable : internal_error
}

const inEnglish: Pick<NonNullable<Words["reasons"]>, "unreachable" | "internal_error"> = {
  unreachable: ["The service cannot be reached right now", "Wait some seconds, and open this page again."],
  internal_error: ["That did not work", "Open this page again, and start anew."],
}

/**
 * Why no phone can be linked in this state, and what to do, in the language of an end person; undefined where
 * that is English.
 */
export function stateIn(words: LinkWords, knownState: KnownState): readonly [string, string] | undefined {
  return words.reasons?.[reasonOf(knownState)]
}

function reasonOf(knownState: KnownState): Reason {
  switch (knownState.kind) {
    case "said": {
      const { objection, status } = knownState
      if (objection === "locked" || objection === "banned" || objection === "temporarily_banned")
        return objection
      return status === "replaced" ? "stopped" : "away"
    }
    case "silent":
      return "away"
    case "unheld":
      return knownState.hasFailed ? "away" : "starting"
    case "idle":
      return "starting"
    case "paused":
    case "suspended":
    case "moved":
    case "gone":
      return "stopped"
  }
}
