import type Stripe from "stripe"
import { Billing } from "#core/account/billing.ts"
import { config, need } from "#core/platform/config.ts"

/** How long Stripe may take for an answer, in ms: pages wait for it, and a look is repeated. */
const withinMs = 15_000
/** How often the SDK repeats a call that broke off, under one idempotency key. */
const repeats = 2

/**
 * Fixed here so that an update of the SDK, which brings a version of its own, is noticed: fields of Stripe's
 * objects move.
 */
const apiVersion = "2026-10-28.endive"

let client: Promise<Stripe> | undefined

/** The client of Stripe's API. It is loaded where it is used: a service without billing never does. */
export async function stripe(): Promise<Stripe> {
  client ??= connect()
  return await client
}

async function connect(): Promise<Stripe> {
  const { default: Client } = await import("stripe")
  return new Client(need("STRIPE_SECRET_KEY"), {
    ...(config.STRIPE_API_BASE && elsewhere(new URL(config.STRIPE_API_BASE))),
    apiVersion,
    timeout: withinMs,
    maxNetworkRetries: repeats,
    telemetry: false,
  })
}

function elsewhere({ protocol, hostname, port }: URL) {
  return { host: hostname, port, protocol: protocol === "http:" ? ("http" as const) : ("https" as const) }
}

/** Which Stripe this is: what one of them knows of an account, another does not. */
export function stripeMode(): string {
  if (isPretend()) return "pretend"
  return /^[rs]k_live_/.test(config.STRIPE_SECRET_KEY ?? "") ? "live" : "test"
}

/** Whether Stripe is a pretend one, where no money moves. */
export function isPretend(): boolean {
  return config.BILLING === "pretend"
}

/** The origins of Stripe's pages, to which our forms lead. */
export function formTargets(): string[] {
  if (!Billing.isOn()) return []
  if (config.STRIPE_API_BASE) return [new URL(config.STRIPE_API_BASE).origin]
  return ["https://checkout.stripe.com", "https://billing.stripe.com", "https://invoice.stripe.com"]
}

/** The id of an object, which Stripe gives as an id or whole. */
export function idOf(given: string | { id: string }): string {
  return typeof given === "string" ? given : given.id
}

/**
 * Whether this error is Stripe's answer: then the outcome of the call is known. A 409 does not count: another
 * call under the same key is under way.
 */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || !("statusCode" in error)) return false
  return typeof error.statusCode === "number" && error.statusCode !== 409
}

/** The object that Stripe answers with; undefined if it has no such object, or has it no more. */
export async function ifThere<Made>(asking: Promise<Made>): Promise<Made | undefined> {
  try {
    return await asking
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "resource_missing"
}

/** Whether Stripe could not be reached, or refused: an error of the SDK's, in either case. */
export function isStripeError(error: unknown): boolean {
  return error instanceof Error && "type" in error && /^Stripe\w*Error$/.test(String(error.type))
}
