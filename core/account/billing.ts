export * as Billing from "./billing.ts"

import { config } from "../platform/config.ts"
import { transact, type Write } from "../store/store.ts"

/**
 * The hooks by which accounts use billing. The folder `billing/` implements these hooks. Without that folder
 * they do nothing, and no account pays. What billing adds to the dashboard is in `dashboard/billing/`.
 *
 * Both hooks return writes. The caller puts them into its own transaction, so that billing learns of a change
 * exactly if the change is made.
 */
export interface Hooks {
  /**
   * The writes that put an account under billing: from then on its subscription is what Stripe says. Empty if
   * it is under billing already.
   */
  enrolling(accountId: string): Promise<Write[]>
  /**
   * The writes that belong to a change of what an account has to pay, such as one bridge more: they make
   * billing look at the account soon. Empty if the account is not under billing.
   */
  changing(accountId: string): Promise<Write[]>
}

const none: Hooks = { enrolling: async () => [], changing: async () => [] }

let plugged: Hooks | undefined

/** Sets the hooks. Each program that changes accounts or bridges does so where it starts. */
export function plugIn(hooks: Hooks): void {
  plugged = hooks
}

/** @throws Error if bridges have to be paid for and no hooks are set: without them, bridges would be free */
function hooks(): Hooks {
  if (isOn() && !plugged) throw new Error("BILLING is set, but billing is not plugged in")
  return plugged ?? none
}

/** Whether bridges have to be paid for (`BILLING`). If not, no page or answer mentions billing. */
export function isOn(): boolean {
  return config.BILLING !== ""
}

/** As `Hooks.enrolling`; empty without billing. */
export async function enrolling(accountId: string): Promise<Write[]> {
  return await hooks().enrolling(accountId)
}

/** As `Hooks.changing`; empty without billing. */
export async function changing(accountId: string): Promise<Write[]> {
  return await hooks().changing(accountId)
}

/**
 * Makes billing look at an account soon, after a change that had no transaction for the writes of `changing`.
 */
export async function noteChange(accountId: string): Promise<void> {
  const writes = await changing(accountId)
  if (writes.length > 0) await transact(writes)
}

/**
 * The page where an account subscribes and pays: `BILLING_URL`, else the dashboard's; `""` if there is none.
 */
export function url(): string {
  const isKnown = isOn() && config.DASHBOARD_URL !== ""
  return config.BILLING_URL === "" && isKnown ? dashboardUrl("/subscription") : config.BILLING_URL
}

/**
 * The full URL of a page of the dashboard, for Stripe to send people back to.
 * @throws Error if `DASHBOARD_URL` is not set
 */
export function dashboardUrl(path: string): string {
  if (config.DASHBOARD_URL === "") throw new Error("DASHBOARD_URL is not set, and billing needs it")
  return `${config.DASHBOARD_URL.replace(/\/+$/, "")}${path}`
}
