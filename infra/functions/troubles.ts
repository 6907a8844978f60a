import { deliveryKey } from "../data/keys.ts"
import { accounts, events, leases, requests } from "../data/tables.ts"
import { indexAccess, mailAccess, tableAccess } from "../iam-statement.ts"
import { router } from "../router.ts"
import { operator } from "../stage/settings.ts"
import { commonArguments, settings } from "./common.ts"

/**
 * Tells customers of their numbers' troubles. In no VPC: it sends mail, and posts to customers' addresses.
 */
export const troubles = new sst.aws.Function("Troubles", {
  // Two at once would tell everything twice.
  ...commonArguments("Troubles", { scheduled: true }),
  handler: "functions/troubles/handler.handler",
  // Receivers that hang take ten seconds each. What was not told in this time is told in the next minute.
  timeout: "5 minutes",
  memory: "256 MB",
  environment: {
    ...settings,
    // Mails lead there.
    DASHBOARD_URL: operator.dashboardUrl || router.url,
    METRICS_SERVICE: "troubles",
    ...(operator.mailFrom && { MAIL_FROM: operator.mailFrom }),
    ACCOUNTS_TABLE: accounts.name,
    LEASES_TABLE: leases.name,
    EVENTS_TABLE: events.name,
    REQUESTS_TABLE: requests.name,
    DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  },
  permissions: [
    // It remembers what it has told.
    tableAccess(accounts, "GetItem", "Query", "PutItem", "DeleteItem"),
    // Which bridges are down, and which webhooks fail, from indexes that list no others.
    indexAccess(leases, "byHost"),
    indexAccess(leases, "byDown"),
    indexAccess(events, "byFailing"),
    // How many sessions hosts have, and how many are connected.
    tableAccess(leases, "BatchGetItem", "Query"),
    tableAccess(events, "GetItem", "BatchGetItem"),
    tableAccess(requests, "PutItem", "UpdateItem"),
    // Posts are signed with the secret of the number.
    { actions: ["kms:Decrypt"], resources: [deliveryKey.arn] },
    ...mailAccess(),
  ],
})

new sst.aws.CronV2("TellEachMinute", { schedule: "rate(1 minute)", function: troubles.arn })
