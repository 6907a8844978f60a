import { html, raw } from "hono/html"
import { errorStatus, type ErrorCode } from "#core/contract/error.ts"
import { examples } from "#core/contract/examples.ts"
import { sentences } from "#core/contract/error-sentences.ts"
import type { RouteName } from "#core/contract/routes.ts"
import { guide, type Reader } from "./guide.ts"
import { type Html, prose, table } from "./html.ts"
import { style } from "./style.ts"
import { canTry } from "./tryable-routes.ts"
import {
  type Document,
  entriesOf,
  type Entry,
  everyAnswer,
  type Header,
  type Operation,
  type Parameter,
  type Schema,
} from "./openapi.ts"

/** The reference as one self-contained page: no script, no other host. */
export function docsPage(document: Document, reader: Reader): Html {
  const entries = entriesOf(document)
  const groups = document.tags.map(({ name }) => ({
    name,
    of: entries.filter(({ operation }) => operation.tags?.includes(name)),
  }))
  const webhooks = Object.entries(document.webhooks).map(([path, { post }]) => ({ path, operation: post }))
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => [name, merged(schema, document)] as const,
  )
  const chapters = guide(reader)
  const links = [
    { name: "Guide", to: chapters.map(({ id, title }) => [id, title] as const) },
    ...groups.map(({ name, of }) => ({
      name,
      to: of.map(({ operation }) => [operation.operationId, operation.operationId] as const),
    })),
    { name: "Webhooks", to: webhooks.map(({ path }) => [`on_${path}`, path] as const) },
    { name: "Reference", to: [["errors", "Errors"] as const] },
    { name: "Schemas", to: schemas.map(([name]) => [`schema-${name}`, name] as const) },
  ]
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${document.info.title}: API reference</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <nav aria-label="Contents">
          <a href="#top"><b>${document.info.title}</b></a>
          ${reader.mayTry ? html`<a href="/">Back to the dashboard</a>` : ""}
          ${links.map(
            ({ name, to }) =>
              html`<b>${name}</b>
                <div>${to.map(([id, title]) => html`<a href="#${id}">${title}</a>`)}</div>`,
          )}
        </nav>
        <main id="top">
          <h1>${document.info.title}: API reference</h1>
          ${document.info.description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
          <p>
            The reference for machines: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1). For agents:
            <a href="/llms.txt">llms.txt</a>, with a page in Markdown for each call and event.
          </p>
          ${chapters.map(
            ({ id, title, body }) =>
              html`<section id="${id}">
                <h2>${title}</h2>
                ${body}
              </section>`,
          )}
          ${groups.map(
            ({ name, of }) =>
              html`<h2>${name}</h2>
                ${of.map((entry) => route(entry, reader))}`,
          )}
          <h2 id="webhooks">Webhooks</h2>
          <p>
            What each event looks like. All come with the same headers, each of which is explained at the
            first event.
          </p>
          ${webhooks.map(({ path, operation }, i) => webhook(path, operation, i === 0))}
          <h2 id="errors">Errors</h2>
          <p>Every error has a body of this form: ${typeOf({ $ref: "#/components/schemas/Error" })}.</p>
          ${table(["status", "code", "such as"], errorRows())}
          <h2>Schemas</h2>
          ${schemas.map(
            ([name, schema]) =>
              html`<section id="schema-${name}">
                <h3>${name}</h3>
                ${schema.description ? html`<p>${prose(schema.description)}</p>` : ""} ${fields(schema)}
              </section>`,
          )}
        </main>
      </body>
    </html>`
}

function route({ method, path, operation }: Entry, { mayTry }: Reader): Html {
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
            ${fields(body.schema)}`
        : ""
    }
    <h4>Call</h4>
    <pre>${curl({ method, path, operation })}</pre>
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
  const named = Object.entries(headers).filter(([name]) => !(name in everyAnswer))
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

/** The example call, ready to paste into a shell. */
export function curl({ method, path, operation }: Entry): string {
  const { parameters = {}, body } = examples[operation.operationId as RouteName] // registered under it
  const given: Record<string, string | number> = { customer_ref: "shop", ...parameters }
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && given[parameter.name] !== undefined)
    .map(({ name }) => `${name}=${given[name]}`)
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(given[name] ?? name))
  const verb = method === (body === undefined ? "get" : "post") ? "" : ` -X ${method.toUpperCase()}`
  const isFile = !Object.keys(operation.responses[200]?.content ?? { "application/json": {} }).some((type) =>
    /json|event-stream/.test(type),
  )
  // An error must not be saved as the file.
  return [
    `curl${isFile ? " -f" : ""}${verb} "$URL${url}${query.length > 0 ? `?${query.join("&")}` : ""}"${isFile ? " -o file" : ""}`,
    `  -H "Authorization: Bearer $KEY"`,
    ...(body === undefined
      ? []
      : [`  -H 'Content-Type: application/json'`, `  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n")
}

function codes(description: string): Html {
  const named = [...description.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code)
  return html`${named.map((code) => html`<a href="#error-${code}"><code>${code}</code></a> `)}`
}

function errorRows(): Html[][] {
  const all = Object.entries(errorStatus) as [ErrorCode, number][] // its entries, no others
  return all.map(([code, status]) => [
    html`${status}`,
    html`<code id="error-${code}">${code}</code>`,
    html`${prose(sentences[code])}`,
  ])
}

function parameterRow(parameter: Parameter): Html[] {
  const { description, schema } = parameter
  return [
    named(parameter.name, parameter.required ?? false),
    html`${parameter.in}`,
    typeOf(schema),
    prose([description ?? schema.description, limitsOf(schema)].filter(Boolean).join(" ")),
  ]
}

function fields(schema: Schema): Html {
  if (!schema.properties) return html`<p>${typeOf(schema)}</p>`
  return table(["field", "type", ""], rowsOf(schema))
}

/** A schema with the fields of everything it extends. */
export function merged(schema: Schema, document: Document): Schema {
  const named = document.components.schemas[schema.$ref?.split("/").at(-1) ?? ""]
  if (named) return merged(named, document)
  if (!schema.allOf) return schema
  const parts = schema.allOf.map((part) => merged(part, document))
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Schema["properties"], // of its parts
    required: parts.flatMap(({ required = [] }) => required),
  }
}

/** A row for each field, and for the fields inside it. */
function rowsOf(schema: Schema, prefix = ""): Html[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const limits = limitsOf(field.items && !field.description ? field.items : field)
    const about = [field.description ?? field.items?.description, limits].filter(Boolean).join(" ")
    const row = [named(prefix + name, schema.required?.includes(name) ?? false), typeOf(field), prose(about)]
    const inner = field.properties ? field : field.items
    return [row, ...(inner?.properties ? rowsOf(inner, `${prefix}${name}.`) : [])]
  })
}

function named(name: string, required: boolean): Html {
  return html`<code>${name}</code>${required ? "" : html` <small>optional</small>`}`
}

function typeOf(schema: Schema): Html {
  const name = schema.$ref?.split("/").at(-1)
  if (name) return html`<a href="#schema-${name}">${name}</a>`
  // A named schema with a description of its own.
  const base = schema.allOf?.find(({ $ref }) => $ref !== undefined)
  if (base) return typeOf(base)
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(" | ")}`
  if (schema.items) return html`array of ${typeOf(schema.items)}`
  if (schema.oneOf) return html`${schema.oneOf.map((one, i) => html`${i > 0 ? " | " : ""}${typeOf(one)}`)}`
  return html`${[schema.type ?? "any"].flat().join(" | ")}`
}

/** The limits in words; the pattern only if there is no description. */
export function limitsOf({ minimum, maximum, minLength, maxLength, pattern, description }: Schema): string {
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...(pattern && !description ? [`\`${pattern}\``] : []),
  ].join(" ")
}

function range(low: number | undefined, high: number | undefined, unit: string): string[] {
  if (low === undefined && high === undefined) return []
  if (low === undefined) return [`At most ${high}${unit}.`]
  return [high === undefined ? `At least ${low}${unit}.` : `${low} to ${high}${unit}.`]
}

function shown(example: unknown): Html | string {
  return example === undefined ? "" : html`<pre>${JSON.stringify(example, undefined, 2)}</pre>`
}
