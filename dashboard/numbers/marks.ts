import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Html } from "../elements.ts"
import { accountOf, roughlyOf } from "./evidence.ts"
import { undeliveredIn } from "./receiver.ts"
import { inWords, placeOf } from "./state.ts"

/** What is wrong with a number, or that no phone is linked, for the head of each of its pages: by what is written down, since every page has it. */
export async function marksOf(bridge: Bridge.Info): Promise<Html> {
  const [evidence, undelivered] = await Promise.all([
    Lease.get(bridge.id).then(async (lease) => await roughlyOf(lease, accountOf(bridge))),
    undeliveredIn(bridge),
  ])
  const { tone, word, action } = inWords(evidence)
  const at = `/numbers/${bridge.customerRef}`
  const to = tone === "idle" && action ? placeOf(at, action.to) : at
  // What is written down is too old to say "Connected" by.
  const isShown = tone === "bad" || tone === "idle"
  const state = isShown ? html`<a class="state ${tone}" href="${to}">${word}</a>` : ""
  return html`${state} ${undelivered}`
}
