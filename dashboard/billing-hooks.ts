import type { Hono } from "hono"
import type { Account } from "#core/account/account.ts"
import type { ApiError } from "#core/error.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"
import type { Html } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"

/** What billing adds to the dashboard: the folder `billing/` fills it in. Without it there is nothing of it. */
export interface BillingPages {
  /** For an account's people. Each path is `/subscription`, or under it. */
  pages: Hono<DashboardEnv>
  /** Stripe's webhook. Its path is under `/billing`. */
  webhook: Hono<ApiEnv>
  /** The line at the head of every page of an account that does not pay. */
  paymentLine: (account: Account.Info) => Html | undefined
  /** The origins of pages to which forms may lead. */
  formTargets: () => string[]
  /**
   * Where somebody pays first whose number was refused. The number is created when they come back.
   * @returns undefined if no payment would help
   */
  paymentFirst: (
    accountId: string,
    refusal: ApiError,
    wanted: { customerRef: string; webhookUrl: string },
  ) => Promise<string | undefined>
}

let plugged: BillingPages | undefined

/** Plugs billing in, before the dashboard is made: `plugged-in/dashboard.ts` does. */
export function plugIn(pages: BillingPages): void {
  plugged = pages
}

/** Billing's part of the dashboard; undefined without it. */
export function billingPages(): BillingPages | undefined {
  return plugged
}
