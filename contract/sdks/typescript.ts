import type { Document, Entry, Schema } from "#contract/openapi.ts"
import { type Call, callsOf, exampleOf, inputOf, isOfBridge, recipe, successOf } from "./contract.ts"

/** Names that mean something else in TypeScript, or would be taken for it. */
const renamed: Record<string, string> = { Error: "ErrorBody" }

/** The contract as a module of TypeScript. */
export function typescript(document: Document): string {
  const calls = callsOf(document)
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}${definition(nameOf(name), typeOf(schema))}\n`,
  )
  return [
    "// Generated from the contract by `npm run clients:generate`. Do not edit.\n",
    'import type { CallOptions, Listing, SendOptions } from "./call.ts"\n',
    ...schemas,
    "/** Any event. Its first field, `event`, says of which type it is. */",
    'export type Event = StoredEvent["event"]\n',
    "/** The calls about the account of the key. */",
    `export interface AccountCalls {\n${calls
      .filter((one) => !isOfBridge(one))
      .map(method)
      .join("\n")}}\n`,
    "/** The calls about one bridge. */",
    `export interface BridgeCalls {\n${calls.filter(isOfBridge).map(method).join("\n")}}\n`,
    "/** How each call is made: method, path, and what its fields, its key and its answer are. */",
    `export const operations = {\n${calls.map((one) => `  ${one.operationId}: ${JSON.stringify(recipe(one))},\n`).join("")}} as const\n`,
  ].join("\n")
}

/** The reference's example of a call, as a program. */
export function typescriptExample(entry: Entry): string {
  const { name, given, answer } = exampleOf(entry)
  const input = Object.keys(given).length > 0 ? valueOf(given) : ""
  const called = `${isOfBridge(entry) ? "shop" : "account"}.${name}(${input})`
  return [
    ...(answer === "bytes" ? ['import { writeFile } from "node:fs/promises"'] : []),
    'import { messagingBridge } from "messaging-bridge-sdk"\n',
    isOfBridge(entry) ? 'const shop = messagingBridge().bridge("shop")' : "const account = messagingBridge()",
    ...{
      json: [`console.log(await ${called})`],
      list: [`for await (const one of ${called}) console.log(one)`],
      bytes: [
        `const answer = await ${called}`,
        'await writeFile("file", new Uint8Array(await answer.arrayBuffer()))',
      ],
      nothing: [`await ${called}`],
    }[answer],
  ].join("\n")
}

function valueOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueOf).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, one]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${valueOf(one)}`,
  )
  return `{ ${fields.join(", ")} }`
}

function definition(name: string, type: string): string {
  return /^\{[^]*\n\}$/.test(type) && !/^\}./m.test(type)
    ? `export interface ${name} ${type}`
    : `export type ${name} = ${type}`
}

/** A method of an interface, with all that the reference says of it. */
function method(call: Call): string {
  const { answer, takesKey } = recipe(call)
  const input = inputOf(call)
  const options = `options?: ${takesKey ? "SendOptions" : "CallOptions"}`
  const given = input && `input${input.required?.length ? "" : "?"}: ${typeOf(input, "  ")}, `
  const about = [call.summary, call.description].filter(Boolean).join(". ")
  return `${comment(about, "  ")}  ${call.operationId}(${given ?? ""}${options}): ${answerOf(call, answer)}\n`
}

function answerOf(call: Call, kind: ReturnType<typeof recipe>["answer"]): string {
  if (kind === "bytes") return "Promise<Response>"
  if (kind === "nothing") return "Promise<void>"
  const schema = successOf(call).content!["application/json"]!.schema // it is of this kind
  return kind === "list" ? `Listing<${typeOf(schema.items!, "  ")}>` : `Promise<${typeOf(schema, "  ")}>`
}

function nameOf(schema: string): string {
  return renamed[schema] ?? schema
}

/** A schema as a type. @throws Error for one that has no type here */
function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref) return nameOf(schema.$ref.split("/").at(-1)!)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ")
  // Beside properties it says only which of these go together.
  if (schema.oneOf && !schema.properties) return schema.oneOf.map((one) => typeOf(one, indent)).join(" | ")
  if (schema.allOf)
    return schema.allOf
      .filter((one) => Object.keys(one).some((key) => key !== "description"))
      .map((one) => typeOf(one, indent))
      .join(" & ")
  const types = [schema.type ?? "any"].flat()
  return types.map((type) => typeNamed(type, schema, indent)).join(" | ")
}

function typeNamed(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type
    case "number":
    case "integer":
      return "number"
    case "array":
      return arrayOf(typeOf(schema.items!, indent)) // an array's schema says of what
    case "object":
      return objectOf(schema, indent)
    default:
      throw new Error(`there is no type for ${JSON.stringify(schema)}`)
  }
}

function arrayOf(type: string): string {
  return /^\w+$/.test(type) ? `${type}[]` : `(${type})[]`
}

function objectOf(schema: Schema & { additionalProperties?: Schema }, indent: string): string {
  const more = schema.additionalProperties
  const rest = more && (Object.keys(more).length > 0 ? typeOf(more, indent) : "unknown")
  if (!schema.properties) return rest === undefined ? "object" : `Record<string, ${rest}>`
  const inner = `${indent}  `
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const isRequired = schema.required?.includes(name)
    return `${comment(field.description ?? describedIn(field), inner)}${inner}${name}${isRequired ? "" : "?"}: ${typeOf(field, inner)}\n`
  })
  return `{\n${fields.join("")}${rest ? `${inner}[more: string]: ${rest}\n` : ""}${indent}}`
}

/** A description beside a reference. */
function describedIn({ allOf }: Schema): string | undefined {
  return allOf?.find(({ description }) => description !== undefined)?.description
}

function comment(text: string | undefined, indent = ""): string {
  return text ? `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n` : ""
}
