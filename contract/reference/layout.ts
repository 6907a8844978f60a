import { html, raw } from "hono/html"
import { copyScript } from "./copying.ts"
import { prose, type Html } from "./prose-and-tables.ts"
import { style } from "./style.ts"

/** A page of the reference or of the documentation: self-contained. Its only script copies code. */
export function layout(page: { title: string; contents: Html; main: Html }): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${page.title}</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <nav aria-label="Contents">${page.contents}</nav>
        <main id="top">${page.main}</main>
        <script>
          ${raw(copyScript)}
        </script>
      </body>
    </html>`
}

/** The field in which one searches. `what`: what is searched. */
export function searchField(input: { action: string; words: string; what: string }): Html {
  return html`<form role="search" action="${input.action}">
    <input type="search" name="q" value="${input.words}" maxlength="100" aria-label="Search ${input.what}" />
    <button>Search</button>
  </form>`
}

/** The words that a reader looks for. */
export function wordsOf(asked: string | undefined): string {
  return asked?.trim().slice(0, 100) ?? ""
}

/** Something that can be found. */
export interface Findable {
  href: string
  title: string
  /** Where it is. */
  place: string
  /** What is searched besides `title`. */
  text: string
  /** What is shown of it. */
  about: (words: string[]) => string
}

const mostFound = 60

/** What has all of these words, that which has them in its title first. */
export function found(all: Findable[], asked: string): Html {
  const words = asked.toLowerCase().split(/\s+/)
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const named = all.filter(({ title }) => has(title))
  const others = all.filter(({ title, text }) => !has(title) && has(`${title} ${text}`))
  const shown = [...named, ...others].slice(0, mostFound)
  return html`<h1>
      ${shown.length === 0 ? "Nothing" : shown.length === mostFound ? `${mostFound} or more` : shown.length}
      found for “${asked}”
    </h1>
    <section class="found">
      ${
        shown.length === 0
          ? html`<p>Try fewer words, or one part of a word.</p>`
          : shown.map(
              ({ href, title, place, about }) =>
                html`<p>
                  <a href="${href}">${title}</a> <small>${place}</small><br />${prose(about(words))}
                </p>`,
            )
      }
    </section>`
}
