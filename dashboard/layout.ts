import { html } from "hono/html"
import { Billing } from "#core/account/billing.ts"
import { Mail } from "#core/account/mail.ts"
import type { Bridge } from "#core/bridge/bridge.ts"
import { config } from "#core/platform/config.ts"
import { copyable, type Html, icon, type IconName, ourLogo } from "./elements.ts"
import { marksOf } from "./numbers/head-marks.ts"
import { calledOf } from "./numbers/state-words.ts"

/** Who looks at a page. */
export interface Viewer {
  email: string
  accountName: string
  role: "owner" | "member" | "viewer"
  isOperator: boolean
}

/** Where the style and the script are. Their names change with their content, so browsers keep them. */
export interface Assets {
  style: string
  script: string
}

/**
 * The look of a page that an account shows to end persons: where its logo and its style are, if it has them.
 */
export interface Brand {
  logo?: string | undefined
  style?: string | undefined
}

interface Whole {
  title: string
  assets: Assets
  nowMs: number
  lang?: string | undefined
  brand?: Brand | undefined
}

export type Place =
  | "start"
  | "sandbox"
  | "numbers"
  | "requests"
  | "keys"
  | "usage"
  | "account"
  | "billing"
  | "operator"
  | "mail"

/** A page of the dashboard, with its navigation. */
export function framed(
  page: Whole & { viewer: Viewer; place?: Place | undefined; body: Html; line?: Html | undefined },
): Html {
  const { viewer, place } = page
  const link = (to: Place, href: string, name: IconName, text: string) =>
    html`<li>
      <a href="${href}" ${to === place ? "aria-current=page" : ""}>${icon(name)} ${text}</a>
    </li>`
  return whole(
    page,
    html`<body class="frame">
      <a class="skip" href="#main">Skip to the page</a>
      <header class="top">
        <a class="brand" href="/">${ourLogo()} Messaging bridge</a>
        <button class="button slim" type="button" popovertarget="side">${icon("menu")} Menu</button>
      </header>
      <nav class="side" id="side" popover aria-label="Dashboard">
        <a class="brand" href="/">${ourLogo()} Messaging bridge</a>
        <ul>
          ${link("start", "/", "home", "Home")}
          ${config.SANDBOX ? link("sandbox", "/start", "inbox", "Sandbox") : ""}
          ${link("numbers", "/numbers", "numbers", "Numbers")}
          ${link("requests", "/requests", "send", "Requests")} ${link("keys", "/keys", "key", "API keys")}
          ${link("usage", "/usage", "chart", "Usage")} ${link("account", "/account", "people", "Account")}
          ${Billing.isOn() ? link("billing", "/subscription", "card", "Billing") : ""}
          ${
            viewer.isOperator && viewer.role === "owner"
              ? html`${link("operator", "/operator", "gauge", "Operator")}
                ${Mail.way() === "kept" ? link("mail", "/dev/mail", "mail", "Mail") : ""}`
              : ""
          }
        </ul>
        <div class="foot">
          <ul>
            <li><a href="/api/docs">${icon("book")} API reference</a></li>
          </ul>
          <form method="post" action="/sign-out">
            <button class="quiet">${icon("out")} Sign out</button>
          </form>
          <p class="who">
            ${viewer.email}<br /><span class="muted"
              >${viewer.accountName === viewer.email ? viewer.role : html`${viewer.accountName} · ${viewer.role}`}</span
            >
          </p>
        </div>
      </nav>
      <main id="main" tabindex="-1">${page.line ?? ""} ${page.body}</main>
    </body>`,
  )
}

/** A page for a visitor who is not signed in. */
export function lone(page: Whole & { body: Html; isBroad?: boolean; brand?: Brand | undefined }): Html {
  const { brand } = page
  const ours = html`${ourLogo()} Messaging bridge`
  // A person who links a phone has no account: nothing leads them to a sign-in.
  const head =
    page.lang === undefined ? html`<a class="brand" href="/">${ours}</a>` : html`<p class="brand">${ours}</p>`
  return whole(
    page,
    html`<body class="lone">
      ${brand?.logo === undefined ? head : ""}
      <main id="main" class="${page.isBroad ? "broad" : ""}">
        ${brand?.logo === undefined ? "" : html`<img class="logo" src="${brand.logo}" alt="" />`} ${page.body}
      </main>
    </body>`,
  )
}

/** The head of a page below its name: what it is for, and what one does here. */
export interface Head {
  about?: string | Html | undefined
  actions?: Html | undefined
  crumbs?: Html
}

export function heading(input: Head & { title: string | Html }): Html {
  return html`<div class="head">
    <div>
      ${input.crumbs ? html`<nav class="crumbs" aria-label="Above this page">${input.crumbs}</nav>` : ""}
      <h1>${input.title}</h1>
      ${input.about ? html`<p>${input.about}</p>` : ""}
    </div>
    ${input.actions ? html`<div class="row">${input.actions}</div>` : ""}
  </div>`
}

/**
 * A fault, and what to do about it. `requestId`: for those who run the service, if they have to mend it.
 * `isOfNumber`: the page leads on to the numbers.
 */
export function refusalBody(input: {
  title: string
  sentence: Html | string
  requestId?: string | undefined
  isOfNumber?: boolean
  /** The page to try once more, where that may help. */
  again?: string | undefined
}): Html {
  const [href, place] = input.isOfNumber ? ["/numbers", "Numbers"] : ["/", "Home"]
  return html`<div class="card">
    <h1>${input.title}</h1>
    <p>${input.sentence}</p>
    ${input.requestId === undefined ? "" : html`<p class="small muted">If it persists, report this code: ${copyable(input.requestId)}</p>`}
    <div class="row">
      ${input.again === undefined ? "" : html`<a class="button main" href="${input.again}">Try again</a>`}
      <a class="button ${input.again === undefined ? "main" : ""}" href="${href}">Go to ${place}</a>
    </div>
  </div>`
}

function whole(page: Whole, body: Html): Html {
  return html`<!doctype html>
    <html lang="${page.lang ?? "en"}" data-now="${page.nowMs}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Messaging bridge</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${page.assets.style}" />
        ${page.brand?.style === undefined ? "" : html`<link rel="stylesheet" href="${page.brand.style}" />`}
        <script src="${page.assets.script}" type="module"></script>
      </head>
      ${body}
    </html>`
}

export type Tab =
  | "overview"
  | "connect"
  | "messages"
  | "chats"
  | "groups"
  | "events"
  | "deliveries"
  | "webhooks"
  | "log"
  | "settings"

const tabs: readonly (readonly [Tab, string, string])[] = [
  ["overview", "", "Overview"],
  ["connect", "/connect", "Phone"],
  ["messages", "/messages", "Messages"],
  ["chats", "/chats", "Chats"],
  ["groups", "/groups", "Groups"],
  ["events", "/events", "Events"],
  ["deliveries", "/deliveries", "Deliveries"],
  ["webhooks", "/webhooks", "Webhooks"],
  ["log", "/log", "Log"],
  ["settings", "/settings", "Settings"],
]

/**
 * The head of every page about one number: its name and its phone, its state and that of its webhooks, and
 * the way to its other pages. `without`: what the page itself says, so that the head need not.
 */
export async function numberHeading(
  bridge: Bridge.Info,
  shown: Tab,
  without?: "webhooks" | "session" | undefined,
): Promise<Html> {
  const { customerRef: ref } = bridge
  const { phone, marks } = await marksOf(bridge, { without })
  const { name, under } = calledOf(bridge, phone)
  return await html`${heading({
      title: name,
      about: under,
      actions: marks,
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
