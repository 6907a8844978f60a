import type { Context } from "hono"
import { hashOf } from "#core/account/token.ts"
import { RateLimit } from "#core/limits/rate-limit.ts"
import { addressOf } from "#functions/http/address.ts"
import type { DashboardEnv } from "../guard.ts"

/**
 * Counts a mail with a code to this address. The narrowest limits come first: what is refused by them does
 * not count against others.
 * @returns the limit that is reached, if one is
 */
export async function tooManyMails(
  c: Context<DashboardEnv>,
  email: string,
): Promise<RateLimit.Window | undefined> {
  const [asker, to] = [addressOf(c), hashOf(email)]
  const counts = [
    ["mailsBetween", `${asker} ${to}`],
    ["mailsFor", asker],
    ["mailsTo", to],
  ] as const
  for (const [scope, who] of counts) {
    const window = await RateLimit.count(scope, who)
    if (window.isExceeded) return window
  }
  return undefined
}
