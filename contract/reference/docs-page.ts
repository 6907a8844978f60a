import { html, raw } from "hono/html"
import { Marked, type RendererObject, type Tokens } from "marked"
import { errors } from "#contract/error-codes.ts"
import { Status } from "#contract/status-and-objection.ts"
import { type Document, entriesOf } from "../openapi.ts"
import type { Reader } from "./guide.ts"
import { type Findable, found, layout, searchField, wordsOf } from "./layout.ts"
import { hrefOf, type Html } from "./prose-and-tables.ts"
import { findableInReference, hrefOfCall } from "./reference-page.ts"
import { anchorOf, type RepositoryPage, repositoryPages } from "./repository-pages.ts"

/** A page of the documentation as HTML; undefined if there is none of this name. */
export function docsPage(document: Document, name: string): Html | undefined {
  const pages = repositoryPages()
  const shown = pages.find((one) => one.name === name)
  if (!shown) return undefined
  const next = pages[pages.indexOf(shown) + 1]
  return layout({
    title: `${shown.title} · ${document.info.title}`,
    contents: contents(document, shown),
    main: html`<section class="page">
      ${raw(htmlOf(document, shown))}
      ${shown.place && next?.place ? html`<p class="next">Next: <a href="/docs/${next.name}">${next.title}</a></p>` : ""}
    </section>`,
  })
}

/** What is found in the documentation and in the reference by these words. */
export function docsFound(document: Document, reader: Reader, asked: string): Html {
  const words = wordsOf(asked)
  return layout({
    title: `Found: ${words} · ${document.info.title}`,
    contents: contents(document, undefined, words),
    main: found([...repositoryPages().flatMap(findableIn), ...findableInReference(document, reader)], words),
  })
}

/** A page that says that there is none here, and leads to all others. */
export function docsMissing(document: Document): Html {
  return layout({
    title: `No such page · ${document.info.title}`,
    contents: contents(document, undefined),
    main: html`<h1>There is no such page</h1>
      <section class="page">
        <p>Look for it by words, or go to <a href="/docs">the list of all pages</a>.</p>
      </section>`,
  })
}

function contents({ info }: Document, shown: RepositoryPage | undefined, words = ""): Html {
  const listed = repositoryPages().flatMap((page) => (page.place ? [{ ...page, ...page.place }] : []))
  const parts = [...new Set(listed.map(({ part }) => part))]
  return html`<a href="/docs"><b>${info.title}</b></a>
    <a href="/">Dashboard</a>
    <a href="/api/docs">API reference</a>
    ${searchField({ action: "/docs", words, what: "the documentation" })}
    ${parts.map(
      (part) =>
        html`<details ${part === shown?.place?.part ? "open" : ""}>
          <summary>${part}</summary>
          ${listed
            .filter((one) => one.part === part)
            .map(
              ({ name, label }) =>
                html`<a href="/docs/${name}" ${name === shown?.name ? raw('aria-current="page"') : ""}
                    >${label}</a
                  >
                  ${name === shown?.name ? headingsOf(shown) : ""}`,
            )}
        </details>`,
    )}`
}

function headingsOf(page: RepositoryPage): Html | string {
  const headings = sectionsOf(page).filter(({ depth }) => depth === 2)
  if (headings.length === 0) return ""
  return html`<div>${headings.map(({ title, anchor }) => html`<a href="#${anchor}">${title}</a>`)}</div>`
}

/** Without the text's own HTML: comments are left out, and what looks like a tag is text. */
function rendererFor(document: Document): RendererObject {
  const calls = new Set(entriesOf(document).map(({ operation }) => operation.operationId))
  const anchors = uniqueAnchors()
  let inLink = false
  return {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchors(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
    },
    code: ({ text }) => `<pre>${escaped(text)}</pre>`,
    codespan({ text }) {
      const code = `<code>${escaped(text)}</code>`
      const href = inLink ? undefined : hrefOfCode(text)
      return href === undefined ? code : `<a href="${href}">${code}</a>`
    },
    link({ href, tokens }) {
      inLink = true
      const shown = this.parser.parseInline(tokens)
      inLink = false
      return `<a href="${escaped(servedAt(href))}">${shown}</a>`
    },
    image: ({ href, text }) => `<img src="/docs/${escaped(href)}" alt="${escaped(text)}" />`,
    html: ({ text }) => (text.startsWith("<!--") ? "" : escaped(text)),
    table(token: Tokens.Table) {
      const row = (cells: Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`
      const rows = token.rows.map((cells) => row(cells, "td")).join("")
      // It may be wider than a phone. Who has no pointer moves it by the keys.
      return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${row(token.header, "th")}</thead><tbody>${rows}</tbody></table></div>`
    },
  }

  /** A call, an error or an address of the service that stands in a text leads there. */
  function hrefOfCode(text: string): string | undefined {
    // Names such as `status` mean other things as well.
    if (calls.has(text) && /[A-Z]/.test(text)) return hrefOfCall(document, text)
    const isError = text in errors && !Status.safeParse(text).success
    if (isError && text.includes("_")) return `/api/docs${hrefOf("errors", `error-${text}`)}`
    return /^\/(?:api\/docs|api\/openapi\.json|llms\.txt|docs)(?:\?|$)/.test(text) ? text : undefined
  }
}

/** Where a link of a page's Markdown leads: `contract.md#events` is `/docs/contract#events`. */
function servedAt(href: string): string {
  const [, name, part = ""] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  if (name === undefined) return href
  return name === "list" ? `/docs${part}` : `/docs/${name}${part}`
}

const rendered = new Map<string, string>()

function htmlOf(document: Document, page: RepositoryPage): string {
  const known = rendered.get(page.name)
  if (known !== undefined) return known
  // Without `async` it is no promise.
  const made = new Marked({ renderer: rendererFor(document) }).parse(page.text) as string
  rendered.set(page.name, made)
  return made
}

interface Section {
  depth: number
  title: string
  anchor: string
  /** Its paragraphs, lists, tables and code, as Markdown. */
  blocks: string[]
}

/** A page from one heading to the next. */
function sectionsOf({ text }: RepositoryPage): Section[] {
  const anchors = uniqueAnchors()
  const sections: Section[] = []
  for (const token of new Marked().lexer(text))
    if (token.type === "heading")
      sections.push({
        depth: (token as Tokens.Heading).depth,
        title: plain((token as Tokens.Heading).text).replaceAll("`", ""),
        anchor: anchors((token as Tokens.Heading).text),
        blocks: [],
      })
    else if (token.type !== "space" && token.type !== "html") sections.at(-1)?.blocks.push(plain(token.raw))
  return sections
}

let findable: Map<string, Findable[]> | undefined

function findableIn(page: RepositoryPage): Findable[] {
  findable ??= new Map()
  const known = findable.get(page.name)
  if (known) return known
  const made = sectionsOf(page).map(({ depth, title, anchor, blocks }) => ({
    href: servedAt(`${page.name}.md${depth === 1 ? "" : `#${anchor}`}`),
    title,
    place: depth === 1 ? (page.place?.part ?? "") : page.title,
    text: `${page.title} ${blocks.join("\n")}`,
    about: (words: string[]) => excerpt(blocks, words),
  }))
  findable.set(page.name, made)
  return made
}

/** The block that has most of these words, as far as there is room. */
function excerpt(blocks: string[], words: string[]): string {
  const score = (block: string) => words.filter((word) => block.toLowerCase().includes(word)).length
  const best = blocks.toSorted((one, other) => score(other) - score(one))[0] ?? ""
  const flat = best
    .replaceAll(/```\w*/g, "")
    .replaceAll(/[\s|]+/g, " ")
    .replaceAll(/-{3,}/g, "")
    .trim()
  const at = Math.max(0, flat.toLowerCase().indexOf(words[0] ?? "") - 120)
  const piece = flat.slice(at === 0 ? 0 : flat.indexOf(" ", at) + 1, at + 280)
  const isCut = at + 280 < flat.length
  return `${at === 0 ? "" : "… "}${isCut ? piece.replace(/\s\S*$/, " …") : piece}`
}

/** A text without its marks: links and pictures are what they show. */
function plain(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("**", "")
}

/** Anchors of one page: a heading that comes again has a number behind it, as GitHub does it. */
function uniqueAnchors(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const anchor = anchorOf(heading)
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  }
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
