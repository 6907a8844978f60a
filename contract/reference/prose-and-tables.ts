import { html } from "hono/html"

/** A piece of a page. */
export type Html = ReturnType<typeof html>

/** Renders text between backticks as code. */
export function prose(text: string): Html {
  return html`${text.split("`").map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

export function table(heads: string[], rows: Html[][]): Html {
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Where a part of the reference is, or something in it. */
export function hrefOf(slug: string, id?: string): string {
  return `?part=${slug}${id === undefined ? "" : `#${id}`}`
}
