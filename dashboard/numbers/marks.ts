import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Html } from "../elements.ts"
import { accountOf, roughlyOf } from "./evidence.ts"
import { undeliveredIn } from "./receiver.ts"
import { inWords } from "./state.ts"

/** What is wrong with a number, for the head of each of its pages: by what is written down, since every page has it. */
export async function marksOf(bridge: Bridge.Info): Promise<Html> {
  const [evidence, undelivered] = await Promise.all([
    Lease.get(bridge.id).then(async (lease) => await roughlyOf(lease, accountOf(bridge))),
    undeliveredIn(bridge),
  ])
  const { tone, word } = inWords(evidence)
  const state =
    tone === "bad" ? html`<a class="state bad" href="/numbers/${bridge.customerRef}">${word}</a>` : ""
  return html`${state} ${undelivered}`
}
