import { sentences } from "#core/contract/error-sentences.ts"
import { type Document, entriesOf, type Entry, type Schema } from "#functions/docs/openapi.ts"
import { type Call, callsOf, exampleOf, inputOf, isOfBridge, recipe, successOf } from "./contract.ts"

/** Fields that `repr` does not show: who sees one could call, link a phone, join, or sign. */
const secret = /\.(?:webhook_secret|secret|key|fields|code)$|^LinkSession\.url$|^GroupInvite\.link$/

const head = "# Generated from the contract by `npm run clients:generate`. Do not edit.\n"

/** The contract as modules of Python, by their names. */
export function python(document: Document): Record<string, string> {
  const { Error: refusal } = document.components.schemas
  const models = modelsOf(document)
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
  const used = models
    .names()
    .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
    .toSorted()
  return {
    "types.py": inPython(models.module()),
    "_calls.py": inPython(
      [
        head,
        "from __future__ import annotations\n\nfrom typing import List, Literal\n\nimport httpx\n",
        "from ._asking import UNSET, AsyncCalls, Calls, Listing, awaited, listed",
        `from .types import (\n${used.map((name) => `    ${name},\n`).join("")})\n\n`,
        text,
      ].join("\n"),
    ),
    "errors.py": errors(refusal!.properties!.code!.enum as (keyof typeof sentences)[]), // its enum of the same
  }
}

/** The reference's example of each call, as a program, by its `operationId`. */
export function pythonExamples(document: Document): Record<string, string> {
  const models = modelsOf(document)
  for (const call of callsOf(document)) method(call, models) // the same classes get the same names
  return Object.fromEntries(
    entriesOf(document).map((entry) => [entry.operation.operationId, example(entry, models)]),
  )
}

function example(entry: Entry, models: Models): string {
  const { call, name, given, answer } = exampleOf(entry)
  const fields = inputOf(call)?.properties ?? {}
  const input = Object.entries(given).map(([field, value]) => {
    const written = models.valueOf(value, fields[field]!, `${pascal(call.operationId)}${pascal(field)}`) // an example of it
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

/** A class for each code with which the service refuses. */
function errors(codes: (keyof typeof sentences)[]): string {
  const own = ["BridgeError", "InvalidArgument", "InvalidSignature", "NoAnswer", "UnexpectedAnswer"]
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

type Models = ReturnType<typeof modelsOf>

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

/** The classes of all schemas. A schema in another gets a name of its own. */
function modelsOf(document: Document) {
  const { Error: _, ...schemas } = document.components.schemas
  const made = new Map<string, string>()
  const byShape = new Map<string, string>()

  /** A schema as a type. @param name of the class, if it needs one. @throws Error for one that has no type here */
  function typeOf(schema: Schema, name: string): string {
    if (schema.$ref) return named(schema.$ref.split("/").at(-1)!)
    if (schema.enum) {
      const values = schema.enum.filter((one) => one !== null)
      return `Literal[${values.map(literal).join(", ")}]${schema.enum.length > values.length ? " | None" : ""}`
    }
    if (schema.allOf) {
      const [only, ...others] = schema.allOf.filter((one) =>
        Object.keys(one).some((key) => key !== "description"),
      )
      if (others.length === 0) return typeOf(only!, name)
    }
    return [schema.type ?? "object"]
      .flat()
      .map((type) => typeNamed(type, schema, name))
      .join(" | ")
  }

  function typeNamed(type: string, schema: Schema & { additionalProperties?: Schema }, name: string): string {
    switch (type) {
      case "string":
        return "str"
      case "boolean":
        return "bool"
      case "null":
        return "None"
      case "number":
        return "float"
      case "integer":
        return "int"
      case "array":
        return `List[${typeOf(schema.items!, name.replace(/s$/, ""))}]` // an array's schema says of what
      case "object":
        break
      default:
        throw new Error(`there is no type for ${JSON.stringify(schema)}`)
    }
    if (schema.properties) return inner(schema, name)
    const values = schema.additionalProperties
    return `dict[str, ${values && Object.keys(values).length > 0 ? typeOf(values, name) : "object"}]`
  }

  /** The name of a component, whose class is made if it is not there yet. */
  function named(name: string): string {
    const schema = schemas[name]!
    if (!made.has(name)) {
      made.set(name, "") // it may be in itself
      const own = schema.allOf?.find(({ properties }) => properties)
      const base = schema.allOf
        ?.find(({ $ref }) => $ref)
        ?.$ref?.split("/")
        .at(-1)
      const text = schema.enum
        ? `${name} = ${typeOf(schema, name)}\n`
        : classOf(name, own ?? schema, base && named(base), schema.description)
      // Python reads from top to bottom: the types inside a type come before it.
      made.delete(name)
      made.set(name, text)
    }
    if (hasUnion(schema)) return `${name}[Event]`
    return [schema.type].flat().includes("null") ? `${name} | None` : name
  }

  function inner(schema: Schema, name: string): string {
    const key = shapeOf(schema)
    const known = byShape.get(key)
    if (known !== undefined) return known
    byShape.set(key, name)
    made.set(name, classOf(name, schema))
    return name
  }

  function classOf(name: string, schema: Schema, base = "Model", about = schema.description): string {
    const stem = schema.properties?.event ? name.replace(/Event$/, "") : name
    const fields = Object.entries(schema.properties ?? {}).map(([field, one]) => {
      const type = one.oneOf ? "E" : typeOf(one, `${stem}${pascal(field)}`)
      const isRequired = schema.required?.includes(field)
      const shown = secret.test(`${name}.${field}`) && !/^(?:Literal|List)/.test(type)
      const options = [!isRequired && shown && "default=None", shown && "repr=False"].filter(Boolean)
      const value = shown ? ` = Field(${options.join(", ")})` : isRequired ? "" : " = None"
      const described = describedIn(one)
      return `    ${field}: ${isRequired || isNullable(type) ? type : `${type} | None`}${value}\n${described ? `    ${doc(described)}\n` : ""}`
    })
    const bases = hasUnion(schema) ? `${base}, Generic[E]` : base
    return `class ${name}(${bases}):\n${about ? `    ${doc(about)}\n\n` : ""}${fields.join("") || "    pass\n"}`
  }

  /** A value of this type, as a program writes it. @param name of the class, as `typeOf` takes it */
  function valueOf(value: unknown, schema: Schema, name: string): string {
    if (Array.isArray(value))
      return `[${value.map((one) => valueOf(one, schema.items!, name.replace(/s$/, ""))).join(", ")}]` // an array's schema says of what
    if (typeof value !== "object" || value === null) return value === null ? "None" : literal(value)
    const type = typeOf(schema, name).replace(/ \| None$/, "")
    if (type.startsWith("dict[")) return JSON.stringify(value)
    const { properties = {} } = schemas[type] ?? schema
    const fields = Object.entries(value).map(
      ([field, one]) => `${field}=${valueOf(one, properties[field]!, `${type}${pascal(field)}`)}`,
    )
    return `types.${type}(${fields.join(", ")})`
  }

  Object.keys(schemas).forEach(named)
  const events = Object.values(schemas)
    .flatMap(({ properties }) => properties?.event?.oneOf ?? [])
    .map(({ $ref }) => $ref!.split("/").at(-1)!)
  for (const [name, schema] of Object.entries(schemas))
    if (schema.properties) byShape.set(shapeOf(schema), name)

  return {
    typeOf,
    valueOf,
    names: () => [...made.keys(), "Event"],
    module: () =>
      [
        head,
        "from __future__ import annotations\n\nfrom typing import Annotated, Generic, List, Literal, TypeVar\n",
        "from pydantic import Field, PlainValidator\n\nfrom ._model import Model, event_in\n",
        'E = TypeVar("E", bound=Model)\n\n',
        [...made.values()].join("\n\n"),
        `\nEvent = Annotated[\n    ${events.join("\n    | ")},\n    PlainValidator(event_in),\n]`,
        `${doc("Any event. Its field `event` says of which type it is.")}\n`,
      ].join("\n"),
  }
}

/** The same for schemas that differ in words alone. */
function shapeOf(schema: Schema): string {
  return JSON.stringify(schema, (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  )
}

function hasUnion({ properties }: Schema): boolean {
  return properties?.event?.oneOf !== undefined
}

function isNullable(type: string): boolean {
  return type.endsWith("| None")
}

/** The description of a field. One that refers to a schema may have its own beside the reference. */
function describedIn({ description, allOf }: Schema): string | undefined {
  return description ?? allOf?.find((one) => one.description !== undefined)?.description
}

function literal(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False"
  return JSON.stringify(value)
}

function tuple(names: string[]): string {
  return `(${names.map((name) => `"${name}",`).join(" ")})`.replace(/,\)$/, names.length > 1 ? ")" : ",)")
}

/** A field as a parameter: `from` is a word of the language. */
function nameOf(field: string): string {
  return field === "from" ? "from_" : field
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A docstring. */
function doc(text: string, indent = ""): string {
  const safe = text.replaceAll("\\", "\\\\").replaceAll('"""', '\\"""').replace(/"$/, '\\"')
  const lines = safe.split("\n").map((line, n) => (n > 0 && line ? indent + line : line))
  return `"""${lines.join("\n")}${lines.length > 1 ? `\n${indent}` : ""}"""`
}
