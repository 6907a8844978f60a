import { html } from "hono/html"
import type { Document, Operation, Parameter, Schema } from "./openapi.ts"

type Html = ReturnType<typeof html>

/** The reference as one page that needs nothing else: no script, no other host. */
export function docsPage(document: Document): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const groups = document.tags.map(({ name }) => ({
    name,
    of: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }))
  const webhooks = Object.values(document.webhooks).map(({ post }) => post)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${document.info.title}: API reference</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <nav>
          <a href="#top"><b>${document.info.title}</b></a>
          ${groups.map(
            ({ name, of }) =>
              html`<b>${name}</b> ${of.map(
                  ({ operation }) => html`<a href="#${operation.operationId}">${operation.operationId}</a>`,
                )}`,
          )}
          <b>Webhooks</b>
          ${webhooks.map((one) => html`<a href="#${one.operationId}">${one.operationId.slice("on_".length)}</a>`)}
          <b>Schemas</b>
          ${Object.keys(document.components.schemas).map(
            (name) => html`<a href="#schema-${name}">${name}</a>`,
          )}
        </nav>
        <main id="top">
          <h1>${document.info.title}: API reference</h1>
          ${document.info.description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
          <p>The same for machines: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
          ${groups.map(
            ({ name, of }) =>
              html`<h2>${name}</h2>
                ${of.map(({ path, method, operation }) => section(`${method.toUpperCase()} ${path}`, operation))}`,
          )}
          <h2>Webhooks</h2>
          ${webhooks.map((one) => section(one.operationId.slice("on_".length), one))}
          <h2>Schemas</h2>
          ${Object.entries(document.components.schemas).map(
            ([name, schema]) =>
              html`<section id="schema-${name}">
                <h3>${name}</h3>
                ${fields(schema)}
              </section>`,
          )}
        </main>
      </body>
    </html>`
}

function section(title: string, operation: Operation): Html {
  const { parameters = [], requestBody, responses } = operation
  const body = requestBody && Object.values(requestBody.content)[0]
  return html`<section id="${operation.operationId}">
    <h3><code>${title}</code></h3>
    <p>${prose(operation.summary)}</p>
    ${parameters.length > 0 ? table(["parameter", "in", "type", ""], parameters.map(parameterRow)) : ""}
    ${
      body
        ? html`<h4>Body</h4>
            ${body.schema.$ref ? typeOf(body.schema) : fields(body.schema)}${shown(body.example)}`
        : ""
    }
    <h4>Answers</h4>
    ${Object.entries(responses).map(([status, { description, content }]) => {
      const [[type, first] = []] = Object.entries(content ?? {})
      const isJson = type === "application/json"
      return html`<p>
          <b>${status}</b> ${prose(description)}
          ${Number(status) < 300 && first ? html`<i>${isJson ? typeOf(first.schema) : type}</i>` : ""}
        </p>
        ${shown(first?.example)}`
    })}
  </section>`
}

function parameterRow(parameter: Parameter): (Html | string)[] {
  const name = html`<code>${parameter.name}</code>${parameter.required ? "" : " (optional)"}`
  return [
    name,
    parameter.in,
    typeOf(parameter.schema),
    prose(parameter.description ?? limitsOf(parameter.schema)),
  ]
}

function fields(schema: Schema): Html {
  if (!schema.properties) return html`<p>${typeOf(schema)}</p>`
  const rows = Object.entries(schema.properties).map(([name, field]) => [
    html`<code>${name}</code>${schema.required?.includes(name) ? "" : " (optional)"}`,
    typeOf(field),
    prose([field.description, limitsOf(field)].filter(Boolean).join(" ")),
  ])
  return table(["field", "type", ""], rows)
}

function table(heads: string[], rows: (Html | string)[][]): Html {
  return html`<table>
    <tr>
      ${heads.map((head) => html`<th>${head}</th>`)}
    </tr>
    ${rows.map(
      (cells) =>
        html`<tr>
          ${cells.map((cell) => html`<td>${cell}</td>`)}
        </tr>`,
    )}
  </table>`
}

function typeOf(schema: Schema): Html {
  const named = schema.$ref?.split("/").at(-1)
  if (named) return html`<a href="#schema-${named}">${named}</a>`
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(" | ")}`
  if (schema.items) return html`array of ${typeOf(schema.items)}`
  return html`${[schema.type ?? "any"].flat().join(" | ")}`
}

function limitsOf({ minimum, maximum, minLength, maxLength, pattern }: Schema): string {
  return [
    ...range(minimum, maximum, ""),
    ...range(minLength, maxLength, " characters"),
    ...(pattern ? [`\`${pattern}\``] : []),
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

/** What stands between backticks is code. */
function prose(text: string): Html {
  return html`${text.split("`").map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 52rem); gap: 2rem; }
  nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; }
  nav a, nav b { display: block; } nav b { margin-top: 0.75rem; }
  main { padding: 1rem; } section { margin-bottom: 3rem; } h2 { margin-top: 3rem; }
  a { color: inherit; } code, pre { font: 0.875em ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { padding: 0.75rem; overflow: auto; background: color-mix(in srgb, currentColor 8%, transparent); }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
  tr + tr { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  @media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
`
