import type { Statement } from "../graph.ts"

/** An action that somebody wants to do to a resource, and what IAM knows of the request beside that. */
export interface Wish {
  action: string
  resource: string
  context?: Record<string, string>
}

/** Whether a policy allows it, as IAM decides where nothing denies: some statement names action and resource, and holds. */
export function allows(statements: Statement[], { action, resource, context = {} }: Wish): boolean {
  return statements.some(
    (one) =>
      one.effect === "Allow" &&
      one.actions.some((pattern) => matches(pattern.toLowerCase(), action.toLowerCase())) &&
      one.resources.some((pattern) => matches(pattern, resource)) &&
      holds(one.conditions, context),
  )
}

/** `*` stands for anything, `?` for one character. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
  return new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(text)
}

/** Every one of them, each by any of its values. @throws for an operator that is not known here */
function holds(conditions: Statement["conditions"], context: Record<string, string>): boolean {
  return Object.entries(conditions).every(([operator, wanted]) => {
    if (!["StringEquals", "Bool"].includes(operator)) throw new Error(`nobody knows ${operator}`)
    return Object.entries(wanted).every(([variable, values]) => values.includes(context[variable] ?? ""))
  })
}
