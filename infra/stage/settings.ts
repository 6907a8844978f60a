import { stage } from "./stage.ts"

/** Set by the operator: in `stages/<stage>.env`, or in the environment of `sst deploy`, which wins. */
export const operator = {
  /** Receives every alarm; without it alarms are only seen in the console. */
  email: process.env.ALARM_EMAIL || undefined,
  /** The API's own domain, in a zone of this account's Route 53; without it, the router's generated name. */
  domain: process.env.DOMAIN || undefined,
  /** `SANDBOX=1`: each account has a sandbox bridge, on a simulated network of the stage's own. */
  sandbox: process.env.SANDBOX === "1",
  /** `WAF=1`: AWS's firewall stands before the router, and refuses addresses that ask too often. */
  waf: process.env.WAF === "1",
  /** How many sessions a host has. With 1, each bridge has a task of its own, at fifty times the price. */
  hostSessions: hostSessions(process.env.HOST_SESSIONS || "50"),
  /** `SPOT=1`: hosts run on Fargate Spot, which takes them back at will. */
  spot: process.env.SPOT === "1",
  /**
   * The pepper of a stage that was removed: with it, the API keys in the kept table of accounts are valid
   * again.
   */
  pepper: pepper(process.env.API_KEY_PEPPER),
  /**
   * `REMOVABLE=1`: the keys of a kept stage may be forgotten by `sst remove`. They are never deleted by it.
   */
  removable: process.env.REMOVABLE === "1",
  /** Which version of each secret is in use; raised to rotate it (docs/operations.md, "Rotate keys"). */
  versions: {
    API_KEY_PEPPER_VERSION: version("API_KEY_PEPPER_VERSION", process.env.API_KEY_PEPPER_VERSION),
    HOST_TOKEN_VERSION: version("HOST_TOKEN_VERSION", process.env.HOST_TOKEN_VERSION),
    ROUTER_SECRET_VERSION: version("ROUTER_SECRET_VERSION", process.env.ROUTER_SECRET_VERSION),
  },
  budget: budget(),
  /**
   * The address that mail is sent from. SES has to know it or its domain; without it no sign-in codes are
   * mailed.
   */
  mailFrom: address("MAIL_FROM", process.env.MAIL_FROM),
  /** The address at which customers reach the operator. */
  supportEmail: address("SUPPORT_EMAIL", process.env.SUPPORT_EMAIL),
  /** The dashboard has the API's domain. */
  dashboardUrl:
    page("DASHBOARD_URL", process.env.DASHBOARD_URL) ||
    (process.env.DOMAIN ? `https://${process.env.DOMAIN}` : ""),
  billingUrl: page("BILLING_URL", process.env.BILLING_URL),
  /** `BILLING=stripe`: accounts pay for their numbers (docs/billing.md). */
  stripe: paid(),
}

/**
 * The settings with which the next deploy of the stage is compared: none of them is secret, and none is
 * empty.
 */
export const comparedSettings: Record<string, string> = Object.fromEntries(
  Object.entries({
    ALARM_EMAIL: operator.email,
    DOMAIN: operator.domain,
    SANDBOX: operator.sandbox ? "1" : undefined,
    WAF: operator.waf ? "1" : undefined,
    HOST_SESSIONS: operator.hostSessions === 50 ? undefined : operator.hostSessions,
    SPOT: operator.spot ? "1" : undefined,
    MAIL_FROM: operator.mailFrom,
    API_KEY_PEPPER: operator.pepper && "given",
    BILLING: operator.stripe && "stripe",
    ...operator.versions,
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
)

function hostSessions(value: string): number {
  // More have neither the memory nor the processor of a host (docs/scale.md).
  const mostSessions = 250
  if (!/^[1-9]\d{0,2}$/.test(value) || Number(value) > mostSessions)
    throw new Error(`HOST_SESSIONS cannot be "${value}": a host has 1 to ${mostSessions} sessions`)
  return Number(value)
}

function version(name: string, value = "1"): number {
  if (!/^[1-9]\d?$/.test(value)) throw new Error(`${name} cannot be "${value}"`)
  return Number(value)
}

/** Takes a pepper that `core/platform/config.ts` takes. */
function pepper(value = ""): string | undefined {
  if (value !== "" && value.length < 32) throw new Error("API_KEY_PEPPER has fewer than 32 characters")
  return value || undefined
}

/** @throws where a stage is to be paid for, and something is missing for that */
function paid(): { key: string; webhookSecret: string; price: string } | undefined {
  const { BILLING = "", STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE } = process.env
  if (BILLING === "") return undefined
  if (BILLING !== "stripe")
    throw new Error(`BILLING cannot be "${BILLING}" on AWS: set it to stripe, or leave it out`)
  if (!STRIPE_SECRET_KEY || !STRIPE_WEBHOOK_SECRET || !STRIPE_PRICE)
    throw new Error("BILLING=stripe needs STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE")
  if (!process.env.DOMAIN && !process.env.DASHBOARD_URL)
    throw new Error("BILLING=stripe needs DOMAIN or DASHBOARD_URL: Stripe sends people back there")
  return { key: STRIPE_SECRET_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, price: STRIPE_PRICE }
}

function budget(): number {
  const dollars = Number(process.env.MONTHLY_BUDGET || stage.budget)
  if (!(dollars > 0)) throw new Error(`MONTHLY_BUDGET cannot be "${process.env.MONTHLY_BUDGET}"`)
  return dollars
}

/** Takes a URL that `core/platform/config.ts` takes. */
function page(name: string, url = ""): string {
  if (url !== "" && !(/^https?:/i.test(url) && URL.canParse(url)))
    throw new Error(`${name} cannot be "${url}"`)
  return url
}

/** Takes an address that `core/platform/config.ts` takes, roughly: SES says the rest. */
function address(name: string, given = ""): string | undefined {
  if (given !== "" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(given))
    throw new Error(`${name} cannot be "${given}"`)
  return given || undefined
}
