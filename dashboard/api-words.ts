import type { ApiError } from "#core/error.ts"
import { span } from "./times.ts"

// The sentences of the API are for programs. Here they become sentences for pages.

/** Fields of the API's requests, as our forms call them. */
const labels = new Map([
  ["webhook_url", "Address"],
  ["customer_ref", "Name"],
  ["history", "Earlier messages"],
  ["customer_refs", "Numbers"],
  ["chats", "Chats"],
  ["file_hosts", "Hosts"],
  ["new_chats_a_day", "New chats a day"],
  ["gap_ms", "Seconds between two messages"],
  ["typing_ms", "Seconds of typing before a message"],
])

/**
 * Makes a sentence of the API one for people: with the form's name for a field, a capital letter and a full
 * stop.
 */
export function sentenceForPeople(sentence: string): string {
  return asSentence(bridgesAsNumbers(sentence).replace(/^\w+(?=: )/, (field) => labels.get(field) ?? field))
}

/** Says number where the API says bridge, as pages do. */
export function bridgesAsNumbers(sentence: string): string {
  return sentence.replaceAll(/\bbridge(s?)\b/g, "number$1")
}

/** Gives a text a capital letter and a full stop. */
export function asSentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}

/**
 * What a page says when the API refuses: the API's sentence or, where a limit is reached, when to try again.
 */
export function sentenceOf(error: ApiError): string {
  const seconds = Number(error.headers["retry-after"])
  return error.code === "rate_limited"
    ? `Try again in ${span(seconds * 1000)}.`
    : sentenceForPeople(error.message)
}
