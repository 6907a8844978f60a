import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import type { Html } from "../elements.ts"
import { writtenOf } from "./evidence.ts"
import { webhookMarks } from "./receiver.ts"
import { inWords, phoneOf, placeOf } from "./state.ts"

/**
 * The head of a number's pages shows its phone and what is wrong with it, or that no phone is linked. Every page has this
 * head, so it is made of stored rows alone.
 */
export async function marksOf(bridge: Bridge.Info): Promise<{ phone: string; marks: Html }> {
  const [evidence, ofWebhooks] = await Promise.all([writtenOf(bridge), webhookMarks(bridge)])
  const { tone, word, action } = inWords(evidence)
  const at = `/numbers/${bridge.customerRef}`
  const to = tone === "idle" && action ? placeOf(at, action.to) : at
  // A stored state may be old, so it is never shown as "Connected".
  const isShown = tone === "bad" || tone === "idle"
  const state = isShown ? html`<a class="state ${tone}" href="${to}">${word}</a>` : ""
  return { phone: phoneOf(evidence), marks: html`${state} ${ofWebhooks}` }
}
