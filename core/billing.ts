export * as Billing from "./billing.ts"

import { config } from "./platform/config.ts"
import { transact, type Write } from "./store/store.ts"

/**
 * What billing does for accounts: the folder `billing/` fills these in. Without it they do nothing, and nobody pays.
 * Its pages are in `dashboard/billing-hooks.ts`.
 */
export interface Hooks {
  /** Writes, as members of a transaction, after which billing follows an account. None if it does already. */
  following(accountId: string): Promise<Write[]>
  /** Writes, as members of a transaction that may change what an account has to pay. None if billing does not follow it. */
  changing(accountId: string): Promise<Write[]>
}

const none: Hooks = { following: async () => [], changing: async () => [] }

let plugged: Hooks | undefined

/** Plugs billing in: `plugged-in/` does, for each program that changes accounts or bridges. */
export function plugIn(hooks: Hooks): void {
  plugged = hooks
}

/** @throws Error where bridges are to be paid for, and this program has no billing: they would be free */
function hooks(): Hooks {
  if (isOn() && !plugged) throw new Error("BILLING is set, but billing is not plugged in")
  return plugged ?? none
}

/** Whether bridges are paid for. Where they are not, nothing of billing shows. */
export function isOn(): boolean {
  return config.BILLING !== ""
}

/** `Hooks.following` */
export async function following(accountId: string): Promise<Write[]> {
  return await hooks().following(accountId)
}

/** `Hooks.changing` */
export async function changing(accountId: string): Promise<Write[]> {
  return await hooks().changing(accountId)
}

/** What an account has to pay may have changed, and billing looks at it. */
export async function changed(accountId: string): Promise<void> {
  const writes = await changing(accountId)
  if (writes.length > 0) await transact(writes)
}

/** The page where an account subscribes and pays: the dashboard's own, unless the operator names another; `""`: none. */
export function url(): string {
  const isKnown = isOn() && config.DASHBOARD_URL !== ""
  return config.BILLING_URL === "" && isKnown ? at("/subscription") : config.BILLING_URL
}

/**
 * A page of the dashboard, as Stripe sends people back to it.
 * @throws Error when nobody said where the dashboard is
 */
export function at(path: string): string {
  if (config.DASHBOARD_URL === "") throw new Error("DASHBOARD_URL is not set, and billing needs it")
  return `${config.DASHBOARD_URL.replace(/\/+$/, "")}${path}`
}
