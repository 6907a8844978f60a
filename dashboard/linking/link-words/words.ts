import { z } from "zod"
import english from "./en.json" with { type: "json" }

// That is what JSON gives.
const Sentence = z.enum(Object.keys(english.sentences) as (keyof typeof english.sentences)[])
const Reason = z.enum([
  "number_mismatch",
  "invalid_request",
  "unreachable",
  "network_rejected",
  "send_outcome_unknown",
  "rate_limited",
  "already_paired",
  "passkey_required",
  "passkey_refused",
  "stopped",
  "locked",
  "banned",
  "temporarily_banned",
  "away",
  "starting",
  "internal_error",
])
export type Reason = z.infer<typeof Reason>

/** What happened, and what to do. */
const Pair = z.tuple([z.string(), z.string()])

/**
 * A file of this folder: the words that people read while they link a phone, in one language. `{…}` is filled
 * in; the names in quotation marks are as WhatsApp has them. In French, no-break spaces stand before : ; ? !
 * and inside « ».
 */
const Language = z.strictObject({
  sentences: z.record(Sentence, z.string()),
  /** Failures that only the phone shows, since the network tells only the phone. */
  onThePhone: z.array(Pair),
  steps: z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]),
  /**
   * Why no phone is linked. English has the dashboard's own sentences (`failure-words.ts`, `state-words.ts`).
   */
  reasons: z.record(Reason, Pair).optional(),
})
type Language = z.infer<typeof Language>

export type Words = Language["sentences"] & Omit<Language, "sentences">

/** The words of a language's file. @throws ZodError, which names what is missing */
export function wordsIn(file: unknown): Words {
  const { sentences, ...lists } = Language.parse(file)
  return { ...sentences, ...lists }
}
