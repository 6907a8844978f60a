import { invalid } from "../refusal.ts"
import { checked, type Value } from "../values/value.ts"
import type { Parsed, Path } from "./parse.ts"

/** What a request says that its placeholders stand for. */
export interface Given {
  ExpressionAttributeNames?: Record<string, string> | undefined
  ExpressionAttributeValues?: Record<string, unknown> | undefined
}

/** The placeholders of one request. */
export interface Placeholders {
  names: Record<string, string>
  values: Record<string, Value>
}

/**
 * The placeholders of a request, given all of its expressions.
 * @throws Refusal if one is missing, not used, or not a value
 */
export function placeholdersOf(given: Given, expressions: (Parsed<unknown> | undefined)[]): Placeholders {
  const used = expressions.filter((one) => one !== undefined)
  if (used.length === 0) {
    const members = ["ExpressionAttributeNames", "ExpressionAttributeValues"] as const
    const stray = members.find((member) => given[member] !== undefined)
    if (stray) throw invalid(`${stray} can only be specified when using expressions`)
    return { names: {}, values: {} }
  }
  const names = given.ExpressionAttributeNames ?? {}
  agree(
    "Names",
    names,
    used.map((one) => one.names),
  )
  const values: Record<string, Value> = {}
  for (const [name, value] of Object.entries(given.ExpressionAttributeValues ?? {}))
    values[name] = checked(value)
  agree(
    "Values",
    values,
    used.map((one) => one.values),
  )
  return { names, values }
}

function agree(kind: "Names" | "Values", given: object, used: Set<string>[]): void {
  const word = kind === "Names" ? "attribute name" : "attribute value"
  for (const names of used)
    for (const name of names)
      if (!Object.hasOwn(given, name))
        throw invalid(`An expression ${word} used in expression is not defined; ${word}: ${name}`)
  for (const name in given)
    if (!used.some((names) => names.has(name)))
      throw invalid(`Value provided in ExpressionAttribute${kind} unused in expressions: keys: {${name}}`)
}

/** The path with attributes' own names. */
export function resolved(path: Path, { names }: Placeholders): Path {
  return path.map((step) => (typeof step === "string" && step.startsWith("#") ? names[step]! : step))
}
