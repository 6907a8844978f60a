import type { Context } from "hono"
import { findOrOpenAccount } from "#core/account/account-at-sign-in.ts"
import { invitationsTo } from "#core/account/accounts-of.ts"
import { AuditLog } from "#core/account/audit-log.ts"
import { Browser } from "#core/account/browser.ts"
import { Person } from "#core/account/person.ts"
import type { SignIn } from "#core/account/sign-in.ts"
import { fromWhere } from "../audit-log.ts"
import { cookie, type DashboardEnv, pageOrigin, putCookie } from "../guard.ts"

/** How long a browser stays signed in, in seconds. */
const month = 30 * 86_400

/**
 * Signs this browser in, under a new token. It goes on in the account that it showed before, if its person is
 * the same. `isNew`: whether the person is known only since this sign-in.
 * @returns where to go: those who are invited, and wanted nothing else, are asked whether they join
 */
export async function admitBrowser(
  c: Context<DashboardEnv>,
  input: SignIn.Goal & { email: string; isNew?: boolean; isStrong?: boolean },
): Promise<string> {
  const { email, next, isStrong = false } = input
  const isNew = input.isNew ?? !(await Person.isKnown(email))
  const seen = [input.accountId, await shownAccount(c, email)].filter((id) => id !== undefined)
  const { person, accountId } = await findOrOpenAccount(email, seen)
  // A sign-in is no news to a person who is new, or whose browser showed their account before.
  const isQuiet = isNew || (await shownAccount(c, email)) !== undefined
  const admitted = { personId: person.id, accountId, ...fromWhere(c), isStrong }
  const token = await Browser.admit(admitted, cookie(c, "session"))
  const entry = { by: email, act: "signed_in", about: "", ...fromWhere(c) } as const
  if (accountId !== "") await AuditLog.recordAndMail(accountId, entry, { isQuiet, origin: pageOrigin(c) })
  putCookie(c, "session", token, month)
  putCookie(c, "asking", "", 0)
  return next === "/" && (await invitationsTo(email)).length > 0 ? "/accounts" : next
}

/**
 * The account that this browser shows to the person of this address; undefined when it is another person's,
 * or it shows none.
 */
export async function shownAccount(c: Context<DashboardEnv>, email: string): Promise<string | undefined> {
  const browser = await Browser.ofToken(cookie(c, "session") ?? "")
  const person = browser && (await Person.get(browser.personId))
  return person?.email === email ? browser?.accountId : undefined
}
