import type { Statement } from "../graph.ts"

/** An action that a role wants to do to a resource, and what else IAM knows of the request. */
export interface Wish {
  action: string
  resource: string
  /** By variable: one value, or those of a variable that has several, as `dynamodb:LeadingKeys`. */
  context?: Record<string, string | string[]>
}

/** Whether a policy allows it, as IAM decides: some statement allows it, and none denies it. */
export function allows(statements: Statement[], wish: Wish): boolean {
  const said = statements.filter((one) => isAbout(one, wish)).map(({ effect }) => effect)
  return said.includes("Allow") && !said.includes("Deny")
}

/**
 * Whether a statement names the action and the resource, and its conditions hold. @throws for what is not
 * known here
 */
export function isAbout({ effect, actions, resources, conditions }: Statement, wish: Wish): boolean {
  if (effect !== "Allow" && effect !== "Deny") throw new Error(`nobody knows the effect ${effect}`)
  const { action, resource, context = {} } = wish
  return (
    actions.some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.some((pattern) => matches(pattern, resource)) &&
    holds(conditions, context)
  )
}

/** `*` stands for anything, `?` for one character. */
function matches(pattern: string, text: string): boolean {
  // A variable of IAM, or an escape.
  if (pattern.includes("${")) throw new Error(`nobody knows ${pattern}`)
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(text)
}

/** By operator, whether the values that a request has fit those that are wanted. */
const operators: Record<string, (given: string[], wanted: string[]) => boolean> = {
  StringEquals: ([given], wanted) => given !== undefined && wanted.includes(given),
  Bool: ([given], wanted) => given !== undefined && wanted.includes(given),
  StringLike: ([given], wanted) => given !== undefined && wanted.some((pattern) => matches(pattern, given)),
  // Also where the request has none: no action that names no keys may be granted under it.
  "ForAllValues:StringLike": (given, wanted) =>
    given.every((one) => wanted.some((pattern) => matches(pattern, one))),
}

/** Every one of them. @throws for an operator that is not known here */
function holds(conditions: Statement["conditions"], context: Required<Wish>["context"]): boolean {
  return Object.entries(conditions).every(([operator, wanted]) => {
    const fits = operators[operator]
    if (!fits) throw new Error(`nobody knows ${operator}`)
    return Object.entries(wanted).every(([variable, values]) =>
      fits([context[variable] ?? []].flat(), values),
    )
  })
}
