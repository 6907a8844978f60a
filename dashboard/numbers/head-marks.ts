import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { Lease } from "#core/lease/lease.ts"
import type { Html } from "../elements.ts"
import { webhookMarks } from "../webhooks/webhook-health.ts"
import { knownStateWithin } from "./ask-for-state.ts"
import { inWords, phoneOf, pathOfAction } from "./state-words.ts"

/** How long a page waits for the session's word on its head, ms. */
const soonMs = 150

/** What the head of a number's pages shows: its phone, its state and whether its events get through. */
export async function marksOf(
  bridge: Bridge.Info,
  { without }: { without?: "webhooks" | "session" | undefined },
): Promise<{ phone: string; marks: Html }> {
  const [knownState, ofWebhooks] = await Promise.all([
    Lease.get(bridge.id).then(async (lease) => await knownStateWithin(bridge, lease, soonMs)),
    without === "webhooks" ? "" : webhookMarks(bridge),
  ])
  const { tone, word, action } = inWords(knownState)
  const at = `/numbers/${bridge.customerRef}`
  const to = tone === "idle" && action ? pathOfAction(at, action.to) : at
  // The recorded state may be old.
  const isOld = knownState.kind === "said" && knownState.atMs === undefined
  const state = html`<a class="state ${isOld && tone === "good" ? "idle" : tone}" href="${to}"
    >${word}${isOld ? html`<span class="hidden">, as it was last reported</span>` : ""}</a
  >`
  return { phone: phoneOf(knownState), marks: html`${without === "session" ? "" : state} ${ofWebhooks}` }
}
