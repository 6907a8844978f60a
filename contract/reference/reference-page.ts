import { html, raw } from "hono/html"
import { errors } from "#contract/error-codes.ts"
import { withInherited } from "../openapi.ts"
import {
  type Document,
  entriesOf,
  type Entry,
  headersOfAnswers,
  type Header,
  type Operation,
} from "../openapi.ts"
import { exampleCalls } from "./example-calls.ts"
import { guide, type Reader } from "./guide.ts"
import { type Findable, found, layout, searchField, wordsOf } from "./layout.ts"
import { hrefOf, prose, table, type Html } from "./prose-and-tables.ts"
import { schemaTable, parameterRow, typeOf } from "./schema-table.ts"
import { canTry } from "./tryable-routes.ts"

/** What a reader wants to see: a part, by its name in the address, or where these words are found. */
export interface Wanted {
  part?: string | undefined
  words?: string | undefined
}

/** A part of the reference: a page of its own, with the things that the contents list under it. */
interface Part {
  slug: string
  name: string
  items: Item[]
  body: () => Html
}

interface Item {
  id: string
  title: string
  /** The text that is searched besides id and title. Its first line is shown when it is found. */
  about: string
}

/** The reference, a part at a time. */
export function referencePage(document: Document, reader: Reader, wanted: Wanted): Html {
  const parts = partsOf(document, reader)
  const shown = parts.find(({ slug }) => slug === wanted.part) ?? parts[0]!
  const words = wordsOf(wanted.words)
  const title = `${document.info.title}: API reference`
  return layout({
    title: `${words === "" ? shown.name : `Found: ${words}`} · ${title}`,
    contents: html`<a href="/api/docs"><b>${document.info.title}</b></a>
      ${reader.mayTry ? html`<a href="/">Back to the dashboard</a>` : ""}
      <a href="/docs">Documentation</a>
      ${searchField({ action: "/api/docs", words, what: "the reference" })}
      ${parts.map((part) => contents(part, words === "" && part === shown))}`,
    main:
      words === ""
        ? html`${shown === parts[0] ? first(document, title) : html`<h1>${shown.name}</h1>`} ${shown.body()}`
        : found(findableIn(parts), words),
  })
}

/** Everything in the reference that can be found. */
export function findableInReference(document: Document, reader: Reader): Findable[] {
  return findableIn(partsOf(document, reader))
}

function findableIn(parts: Part[]): Findable[] {
  return parts.flatMap(({ slug, name, items }) =>
    items.map(({ id, title, about }) => ({
      href: `/api/docs${hrefOf(slug, id)}`,
      title,
      place: name,
      text: `${id} ${about}`,
      about: () => about.split("\n")[0] ?? "",
    })),
  )
}

function contents({ slug, name, items }: Part, isShown: boolean): Html {
  const part = html`<a href="${hrefOf(slug)}" ${isShown ? raw('aria-current="page"') : ""}><b>${name}</b></a>`
  if (!isShown) return part
  return html`${part}
    <div>${items.map(({ id, title }) => html`<a href="${hrefOf(slug, id)}">${title}</a>`)}</div>`
}

function first({ info }: Document, title: string): Html {
  return html`<h1>${title}</h1>
    ${info.description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
    <p>
      The reference for machines: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1), which Postman and
      Bruno import. For agents: <a href="/llms.txt">llms.txt</a>, with a page in Markdown for each call and
      event.
    </p>`
}

function partsOf(document: Document, reader: Reader): Part[] {
  const entries = entriesOf(document)
  const chapters = guide(reader)
  const webhooks = Object.entries(document.webhooks).map(([path, { post }]) => ({ path, operation: post }))
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => [name, withInherited(schema, document)] as const,
  )
  const groups = document.tags.map(({ name }) => partOfTag(name, entries, document, reader))
  return [
    {
      slug: "guide",
      name: "Guide",
      items: chapters.map(({ id, title, body }) => ({ id, title, about: `\n${JSON.stringify(body)}` })),
      body: () =>
        html`${chapters.map(
          ({ id, title, body }) =>
            html`<section id="${id}">
              <h2>${title}</h2>
              ${body}
            </section>`,
        )}`,
    },
    ...groups,
    {
      slug: "webhooks",
      name: "Webhooks",
      items: webhooks.map(({ path, operation }) => ({
        id: `on_${path}`,
        title: path,
        about: operation.description ?? operation.summary,
      })),
      body: () =>
        html`<p>
            What each event looks like. All come with the same headers, each of which is explained at the
            first event.
          </p>
          ${webhooks.map(({ path, operation }, i) => webhook(path, operation, i === 0))}`,
    },
    {
      slug: "errors",
      name: "Errors",
      items: Object.entries(errors).map(([code, [, sentence]]) => ({
        id: `error-${code}`,
        title: code,
        about: sentence,
      })),
      body: () =>
        html`<p>Every error has a body of this form: ${typeOf({ $ref: "#/components/schemas/Error" })}.</p>
          ${table(["status", "code", "such as"], errorRows())}`,
    },
    {
      slug: "schemas",
      name: "Schemas",
      items: schemas.map(([name, schema]) => ({
        id: `schema-${name}`,
        title: name,
        about: `${schema.description ?? ""}\n${JSON.stringify(schema)}`,
      })),
      body: () =>
        html`${schemas.map(
          ([name, schema]) =>
            html`<section id="schema-${name}">
              <h3>${name}</h3>
              ${schema.description ? html`<p>${prose(schema.description)}</p>` : ""} ${schemaTable(schema)}
            </section>`,
        )}`,
    },
  ]
}

function partOfTag(name: string, entries: Entry[], document: Document, reader: Reader): Part {
  const of = entries.filter(({ operation }) => operation.tags?.includes(name))
  return {
    slug: slugOf(name),
    name,
    items: of.map(({ method, path, operation }) => ({
      id: operation.operationId,
      title: operation.operationId,
      about: `${operation.summary} \`${method.toUpperCase()} ${path}\`\n${operation.description ?? ""} ${JSON.stringify([operation.parameters, operation.requestBody])}`,
    })),
    body: () => html`${of.map((entry) => route(entry, document, reader))}`,
  }
}

/** Where a call is explained. */
export function hrefOfCall(document: Document, name: string): string {
  const entry = entriesOf(document).find(({ operation }) => operation.operationId === name)
  return `/api/docs${hrefOf(slugOf(entry?.operation.tags?.[0] ?? "guide"), name)}`
}

function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
}

function route(entry: Entry, document: Document, { mayTry }: Reader): Html {
  const { method, path, operation } = entry
  const { description, operationId, parameters = [], requestBody, responses, summary } = operation
  const body = requestBody?.content["application/json"]
  const answered = Object.entries(responses)
  const successes = answered.filter(([status]) => Number(status) < 300)
  const refusals = answered.filter(([status]) => Number(status) >= 300)
  return html`<section id="${operationId}">
    <h3>${prose(summary)}</h3>
    <p class="path">
      <b class="${method}">${method.toUpperCase()}</b> <code>${path}</code>
      ${mayTry && canTry(operationId) ? html`<a href="/try/${operationId}">Try it on the sandbox</a>` : ""}
    </p>
    ${description ? html`<p>${prose(description)}</p>` : ""}
    ${parameters.length > 0 ? table(["parameter", "in", "type", ""], parameters.map(parameterRow)) : ""}
    ${
      body
        ? html`<h4>Body</h4>
            ${schemaTable(body.schema)}`
        : ""
    }
    <h4>Call</h4>
    ${exampleCalls(document)[operationId]!.map(({ language, text }) =>
      language === "curl"
        ? html`<pre>${text}</pre>`
        : html`<details>
            <summary>${language}</summary>
            <pre>${text}</pre>
          </details>`,
    )}
    <h4>Answer</h4>
    ${successes.map(([status, { description, content, headers = {} }]) => {
      const [[type, first] = []] = Object.entries(content ?? {})
      const isJson = type === "application/json"
      return html`<p>
          <b>${status}</b> ${prose(description)}
          ${first ? html`<i>${isJson ? typeOf(first.schema) : type}</i>` : ""}
        </p>
        ${own(headers)} ${shown(first?.example)}`
    })}
    <p class="errors">
      ${refusals.map(([status, { description }]) => html`<span><b>${status}</b> ${codes(description)}</span> `)}
    </p>
  </section>`
}

/** A table of the headers that only some answers have. */
function own(headers: Record<string, Header>): Html | string {
  const named = Object.entries(headers).filter(([name]) => !(name in headersOfAnswers))
  if (named.length === 0) return ""
  return table(
    ["header", ""],
    named.map(([name, { description }]) => [html`<code>${name}</code>`, prose(description)]),
  )
}

function webhook(type: string, operation: Operation, isFirst: boolean): Html {
  const body = operation.requestBody?.content["application/json"]
  return html`<section id="${operation.operationId}">
    <h3><code>${type}</code></h3>
    <p>${prose(operation.description ?? operation.summary)}</p>
    ${isFirst ? table(["header", "in", "type", ""], (operation.parameters ?? []).map(parameterRow)) : ""}
    ${body ? html`<p>${typeOf(body.schema)}</p>` : ""}${shown(body?.example)}
  </section>`
}

function codes(description: string): Html {
  const named = [...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code)
  return html`${named.map((code) => html`<a href="${hrefOf("errors", `error-${code}`)}"><code>${code}</code></a> `)}`
}

function errorRows(): Html[][] {
  return Object.entries(errors).map(([code, [status, sentence]]) => [
    html`${status}`,
    html`<code id="error-${code}">${code}</code>`,
    html`${prose(sentence)}`,
  ])
}

function shown(example: unknown): Html | string {
  return example === undefined ? "" : html`<pre>${JSON.stringify(example, undefined, 2)}</pre>`
}
