import { examples } from "#contract/examples.ts"
import type { RouteName } from "#contract/routes.ts"
import { type Document, entriesOf, type Entry } from "../openapi.ts"
import { pythonExamples } from "../sdks/python.ts"
import { typescriptExample } from "../sdks/typescript.ts"

interface ExampleCall {
  language: "curl" | "TypeScript" | "Python"
  /** As in a file's name. */
  ending: "sh" | "ts" | "py"
  text: string
}

const made = new WeakMap<Document, Record<string, ExampleCall[]>>()

/** The example of each call in every language, by its `operationId`. `npm run clients:check` runs them. */
export function exampleCalls(document: Document): Record<string, ExampleCall[]> {
  const known = made.get(document) ?? exampleCallsOf(document)
  made.set(document, known)
  return known
}

function exampleCallsOf(document: Document): Record<string, ExampleCall[]> {
  const python = pythonExamples(document)
  return Object.fromEntries(
    entriesOf(document).map((entry) => {
      const { operationId } = entry.operation
      const calls: ExampleCall[] = [
        { language: "curl", ending: "sh", text: curl(entry) },
        { language: "TypeScript", ending: "ts", text: typescriptExample(entry) },
        { language: "Python", ending: "py", text: python[operationId]! }, // there is one for each
      ]
      return [operationId, calls]
    }),
  )
}

/** The example call, ready to paste into a shell. */
function curl({ method, path, operation }: Entry): string {
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
