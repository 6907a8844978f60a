import type { Hono } from "hono"
import type { Account } from "#core/account/account.ts"
import type { ApiError } from "#core/error.ts"
import type { ApiEnv } from "#functions/http/contract-router.ts"
import type { Html } from "./elements.ts"
import type { DashboardEnv } from "./guard.ts"

/** The parts of the dashboard that are in `billing/`. `dashboardWith` is given them. */
export interface BillingPages {
  /** The pages of a subscription, for an account's people. Each path is `/subscription` or under it. */
  pages: Hono<DashboardEnv>
  /** Stripe's webhook. Its path is under `/billing`. */
  webhook: Hono<ApiEnv>
  /**
   * A line for the head of every page but its own, while the account has something to pay; else undefined.
   */
  paymentLine: (account: Account.Info) => Html | undefined
  /** Origins that our forms may lead to, for the content security policy. */
  formTargets: () => string[]
  /**
   * Remembers a number that could not be created before a payment, and returns the path of the page to pay
   * on. The number is created when its customer has paid and comes back.
   * @returns undefined if the refusal has another reason than a payment, or nothing can be paid here
   */
  leadToPayment: (
    accountId: string,
    refusal: ApiError,
    wanted: { customerRef: string; webhookUrl: string },
  ) => Promise<string | undefined>
}
