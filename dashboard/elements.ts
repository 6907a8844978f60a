import { html, raw } from "hono/html"

/** Part of a page. Strangers' text is escaped in it. */
export type Html = ReturnType<typeof html>

/** Something to be copied as it stands, such as an id. */
export function copyable(text: string): Html {
  return html`<span class="row copyable"><code>${text}</code>${copyButton(text)}</span>`
}

/** A button that copies this text; without a text, the block beside the button. */
export function copyButton(text = ""): Html {
  return html`<button type="button" class="copy needs-script" data-copy="${text}" aria-label="Copy">
    ${icon("copy")}
  </button>`
}

/** All that a page says: what happened, and what to do. */
export function said(title: string, sentence: Html | string): Html {
  return html`<div class="card">
    <h1>${title}</h1>
    <p>${sentence}</p>
  </div>`
}

/** A block of code with a button that copies it. */
export function codeBlock(text: string, label: string): Html {
  return html`<div class="block">
    <pre tabindex="0" aria-label="${label}">${text}</pre>
    ${copyButton()}
  </div>`
}

/** A sentence that needs attention. */
export function note(kind: "good" | "warn" | "bad" | "info", body: Html | string): Html {
  const name = { good: "check", warn: "warning", bad: "warning", info: "info" } as const
  return html`<div class="note ${kind}" ${kind === "bad" ? "role=alert" : ""}>
    ${icon(name[kind])}
    <div>${body}</div>
  </div>`
}

/**
 * A field under its label. `attributes` are those of its `input`: `true` stands for one without a value, and
 * `false` or undefined for one that is left out.
 */
export function field(
  label: Html | string,
  attributes: { name: string; [attribute: string]: string | number | boolean | undefined },
  { hint, width }: { hint?: string | undefined; width?: "roomy" } = {},
): Html {
  const { id = attributes.name, ...others } = attributes
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const all = { id, autocomplete: "off", "aria-describedby": hintId, ...others }
  const given = Object.entries(all).filter(([, value]) => value !== undefined && value !== false)
  return html`<div ${width === undefined ? "" : html`class="${width}"`}>
    <label for="${id}">${label}</label>
    <input ${given.map(([name, value]) => (value === true ? html`${name} ` : html`${name}="${value}" `))} />
    ${hintId === undefined ? "" : html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`
}

/** Stands beside what is in UTC without script, and in the reader's zone with it. */
export const unlessScript = html`<span class="without-script">(UTC)</span>`

/**
 * A field for a day and a time, in UTC. The script shows it in the reader's zone, and sends it in UTC
 * nevertheless: the address of a page means the same to everybody.
 */
export function timeField(label: string, attributes: { name: string; value: string; step?: number }): Html {
  return field(html`${label} ${unlessScript}`, { type: "datetime-local", ...attributes })
}

/** The longest e-mail address that RFC 5321, 4.5.3.1.3, allows. */
export const longestEmail = 254

/** A field for a URL. `attributes`: those that are not of every such field. */
export function urlField(
  label: Html | string,
  attributes: { name: string; value: string; id?: string; placeholder?: string; required?: boolean },
  hint?: string,
): Html {
  const common = { type: "url", maxlength: 2048, placeholder: "https://example.com/webhook" }
  return field(label, { ...common, ...attributes }, { hint })
}

/** A list of facts: a name and a value each. A fact without a value is left out. */
export function facts(
  all: readonly (readonly [name: Html | string, value: Html | string | number | undefined])[],
): Html {
  const known = all.filter(([, value]) => value !== undefined)
  return html`<dl class="facts">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/** A field in which the name of what is to be deleted has to be typed. */
export function confirmField(name: string, typed = ""): Html {
  const attributes = { name: "confirm", value: typed, required: true, spellcheck: "false" }
  return field(html`Type <code>${name}</code> to confirm`, attributes)
}

/**
 * The note in place of an empty list: why it is empty, and what to do. With an `id`, the script removes the
 * note when the first item comes. `isCard`: the note is a card of its own.
 */
export function empty(input: {
  about: Html | string
  icon?: IconName
  title?: string
  action?: Html | string
  id?: string
  isCard?: true
}): Html {
  return html`<div class="${input.isCard ? "card empty" : "empty"}" ${input.id ? html`id="${input.id}"` : ""}>
    ${input.icon ? icon(input.icon) : ""} ${input.title === undefined ? "" : html`<h2>${input.title}</h2>`}
    <p>${input.about}</p>
    ${input.action ?? ""}
  </div>`
}

/** Leads from a list to its next page; nothing, where it has none. */
export function nextPage(href: string | undefined, label: string): Html | string {
  return href === undefined ? "" : html`<div class="row"><a class="button" href="${href}">${label}</a></div>`
}

/** The choices of a field: each value, and the words that people read. */
type Choices = readonly (readonly [value: string, words: string])[]

/** A field in which one of several is chosen; the first, where `chosen` is none of them. */
export function selectField(input: {
  name: string
  label: string
  choices: Choices
  chosen: string | undefined
  id?: string
  width?: "roomy" | "wider"
}): Html {
  const { name, label, choices, chosen, id = name, width } = input
  return html`<div ${width === undefined ? "" : html`class="${width}"`}>
    <label for="${id}">${label}</label>
    <select id="${id}" name="${name}">
      ${options(choices, chosen)}
    </select>
  </div>`
}

/** The options of a `select`. */
export function options(choices: Choices, chosen: string | undefined): Html[] {
  return choices.map(
    ([value, words]) =>
      html`<option value="${value}" ${value === chosen ? "selected" : ""}>${words}</option>`,
  )
}

/** A box to tick. `value`: what a form sends for it; "on", if it is undefined. */
export function checkbox(
  name: string,
  value: string | undefined,
  isChosen: boolean,
  label: Html | string,
): Html {
  const sends = value === undefined ? "" : html`value="${value}"`
  return html`<label class="choice"
    ><input type="checkbox" name="${name}" ${sends} ${isChosen ? "checked" : ""} /> ${label}</label
  >`
}

/** A field for a chat that a list is about. */
export function chatField(chat = ""): Html {
  return field("Chat", { name: "chat", value: chat, placeholder: "Number or id", spellcheck: "false" })
}

/**
 * A table whose rows are cards on a narrow screen. `does`: the last column has buttons, so only a screen
 * reader needs its title.
 */
export function cardTable(input: {
  label: string
  heads: (Html | string)[]
  rows: Html[]
  does?: true
}): Html {
  return html`<div class="scroller" tabindex="0" role="region" aria-label="${input.label}">
    <table class="cards">
      <thead>
        <tr>
          ${input.heads.map((head) => html`<th>${head}</th>`)}
          ${input.does ? html`<th class="end"><span class="hidden">Do</span></th>` : ""}
        </tr>
      </thead>
      <tbody>
        ${input.rows}
      </tbody>
    </table>
  </div>`
}

/** A browser's name and system, or a program's name, out of what it says of itself. */
export function browserName(agent: string): string {
  const browser = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari)\/(\d+)/.exec(agent)
  const system = /\((?:[^;)]*; )?([^;)]+)/.exec(agent)?.[1] ?? ""
  return browser
    ? `${browser[1] === "Edg" ? "Edge" : browser[1]} ${browser[2]}${system && `, ${system}`}`
    : (/^[^\s/;()]{1,40}/.exec(agent)?.[0] ?? "no browser")
}

/** A form of nothing but a button. */
export function buttonForm(input: {
  action: string
  label: string | Html
  kind?: "main" | "danger" | "slim" | "main slim" | "danger slim" | "bare" | ""
  fields?: Record<string, string>
}): Html {
  return html`<form class="press" method="post" action="${input.action}">
    ${Object.entries(input.fields ?? {}).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button class="button ${input.kind ?? ""}">${input.label}</button>
  </form>`
}

/**
 * A button that shows what an action does (`about`), with the button of the action itself (`act`). `danger`:
 * the action cannot be undone easily.
 */
export function confirming(input: {
  label: string | Html
  about: string | Html
  act: Html
  kind: "" | "slim" | "danger" | "danger slim"
  isOpen?: boolean
}): Html {
  return html`<details class="confirm" ${input.isOpen ? "open" : ""}>
    <summary class="button ${input.kind}">${input.label}</summary>
    <p class="small">${input.about}</p>
    ${input.act}
  </details>`
}

/**
 * A button of `confirming` for one item of a list. `does`: the action, such as "Remove", "it". `name`: the
 * item, for those who do not see the list.
 */
export function removing(input: {
  does: readonly [verb: string, whom: string]
  name: string
  about: string
  action: string
  fields?: Record<string, string>
}): Html {
  const { name, about, action, fields = {} } = input
  const [verb, whom] = input.does
  const kind = "danger slim"
  const label = html`${verb} ${whom} now<span class="hidden">: ${name}</span>`
  return confirming({
    label: html`${verb}<span class="hidden"> ${name}</span>`,
    about,
    act: buttonForm({ action, label, kind, fields }),
    kind,
  })
}

/** A piece of a stream that leads to another page. */
export function goTo(path: string): Html {
  return html`<div data-goto="${path}"></div>`
}

/** Drawn on 24 by 24, in strokes. */
const paths = {
  home: '<path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-5v-6h-4v6H5a1 1 0 0 1-1-1z"/>',
  numbers: '<rect x="7" y="3" width="10" height="18" rx="2.5"/><path d="M11 17.5h2"/>',
  chat: '<path d="M4 5h16v11.5h-9L6.5 20v-3.5H4z"/>',
  key: '<circle cx="8" cy="15" r="4"/><path d="m11 12 8-8m-4 4 3 3m-5-1 2 2"/>',
  people:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.5-3.5 3-5.5 6.5-5.5s6 2 6.5 5.5M16 5a3.5 3.5 0 0 1 0 6.5m2 3.5c2 .8 3.2 2.5 3.5 5"/>',
  book: '<path d="M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11"/>',
  gauge: '<path d="M4 18a9 9 0 1 1 16 0M12 14l4-5"/><circle cx="12" cy="14" r="1"/>',
  chart: '<path d="M4 20h16M7 20v-6m5 6V6m5 14v-9"/>',
  mail: '<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="m4 7.5 8 6 8-6"/>',
  card: '<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="M3 10h18M7 15h4"/>',
  out: '<path d="M10 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4m5-4 4-4-4-4m4 4H9"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  copy: '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15a1 1 0 0 1-1-1V6a2 2 0 0 1 2-2h8a1 1 0 0 1 1 1"/>',
  down: '<path d="m6 9.5 6 6 6-6"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  check: '<circle cx="12" cy="12" r="8.5"/><path d="m8.5 12.2 2.4 2.4 4.7-5"/>',
  open: '<circle cx="12" cy="12" r="8.5"/>',
  info: '<circle cx="12" cy="12" r="8.5"/><path d="M12 11v5m0-8.2v.1"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4zM12 10v4.5m0 2.4v.1"/>',
  inbox: '<path d="M4 13 6.5 5.5h11L20 13v5.5H4zM4 13h4.5a3.5 3.5 0 0 0 7 0H20"/>',
  picture:
    '<rect x="3" y="4" width="18" height="16" rx="2.5"/><path d="m4 17 5-5 4 4 3-3 4 4"/><circle cx="15.5" cy="9" r="1.5"/>',
  film: '<rect x="3" y="5" width="18" height="14" rx="2.5"/><path d="m10 9 5 3-5 3z"/>',
  voice: '<path d="M5 10v4m4-7v10m4-13v16m4-12v8m3-5v2"/>',
  file: '<path d="M6 3h8l5 5v13H6zM14 3v5h5"/>',
  place:
    '<path d="M12 21s7-6.5 7-11.5a7 7 0 0 0-14 0C5 14.5 12 21 12 21z"/><circle cx="12" cy="9.5" r="2.5"/>',
  send: '<path d="M4 12 20 4l-5 16-4-6.5zM11 13.5 20 4"/>',
} as const
export type IconName = keyof typeof paths

/** An icon. A screen reader skips it: a word is beside it, or its control has a name. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${raw(paths[name])}</svg>`
}

/** Two phones' worth of bubbles, bridged. */
export function ourLogo(): Html {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#1f56d6" />
    <path
      d="M6 21v-2.5a10 10 0 0 1 20 0V21M11 21v-2a5 5 0 0 1 10 0v2M4.5 22.5h23"
      fill="none"
      stroke="#fff"
      stroke-width="2.4"
      stroke-linecap="round"
    />
  </svg>`
}
