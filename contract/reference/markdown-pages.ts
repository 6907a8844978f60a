import { errors as everyError } from "#contract/error-codes.ts"
import {
  type Document,
  entriesOf,
  type Entry,
  type Operation,
  type Parameter,
  type Schema,
} from "../openapi.ts"
import { limitsOf, withInherited } from "../openapi.ts"
import { exampleCalls } from "./example-calls.ts"
import { repositoryPages } from "./repository-pages.ts"

// The reference as programs that read for people want it: Markdown, a page for each call and each event.

/** The part of the list with the pages about how the service is made. */
const makers = "How it is made"

interface MarkdownPage {
  /** As in `/api/docs/<name>.md` or `/docs/<name>.md`. */
  name: string
  title: string
  text: string
}

const made = new WeakMap<Document, MarkdownPage[]>()

/** The reference in its order, and a page of all errors. They are made once. */
export function referencePages(document: Document): MarkdownPage[] {
  const known = made.get(document)
  if (known) return known
  const calls = entriesOf(document).map((entry) => call(entry, document))
  const events = Object.entries(document.webhooks).map(([type, { post }]) => event(type, post, document))
  const pages = [...calls, ...events, errors()]
  made.set(document, pages)
  return pages
}

/** `/llms.txt` as llmstxt.org describes it: what this is, and a link to each page. */
export function llmsTxt(document: Document, baseUrl: string): string {
  const links = (folder: string, all: MarkdownPage[]) =>
    all.map(({ name, title }) => `- [${title}](${baseUrl}${folder}/${name}.md)`).join("\n")
  return joined(
    ...opening(document),
    `All pages in one: ${baseUrl}/llms-full.txt. For machines: ${baseUrl}/api/openapi.json (OpenAPI 3.1).`,
    "## Pages",
    links("/docs", listedPages()),
    "## Reference",
    links("/api/docs", referencePages(document)),
  )
}

/** All pages in one. */
export function llmsFullTxt(document: Document): string {
  const all = [...listedPages(), ...referencePages(document)]
  return joined(...opening(document), ...all.map(({ text }) => text.trimEnd()))
}

/** The pages for those who use the service. Others lead to how it is made, which takes an agent's room. */
function listedPages(): MarkdownPage[] {
  return repositoryPages().filter(({ place }) => place !== undefined && place.part !== makers)
}

function opening({ info }: Document): string[] {
  return [`# ${info.title}`, ...info.description.split("\n\n")]
}

function call(entry: Entry, document: Document): MarkdownPage {
  const { path, method, operation } = entry
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content["application/json"]
  const answers = Object.entries(responses).map(
    ([status, answer]) => `- ${status}: ${answer.description.replaceAll("\n", " ")}`,
  )
  const [answer] = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, { content }]) => content?.["application/json"])
    .filter((given) => given !== undefined)
  // For a list, the fields of an item are shown.
  const answered = answer && withInherited(answer.schema.items ?? answer.schema, document)
  const text = joined(
    `## ${summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    description,
    parameters.length > 0 && table(["parameter", "in", "type", ""], parameters.map(parameterRow)),
    body && "Body:",
    body && fields(body.schema, document),
    ...exampleCalls(document)[operationId]!.map(({ ending, text }) => fenced(ending, text)),
    "Answers:",
    answers.join("\n"),
    answer?.example !== undefined && fenced("json", JSON.stringify(answer.example, undefined, 2)),
    answered?.properties && answered.description,
    answered?.properties && fields(answered, document),
  )
  return { name: operationId, title: summary, text }
}

function event(type: string, operation: Operation, document: Document): MarkdownPage {
  const body = operation.requestBody?.content["application/json"]
  const text = joined(
    `## Event \`${type}\``,
    operation.description ?? operation.summary,
    body && fields(body.schema, document),
    body?.example !== undefined && fenced("json", JSON.stringify(body.example, undefined, 2)),
  )
  return { name: operation.operationId, title: `Event ${type}`, text }
}

function errors(): MarkdownPage {
  const rows = Object.entries(everyError).map(([code, [status, sentence]]) => [
    String(status),
    `\`${code}\``,
    sentence,
  ])
  return {
    name: "errors",
    title: "Errors",
    text: joined("## Errors", table(["status", "code", "such as"], rows)),
  }
}

function parameterRow({ name, in: place, required, description, schema }: Parameter): string[] {
  const about = [description ?? schema.description, limitsOf(schema)].filter(Boolean).join(" ")
  return [`\`${name}\`${required ? "" : " (optional)"}`, place, typeOf(schema), about]
}

function fields(schema: Schema, document: Document): string {
  const whole = withInherited(schema, document)
  return whole.properties ? table(["field", "type", ""], rowsOf(whole, document)) : typeOf(whole)
}

/** A row for each field, and for the fields inside it. A schema that holds itself is opened once. */
function rowsOf(
  schema: Schema,
  document: Document,
  within = { prefix: "", opened: [] as Schema[] },
): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const about = [field.description ?? field.items?.description, limitsOf(field)].filter(Boolean).join(" ")
    const isRequired = schema.required?.includes(key) ?? false
    const own = [`\`${within.prefix}${key}\`${isRequired ? "" : " (optional)"}`, typeOf(field), about]
    const inner = withInherited(field.items ?? field, document)
    if (!inner.properties || within.opened.includes(inner)) return [own]
    const deeper = { prefix: `${within.prefix}${key}.`, opened: [...within.opened, inner] }
    return [own, ...rowsOf(inner, document, deeper)]
  })
}

function typeOf(schema: Schema): string {
  const name = schema.$ref?.split("/").at(-1)
  if (name) return name
  const base = schema.allOf?.find(({ $ref }) => $ref !== undefined)
  if (base) return typeOf(base)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" or ")
  if (schema.items) return `array of ${typeOf(schema.items)}`
  if (schema.oneOf && !schema.properties) return schema.oneOf.map(typeOf).join(" or ")
  return [schema.type ?? "any"].flat().join(" or ")
}

function table(heads: string[], rows: string[][]): string {
  return [row(heads), row(heads.map(() => "---")), ...rows.map(row)].join("\n")
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
}

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

/** Paragraphs; what is not there is left out. */
function joined(...parts: (string | false | undefined)[]): string {
  return `${parts.filter((part) => typeof part === "string" && part !== "").join("\n\n")}\n`
}
