import { html } from "hono/html"
import { limitsOf, type Parameter, type Schema } from "../openapi.ts"
import { hrefOf, prose, table, type Html } from "./prose-and-tables.ts"

/** The fields of a schema, or its type if it has none. */
export function schemaTable(schema: Schema): Html {
  if (!schema.properties) return html`<p>${typeOf(schema)}</p>`
  return table(["field", "type", ""], rowsOf(schema))
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

/** A type in a word or two, with a link if it has a name. */
export function typeOf(schema: Schema): Html {
  const name = schema.$ref?.split("/").at(-1)
  if (name) return html`<a href="${hrefOf("schemas", `schema-${name}`)}">${name}</a>`
  // A named schema with a description of its own.
  const base = schema.allOf?.find(({ $ref }) => $ref !== undefined)
  if (base) return typeOf(base)
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(" | ")}`
  if (schema.items) return html`array of ${typeOf(schema.items)}`
  if (schema.oneOf) return html`${schema.oneOf.map((one, i) => html`${i > 0 ? " | " : ""}${typeOf(one)}`)}`
  return html`${[schema.type ?? "any"].flat().join(" | ")}`
}

/** A parameter as a row: its name, where it is, its type, and what it is about. */
export function parameterRow(parameter: Parameter): Html[] {
  const { description, schema } = parameter
  return [
    named(parameter.name, parameter.required ?? false),
    html`${parameter.in}`,
    typeOf(schema),
    prose([description ?? schema.description, limitsOf(schema)].filter(Boolean).join(" ")),
  ]
}
