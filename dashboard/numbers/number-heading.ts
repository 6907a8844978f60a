import { html } from "hono/html"
import type { Bridge } from "#core/bridge/bridge.ts"
import { type KnownState, knownStateWithin } from "#core/bridge/known-state.ts"
import { Lease } from "#core/lease/lease.ts"
import { type Html, icon } from "../elements.ts"
import { heading } from "../layout.ts"
import { webhookMarks } from "../webhooks/webhook-health.ts"
import { calledOf, inWords, phoneOf, pathOfAction } from "./state-words.ts"

/** How long a page waits for the session's word on its head, ms. */
const soonMs = 150

const tabs = [
  ["overview", "", "Overview"],
  ["connect", "/connect", "Phone"],
  ["chats", "/chats", "Chats"],
  ["groups", "/groups", "Groups"],
  ["channels", "/channels", "Channels"],
  ["planned", "/planned", "Planned"],
  ["events", "/events", "Events"],
  ["deliveries", "/deliveries", "Deliveries"],
  ["webhooks", "/webhooks", "Webhooks"],
  ["log", "/log", "Log"],
  ["settings", "/settings", "Settings"],
] as const
export type Tab = (typeof tabs)[number][0]

/**
 * The head of every page about one number: its name and its phone, its state and that of its webhooks, and
 * the way to its other pages. `without`: what the page itself says, so that the head need not.
 */
export async function numberHeading(
  bridge: Bridge.Info,
  shown: Tab,
  without?: "webhooks" | "session",
): Promise<Html> {
  const { customerRef: ref } = bridge
  const [knownState, ofWebhooks] = await Promise.all([
    Lease.get(bridge.id).then(async (lease) => await knownStateWithin(bridge, lease, soonMs)),
    without === "webhooks" ? "" : webhookMarks(bridge),
  ])
  const { name, under } = calledOf(bridge, phoneOf(knownState))
  return await html`${heading({
      title: name,
      about: under,
      actions: html`${without === "session" ? "" : stateMark(ref, knownState)} ${ofWebhooks}`,
      crumbs: bridge.isSandbox ? html`<a href="/start">Sandbox</a>` : html`<a href="/numbers">Numbers</a>`,
    })}
    <nav aria-label="${ref}">
      <button class="button tabs-menu" type="button" popovertarget="tabs">
        ${tabs.find(([tab]) => tab === shown)?.[2]} ${icon("down")}<span class="hidden">: other pages</span>
      </button>
      <ul class="tabs" id="tabs" popover>
        ${tabs.map(
          ([tab, path, text]) =>
            html`<li>
              <a href="/numbers/${ref}${path}" ${tab === shown ? "aria-current=page" : ""}>${text}</a>
            </li>`,
        )}
      </ul>
    </nav>`
}

/** The number's state in a word, which leads to more. */
function stateMark(ref: string, knownState: KnownState): Html {
  const { tone, word, action } = inWords(knownState)
  const at = `/numbers/${ref}`
  const to = tone === "idle" && action ? pathOfAction(at, action.to) : at
  // The recorded state may be old.
  const isOld = knownState.kind === "said" && knownState.atMs === undefined
  return html`<a class="state ${isOld && tone === "good" ? "idle" : tone}" href="${to}"
    >${word}${isOld ? html`<span class="hidden">, as it was last reported</span>` : ""}</a
  >`
}
