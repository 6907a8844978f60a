import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Html } from "../elements.ts"
import { accountOf, roughlyOf } from "./evidence.ts"
import { undeliveredIn } from "./receiver.ts"
import { inWords, placeOf } from "./state.ts"

/**
 * The marks in the head of a number's pages: what is wrong with it, or that no phone is linked. Every page has them, so they come
 * from stored rows alone.
 */
export async function marksOf(bridge: Bridge.Info): Promise<Html> {
  const [evidence, undelivered] = await Promise.all([
    Lease.get(bridge.id).then(async (lease) => await roughlyOf(lease, accountOf(bridge))),
    undeliveredIn(bridge),
  ])
  const { tone, word, action } = inWords(evidence)
  const at = `/numbers/${bridge.customerRef}`
  const to = tone === "idle" && action ? placeOf(at, action.to) : at
  // A stored state may be old, so it is never shown as "Connected".
  const isShown = tone === "bad" || tone === "idle"
  const state = isShown ? html`<a class="state ${tone}" href="${to}">${word}</a>` : ""
  return html`${state} ${undelivered}`
}
