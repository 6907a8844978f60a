import { invalid } from "../refusal.ts"
import { checkedValue, noSuchName, type Value } from "../values/value.ts"
import type { Parsed } from "./parse.ts"
import type { Path } from "./path.ts"

/** What a request says that its placeholders stand for. */
export interface GivenPlaceholders {
  ExpressionAttributeNames?: Record<string, string> | undefined
  ExpressionAttributeValues?: Record<string, unknown> | undefined
}

/** The placeholders of one request. */
export interface Placeholders {
  names: Record<string, string>
  values: Record<string, Value>
}

const members = ["ExpressionAttributeNames", "ExpressionAttributeValues"] as const

/**
 * The placeholders of a request, given all of its expressions.
 * @throws Refusal if one is missing, not used, or not a value
 */
export function placeholdersOf(
  given: GivenPlaceholders,
  expressions: (Parsed<unknown> | undefined)[],
): Placeholders {
  const used = expressions.filter((one) => one !== undefined)
  if (used.length === 0) {
    const stray = members.find((member) => given[member] !== undefined)
    if (stray) throw invalid(`${stray} can only be specified when using expressions`)
    return { names: {}, values: {} }
  }
  for (const member of members)
    if (given[member] && Object.keys(given[member]).length === 0) throw invalid(`${member} must not be empty`)
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: unchecked = {} } = given
  for (const name in names) {
    if (names[name] === "")
      throw invalid(`ExpressionAttributeNames contains invalid value: Empty attribute name for key ${name}`)
    if (names[name] === "__proto__") throw noSuchName()
  }
  const values: Record<string, Value> = {}
  for (const name in unchecked) values[name] = checkedValue(unchecked[name])
  for (const { kind, names: usedNames, values: usedValues } of used) {
    mustDefine(names, usedNames, `Invalid ${kind}: An expression attribute name used in the document path`)
    mustDefine(values, usedValues, `Invalid ${kind}: An expression attribute value used in expression`)
  }
  mustUse(
    names,
    used.map((one) => one.names),
    "ExpressionAttributeNames",
  )
  mustUse(
    values,
    used.map((one) => one.values),
    "ExpressionAttributeValues",
  )
  return { names, values }
}

function mustDefine(given: object, used: Set<string>, what: string): void {
  for (const name of used)
    if (!Object.hasOwn(given, name))
      throw invalid(`${what} is not defined; attribute ${name.startsWith("#") ? "name" : "value"}: ${name}`)
}

function mustUse(given: object, used: Set<string>[], member: string): void {
  for (const name in given)
    if (!used.some((names) => names.has(name)))
      throw invalid(`Value provided in ${member} unused in expressions: keys: {${name}}`)
}

/** The path with the attribute's own name. */
export function resolved(path: Path, given: Placeholders): Path {
  return { ...path, name: nameOf(path.name, given) }
}

/** The attribute's own name. */
export function nameOf(name: string, { names }: Placeholders): string {
  return name.startsWith("#") ? names[name]! : name
}
