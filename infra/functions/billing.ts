import { settingsKey } from "../data/keys.ts"
import { accounts, events, leases } from "../data/tables.ts"
import { tableAccess } from "../iam-statement.ts"
import { operator } from "../stage/settings.ts"
import { calls } from "./calls.ts"
import { commonArguments, settings } from "./common.ts"

/** The settings of a process that speaks to Stripe; none where numbers are free. */
export const stripeSettings = operator.stripe && {
  STRIPE_SECRET_KEY: $util.secret(operator.stripe.key),
  STRIPE_WEBHOOK_SECRET: $util.secret(operator.stripe.webhookSecret),
  STRIPE_PRICE: operator.stripe.price,
}

/**
 * Asks Stripe about accounts that are due, and stops, wakes and deletes their bridges; undefined where
 * numbers are free.
 */
export const subscriptions = stripeSettings && looks(stripeSettings)

/** In no VPC, as it asks Stripe. `Calls` calls session hosts for it. */
function looks(stripe: Record<string, $util.Input<string>>) {
  const fn = new sst.aws.Function("Subscriptions", {
    // Two at once would ask Stripe about the same accounts. An account stays due until a look has succeeded.
    ...commonArguments("Subscriptions", { scheduled: true, secrets: true }),
    handler: "billing/scheduled.handler",
    // It looks for 45 s, and its last look may wait for Stripe and for a session host.
    timeout: "5 minutes",
    memory: "256 MB",
    environment: {
      ...settings,
      ...stripe,
      METRICS_SERVICE: "subscriptions",
      ACCOUNTS_TABLE: accounts.name,
      LEASES_TABLE: leases.name,
      EVENTS_TABLE: events.name,
      CALLS_FUNCTION: calls.name,
    },
    permissions: [
      tableAccess(accounts, "GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "ConditionCheckItem"),
      // A bridge that has not been paid for in 30 days is deleted, with its keys and the row of its delivery.
      // A free trial ends when a phone is linked that had one before: hosts list newly linked phones in this
      // table.
      tableAccess(leases, "GetItem", "UpdateItem", "DeleteItem", "Query"),
      tableAccess(events, "DeleteItem"),
      { actions: ["lambda:InvokeFunction"], resources: [calls.arn] },
      { actions: ["kms:Decrypt"], resources: [settingsKey.arn] },
    ],
  })
  new sst.aws.CronV2("LookAtDue", { schedule: "rate(1 minute)", function: fn.arn })
  new sst.aws.CronV2("LookAtAll", {
    schedule: "cron(0 3 * * ? *)",
    function: fn.arn,
    event: { all: true },
  })
  return fn
}
