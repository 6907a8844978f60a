import { sentences } from "#contract/error-codes.ts"
import { type Document, entriesOf, type Entry } from "#contract/openapi.ts"
import { type Call, callsOf, exampleOf, inputOf, isOfBridge, recipe, successOf } from "./contract.ts"
import { describedIn, isNullable, Models } from "./python-models.ts"
import { doc, head, nameOf, pascal, snake } from "./python-text.ts"

/** The contract as modules of Python, by their names. */
export function python(document: Document): Record<string, string> {
  const { Error: refusal } = document.components.schemas
  const models = new Models(document)
  const calls = callsOf(document)
  const names = new Set(calls.map(({ operationId }) => operationId))
  /** With the names that calls have here. */
  const inPython = (said: string) =>
    said.replaceAll(/`(\w+)`/g, (same, name: string) => (names.has(name) ? `\`${snake(name)}\`` : same))
  const account = calls.filter((one) => !isOfBridge(one)).map((one) => method(one, models))
  const bridge = calls.filter(isOfBridge).map((one) => method(one, models))
  const text = [
    ...classes("AccountCalls", "The calls about the account of the key.", account),
    ...classes("BridgeCalls", "The calls about one bridge.", bridge),
  ].join("\n")
  const used = models.names.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).toSorted()
  return {
    "types.py": inPython(models.module),
    "_events.py": events(document),
    "_calls.py": inPython(
      [
        head,
        "from __future__ import annotations\n\nfrom typing import List, Literal\n\nimport httpx\n",
        "from ._asking import UNSET, AsyncCalls, Calls, Listing, awaited, listed",
        `from .types import (\n${used.map((name) => `    ${name},\n`).join("")})\n\n`,
        text,
      ].join("\n"),
    ),
    // Its enum of the same.
    "errors.py": errors(refusal!.properties!.code!.enum as (keyof typeof sentences)[]),
  }
}

/** The reference's example of each call, as a program, by its `operationId`. */
export function pythonExamples(document: Document): Record<string, string> {
  const models = new Models(document)
  for (const call of callsOf(document)) method(call, models) // the same classes get the same names
  return Object.fromEntries(
    entriesOf(document).map((entry) => [entry.operation.operationId, example(entry, models)]),
  )
}

function example(entry: Entry, models: Models): string {
  const { call, name, given, answer } = exampleOf(entry)
  const fields = inputOf(call)?.properties ?? {}
  const input = Object.entries(given).map(([field, value]) => {
    // An example of it.
    const written = models.valueOf(value, fields[field]!, `${pascal(call.operationId)}${pascal(field)}`)
    return `${nameOf(field)}=${written}`
  })
  const called = `${isOfBridge(entry) ? "shop" : "account"}.${snake(name)}(${input.join(", ")})`
  return [
    `from messaging_bridge import MessagingBridge${/\btypes\./.test(called) ? ", types" : ""}\n`,
    isOfBridge(entry) ? 'shop = MessagingBridge().bridge("shop")' : "account = MessagingBridge()",
    ...{
      json: [`print(${called})`],
      list: [`for one in ${called}:`, "    print(one)"],
      bytes: [`answer = ${called}`, 'with open("file", "wb") as file:', "    file.write(answer.content)"],
      nothing: [called],
    }[answer],
  ].join("\n")
}

/** The classes of events, which are at the top of the package. */
function events({ webhooks }: Document): string {
  const names = Object.values(webhooks)
    .map(({ post }) => post.requestBody!.content["application/json"]!.schema.$ref!.split("/").at(-1)!)
    .toSorted()
  return [
    head,
    `from .types import (\n${names.map((name) => `    ${name},\n`).join("")})\n`,
    `__all__ = [\n${names.map((name) => `    "${name}",\n`).join("")}]\n`,
  ].join("\n")
}

/** A class for each code with which the service refuses. */
function errors(codes: (keyof typeof sentences)[]): string {
  const own = [
    "BridgeError",
    "CursorInUse",
    "CursorUnusable",
    "EventsMissed",
    "InvalidArgument",
    "InvalidSignature",
    "NoAnswer",
    "UnexpectedAnswer",
  ]
  return [
    head,
    `from ._bridge_error import (\n${own.map((name) => `    ${name} as ${name},\n`).join("")})\n`,
    ...codes.map(
      (code) =>
        `\nclass ${pascal(code)}(BridgeError):\n    ${doc(`\`${code}\`: ${sentences[code]}.`)}\n\n    code = "${code}"\n`,
    ),
  ].join("\n")
}

interface Method {
  name: string
  text: string
  isList: boolean
}

/** One class that is written out, and the same for `asyncio`, whose methods are the same functions. */
function classes(name: string, about: string, methods: Method[]): string[] {
  const same = methods.map(
    (one) => `    ${one.name} = ${one.isList ? "listed" : "awaited"}(${name}.${one.name})\n`,
  )
  return [
    `class ${name}(Calls):\n    ${doc(about)}\n\n${methods.map(({ text }) => text).join("\n")}\n`,
    `class Async${name}(AsyncCalls):\n    ${doc(about)}\n\n${same.join("")}\n`,
  ]
}

/** A method with all that the reference says of it. */
function method(call: Call, models: Models): Method {
  const name = snake(call.operationId)
  const { answer, query = [], body, takesKey } = recipe(call)
  const input = inputOf(call)
  const fields = Object.entries(input?.properties ?? {}).map(([field, schema]) => ({
    field: nameOf(field),
    type: models.typeOf(schema, `${pascal(call.operationId)}${pascal(field)}`),
    about: describedIn(schema),
    isRequired: input?.required?.includes(field) === true,
  }))
  // Required parameters come first.
  fields.sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
  const parameters = fields.map(({ field, type, isRequired }) => {
    if (isRequired) return `${field}: ${type}`
    return isNullable(type) ? `${field}: ${type} = UNSET` : `${field}: ${type} | None = None`
  })
  if (takesKey) parameters.push("idempotency_key: str | None = None")
  const all = parameters.length > 0 ? ["self", "*", ...parameters] : ["self"]
  const line = `    def ${name}(${all.join(", ")})`
  const given = line.length <= 100 ? line : `    def ${name}(\n        ${all.join(",\n        ")},\n    )`

  const documented = fields
    .filter(({ about }) => about)
    .map(({ field, about }) => `:param ${field}: ${about}`)
  const about = [
    [call.summary, call.description].filter(Boolean).join(". "),
    ...(documented.length > 0 ? [documented.join("\n")] : []),
  ]
  const nulls = fields.filter(({ type }) => isNullable(type)).map(({ field }) => field)
  const more = [
    query.length > 0 && `query=${tuple(query)}`,
    body && answer !== "list" && "body=True",
    takesKey && "takes_key=True",
    nulls.length > 0 && `nulls=${tuple(nulls)}`,
  ].filter(Boolean)
  const asked = [`"${call.method}"`, `"${call.path}"`, "locals()", ...more].join(", ")
  const [verb, type, result] = answerOf(call, answer, models)
  const ask = `return self.${verb}(${type ? `${type}, ` : ""}${asked})`
  return {
    name,
    isList: answer === "list",
    text: `${given} -> ${result}:\n        ${doc(about.join("\n\n"), "        ")}\n        ${ask}\n`,
  }
}

/** How a call asks, for what type, and what it returns. */
function answerOf(call: Call, kind: ReturnType<typeof recipe>["answer"], models: Models) {
  if (kind === "bytes") return ["_fetch", "", "httpx.Response"] as const
  if (kind === "nothing") return ["_ask", "type(None)", "None"] as const
  const { schema } = successOf(call).content!["application/json"]! // it is of this kind
  const name = `${pascal(call.operationId)}Result`
  if (kind === "json") {
    const type = models.typeOf(schema, name)
    return ["_ask", type, type] as const
  }
  const item = models.typeOf(schema.items!, name)
  return ["_list", item, `Listing[${item}]`] as const
}

function tuple(names: string[]): string {
  return `(${names.map((name) => `"${name}",`).join(" ")})`.replace(/,\)$/, names.length > 1 ? ")" : ",)")
}
