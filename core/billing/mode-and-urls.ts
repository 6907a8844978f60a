export * as Billing from "./mode-and-urls.ts"

import { config } from "../platform/config.ts"

/** Whether bridges are paid for. Where they are not, nothing of billing exists. */
export function isOn(): boolean {
  return config.BILLING !== ""
}

/** Whether Stripe is a pretend one, where no money moves. */
export function isPretend(): boolean {
  return config.BILLING === "pretend"
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

/** The origins of Stripe's pages, to which our forms lead. */
export function formTargets(): string[] {
  if (!isOn()) return []
  if (config.STRIPE_API_BASE) return [new URL(config.STRIPE_API_BASE).origin]
  return ["https://checkout.stripe.com", "https://billing.stripe.com", "https://invoice.stripe.com"]
}
