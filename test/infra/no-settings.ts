/** The settings of a deploy (`docs/settings.md`): those of the operator's shell are none of a check's. */
const names = [
  "ALARM_EMAIL",
  "DOMAIN",
  "SANDBOX",
  "WAF",
  "HOST_SESSIONS",
  "SPOT",
  "API_KEY_PEPPER",
  "API_KEY_PEPPER_VERSION",
  "HOST_TOKEN_VERSION",
  "ROUTER_SECRET_VERSION",
  "REMOVABLE",
  "MONTHLY_BUDGET",
  "MAIL_FROM",
  "DASHBOARD_URL",
  "BILLING_URL",
  "SUPPORT_EMAIL",
  "BILLING",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "STRIPE_PRICE",
  "LOG_LEVEL",
  "WHATSAPP_WEB_VERSION",
  "RATE_LIMIT_PROVISION",
  "RATE_LIMIT_PROXY",
  "RATE_LIMIT_OTHER",
  "RATE_LIMIT_ADDRESS",
  // Settings of `npm run admin`: a deploy is refused in its shell.
  "ACCOUNTS_TABLE",
]

/** Takes them out of this process's environment, which those that it starts inherit. */
export function forgetSettings(): void {
  for (const name of names) delete process.env[name]
}
