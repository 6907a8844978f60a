import { html } from "hono/html"
import { head } from "../layout.ts"
import type { Html } from "./elements.ts"

type Tab = "overview" | "connect" | "events" | "deliveries" | "log" | "settings"

const tabs: readonly (readonly [Tab, string, string])[] = [
  ["overview", "", "Overview"],
  ["connect", "/connect", "Connect"],
  ["events", "/events", "Events"],
  ["deliveries", "/deliveries", "Deliveries"],
  ["log", "/log", "Log"],
  ["settings", "/settings", "Settings"],
]

/** The head of every page about one number: its name, its state, and the way to its other pages. */
export function numberHead(input: { ref: string; isSandbox: boolean; tab: Tab; actions?: Html }): Html {
  return html`${head({
      title: input.ref,
      crumbs: html`<a href="/numbers">Numbers</a
        >${input.isSandbox ? html`<span aria-hidden="true">·</span> sandbox` : ""}`,
      ...(input.actions && { actions: input.actions }),
    })}
    <nav aria-label="${input.ref}">
      <ul class="tabs">
        ${tabs.map(
          ([tab, path, text]) =>
            html`<li>
              <a href="/numbers/${input.ref}${path}" ${tab === input.tab ? "aria-current=page" : ""}
                >${text}</a
              >
            </li>`,
        )}
      </ul>
    </nav>`
}
