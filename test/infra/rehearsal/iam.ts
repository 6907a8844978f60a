import type { Statement } from "../graph.ts"

/** An action that somebody wants to do to a resource, and what IAM knows of the request beside that. */
export interface Wish {
  action: string
  resource: string
  /** By variable: one value, or those of a variable that has several, as `dynamodb:LeadingKeys`. */
  context?: Record<string, string | string[]>
}

/** Whether a policy allows it, as IAM decides where nothing denies: some statement names action and resource, and holds. */
export function allows(statements: Statement[], wish: Wish): boolean {
  return statements.some((one) =>
    one.actions.some((action) =>
      one.resources.some((resource) => grants({ ...one, actions: [action], resources: [resource] }, wish)),
    ),
  )
}

/** Whether a statement of one action and one resource allows it. */
function grants({ effect, actions, resources, conditions }: Statement, wish: Wish): boolean {
  const { action, resource, context = {} } = wish
  return (
    effect === "Allow" &&
    actions.every((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
    resources.every((pattern) => matches(pattern, resource)) &&
    holds(conditions, context)
  )
}

/** `*` stands for anything, `?` for one character. */
function matches(pattern: string, text: string): boolean {
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
