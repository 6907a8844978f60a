import { html } from "hono/html"
import { Billing } from "#core/account/billing.ts"
import { Mail } from "#core/account/mail.ts"
import { nowMs } from "#core/platform/clock.ts"
import { config } from "#core/platform/config.ts"
import { assets } from "./assets.ts"
import { copyable, type Html, icon, type IconName, ourLogo } from "./elements.ts"
import { longest } from "./where/asked.ts"

/** Who looks at a page. */
export interface Viewer {
  email: string
  accountName: string
  role: "owner" | "member" | "viewer"
  isOperator: boolean
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
  lang?: string | undefined
  brand?: Brand | undefined
}

export type Place =
  | "start"
  | "sandbox"
  | "chats"
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
  page: Whole & {
    viewer: Viewer
    place?: Place | undefined
    body: Html
    line?: Html | undefined
    /** The reference of the number whose page it is, and what was looked for. */
    number?: string | undefined
    sought?: string | undefined
  },
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
          ${link("chats", "/chats", "chat", "Chats")} ${link("numbers", "/numbers", "numbers", "Numbers")}
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
            <li class="small muted" data-zone>All times are UTC</li>
            <li><a href="/docs">${icon("book")} Documentation</a></li>
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
      <main id="main" tabindex="-1">${whereField(page)} ${page.line ?? ""} ${page.body}</main>
    </body>`,
  )
}

/** Where is it? The field on every page; `number`: where it looks first. */
function whereField({ number, sought }: { number?: string | undefined; sought?: string | undefined }): Html {
  return html`<form class="where" role="search" method="get" action="/where">
    <label class="hidden" for="where">Where is it?</label>
    <input
      id="where"
      type="search"
      name="q"
      ${sought === undefined ? "" : html`value="${sought}"`}
      maxlength="${longest}"
      required
      autocomplete="off"
      spellcheck="false"
      placeholder="Where is it? Name, words, id"
      aria-keyshortcuts="Control+K /"
    />
    ${number === undefined ? "" : html`<input type="hidden" name="number" value="${number}" />`}
    <input type="hidden" name="zone" disabled />
    <button class="button slim">Find</button>
  </form>`
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
    <html lang="${page.lang ?? "en"}" data-now="${nowMs()}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Messaging bridge</title>
        <link rel="icon" href="${assets.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assets.style}" />
        ${page.brand?.style === undefined ? "" : html`<link rel="stylesheet" href="${page.brand.style}" />`}
        <script src="${assets.script}" type="module"></script>
      </head>
      ${body}
    </html>`
}
