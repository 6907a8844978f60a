import type { Context } from "hono"
import { createMiddleware } from "hono/factory"
import { Browser } from "#core/account/browser.ts"
import { SignIn } from "#core/account/sign-in.ts"
import { typedIn } from "./form.ts"
import { cookie, type DashboardEnv, putCookie } from "./guard.ts"

/**
 * Sends people who signed in long ago through the sign-in.
 * @param typed what they typed on the page `next`, to be there when they come back
 * @returns undefined when they signed in a moment ago
 */
export function unlessFresh(
  c: Context<DashboardEnv>,
  next: string,
  typed?: Record<string, string>,
): Response | undefined {
  const path = signInAgainPath(c, next, typed)
  return path === undefined ? undefined : c.redirect(path, 303)
}

/**
 * As `unlessFresh`, for a whole route. What was typed into the fields `names` is on the page when they come
 * back.
 */
export function freshOnly(pageOf: (c: Context<DashboardEnv>) => string, ...names: string[]) {
  return createMiddleware<DashboardEnv>(async (c, next) => {
    const typed = names.length === 0 ? undefined : await typedIn(c, ...names)
    return unlessFresh(c, pageOf(c), typed) ?? (await next())
  })
}

/** Where people who signed in long ago sign in again; undefined when they signed in a moment ago. */
export function signInAgainPath(
  c: Context<DashboardEnv>,
  next: string,
  typed?: Record<string, string>,
): string | undefined {
  const { browser, person } = c.var.me
  if (Browser.isFresh(browser)) return undefined
  if (typed) keepDraft(c, next, typed)
  return `/sign-in?${new URLSearchParams({ next, email: person.email, again: "1" }).toString()}`
}

/** The name of the entry in a draft that says where the draft belongs. No form has a field of this name. */
const placeName = ":place"

/** Where a draft belongs: a page, as this person sees it for this account. */
function placeOf(c: Context<DashboardEnv>, page: string): string {
  const { person, account } = c.var.me
  return [page, person.id, account.id].join(" ")
}

/**
 * The longest draft that is kept, in bytes as it is sent. A browser drops a cookie of more than 4096 (RFC
 * 6265, 6.1).
 */
const longestDraft = 3500

/**
 * Keeps a draft in the person's browser: a draft in an address could come from a stranger who sends a link.
 * One that is too long is not kept, and an older one is removed.
 */
function keepDraft(c: Context<DashboardEnv>, page: string, typed: Record<string, string>): void {
  const draft = new URLSearchParams({ ...typed, [placeName]: placeOf(c, page) }).toString()
  if (encodeURIComponent(draft).length > longestDraft) return putCookie(c, "draft", "", 0)
  putCookie(c, "draft", draft, SignIn.mailedFor)
}

/** Takes what was typed on this page before a sign-in, by the same person for the same account. */
export function takeDraft(c: Context<DashboardEnv>): URLSearchParams {
  const draft = new URLSearchParams(cookie(c, "draft"))
  if (draft.get(placeName) !== placeOf(c, c.req.path)) return new URLSearchParams()
  putCookie(c, "draft", "", 0)
  return draft
}
