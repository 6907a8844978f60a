import { html } from "hono/html"
import { icon } from "./icon.ts"

/** Part of a page. Strangers' text is escaped in it. */
export type Html = ReturnType<typeof html>

/** A time: in UTC until the script writes it in the reader's own way; as ISO where the pointer rests. */
export function time(ms: number): Html {
  const at = new Date(ms).toISOString()
  return html`<time datetime="${at}" title="${at}" data-local>${at.slice(0, 19).replace("T", " ")} UTC</time>`
}

/** How long ago that was. It counts on by itself. */
export function ago(ms: number, nowMs: number): Html {
  return html`<span data-ago="${ms}" title="${new Date(ms).toISOString()}">${span(nowMs - ms)} ago</span>`
}

/** How old that is, as a part of a sentence. It counts on by itself. */
export function age(ms: number, nowMs: number): Html {
  return html`<span data-age="${ms}" title="${new Date(ms).toISOString()}">${span(nowMs - ms)}</span>`
}

/** How long it is until then. It counts on by itself. */
export function until(ms: number, nowMs: number): Html {
  return html`<span data-until="${ms}">${span(ms - nowMs)}</span>`
}

/** As people say it; the script counts in the same way. */
export function span(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  return s < 172_800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86_400)} days`
}

/** Something to be copied as it stands, such as an id. */
export function copyable(text: string): Html {
  return html`<span class="row"><code>${text}</code>${copyButton(text)}</span>`
}

/** Copies this text. Without one it copies the block beside it. */
export function copyButton(text = ""): Html {
  return html`<button type="button" class="copy needs-script" data-copy="${text}" aria-label="Copy">
    ${icon("copy")}
  </button>`
}

/** A block of code with a button that copies it. */
export function block(text: string, label: string): Html {
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

/** A field for an e-mail address. RFC 5321, 4.5.3.1.3, allows no longer one. `more`: further attributes. */
export function emailField(input: {
  label: string
  value: string
  placeholder: string
  autocomplete: string
  more?: string
}): Html {
  return html`<div>
    <label for="email">${input.label}</label>
    <input
      id="email"
      name="email"
      type="email"
      required
      maxlength="254"
      value="${input.value}"
      placeholder="${input.placeholder}"
      autocomplete="${input.autocomplete}"
      ${input.more ?? ""}
    />
  </div>`
}

/** A form of nothing but a button. */
export function press(input: {
  action: string
  label: string | Html
  kind?: "main" | "danger" | "slim" | "danger slim" | ""
  fields?: Record<string, string>
}): Html {
  return html`<form class="press" method="post" action="${input.action}">
    ${Object.entries(input.fields ?? {}).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button class="button ${input.kind ?? ""}">${input.label}</button>
  </form>`
}

/** A piece of a stream that leads to another page. */
export function elsewhere(path: string): Html {
  return html`<div data-goto="${path}"></div>`
}
