import { AccountName } from "#core/account/account-name.ts"
import { invalid } from "#core/error.ts"

/** The fields of a form that are text, or an empty text. */
export function textsOf<Name extends string>(
  form: Record<string, unknown>,
  ...names: Name[]
): Record<Name, string> {
  const entries = names.map((name) => [name, typeof form[name] === "string" ? form[name] : ""])
  return Object.fromEntries(entries) as Record<Name, string> // each of the names is there
}

/** A name as somebody typed it. @throws ApiError `invalid_request` for one that is too long */
export function nameIn(text: string): string {
  const name = text.trim().toWellFormed()
  if (AccountName.isTooLong(name))
    throw invalid([{ path: "name", message: `at most ${AccountName.longest} characters` }])
  return name
}
