import type { Context } from "hono"
import { AccountName } from "#core/account/account-name.ts"
import { ApiError, invalid } from "#core/error.ts"
import { sentenceForPeople } from "./api-words.ts"
import { type Html, note } from "./elements.ts"

/** The fields of a form that are text, or an empty text. */
export function textsOf<Name extends string>(
  form: Record<string, unknown>,
  ...names: Name[]
): Record<Name, string> {
  const entries = names.map((name) => [name, typeof form[name] === "string" ? form[name] : ""])
  return Object.fromEntries(entries) as Record<Name, string> // each of the names is there
}

/** As `textsOf`, of the form that was sent. */
export async function typedIn<Name extends string>(
  c: Context,
  ...names: Name[]
): Promise<Record<Name, string>> {
  return textsOf(await c.req.parseBody(), ...names)
}

/** A name as a person typed it. @throws ApiError `invalid_request` for one that is too long */
export function nameIn(text: string): string {
  const name = text.trim().toWellFormed()
  if (AccountName.isTooLong(name))
    throw invalid([{ path: "name", message: `at most ${AccountName.longest} characters` }])
  return name
}

/**
 * Runs `act`.
 * @returns what it says or, if it is refused, the reason and the status of the refusal
 * @throws ApiError `not_found`, which has a page of its own
 */
export async function noticeOf(
  act: () => Promise<Html>,
): Promise<{ notice: Html; status?: ApiError["status"] }> {
  try {
    return { notice: await act() }
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "not_found") throw error
    return { notice: note("bad", sentenceForPeople(error.message)), status: error.status }
  }
}
