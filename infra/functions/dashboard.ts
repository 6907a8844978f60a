import { bridgeLogs, bridgeStreams } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey, sessionKey, settingsKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { phoneSecret } from "../data/secrets.ts"
import { accounts, events, leases, requests } from "../data/tables.ts"
import { tableAccess, indexAccess, mailAccess, rowActions } from "../iam-statement.ts"
import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"
import { stripeSettings } from "./billing.ts"
import { calls } from "./calls.ts"
import { answeringSettings, commonArguments, settings } from "./common.ts"

/** The rights of both functions besides reading and writing tables. */
const both = [
  { actions: ["logs:GetLogEvents"], resources: [bridgeStreams] },
  { actions: ["lambda:InvokeFunction"], resources: [calls.arn] },
]

/** The dashboard's pages: whatever the API may do for an account, its people may do here. */
export const dashboard = aDashboard("Dashboard", {
  // A session host's answers take up to 50 s (Contract, "Time to answer").
  timeout: "55 seconds",
  memory: "512 MB",
  // Pages take no places from the API's calls, nor those from pages.
  concurrency: { reserved: stage.pages },
  // Under this secret the operator looks up phones.
  environment: { ...stripeSettings, PHONE_SECRET: phoneSecret, MEDIA_BUCKET: media.name },
  permissions: [
    tableAccess(accounts, ...rowActions, "Query", "ConditionCheckItem"),
    tableAccess(leases, ...rowActions, "Query", "BatchGetItem"),
    tableAccess(requests, ...rowActions, "Query"),
    tableAccess(events, ...rowActions, "Query", "BatchGetItem", "BatchWriteItem"),
    // Which deliveries have waited for longest, for the operator.
    indexAccess(events, "bySince"),
    { actions: ["sqs:SendMessage", "sqs:ChangeMessageVisibility"], resources: [doorbell.arn] },
    { actions: ["kms:GenerateDataKeyWithoutPlaintext"], resources: [sessionKey.arn] },
    { actions: ["kms:GenerateDataKey"], resources: [deliveryKey.arn] },
    { actions: ["kms:Decrypt"], resources: [deliveryKey.arn, settingsKey.arn] },
    // A skipped event or a changed webhook is a line in the bridge's log.
    { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [bridgeStreams] },
    // A chat shows the files of its messages, and an answer may have one.
    { actions: ["s3:GetObject"], resources: [$interpolate`${media.arn}/*`] },
    { actions: ["s3:PutObject"], resources: [$interpolate`${media.arn}/*/upload-*`] },
    ...both,
    ...mailAccess(),
  ],
})

/**
 * The streams of the pages. Each open page occupies one of this function's reserved places, so streams never
 * starve pages, the API or deliveries. This function may read rows, wake a bridge while a browser waits for
 * the bridge's code, and record that a browser was seen.
 */
export const dashboardStream = aDashboard("DashboardStream", {
  // A stream ends after a minute, and its page begins another.
  timeout: "75 seconds",
  memory: "256 MB",
  concurrency: { reserved: stage.live },
  permissions: [
    tableAccess(accounts, "GetItem", "Query", "UpdateItem"),
    tableAccess(leases, "GetItem", "UpdateItem", "BatchGetItem"),
    tableAccess(events, "GetItem", "Query", "BatchGetItem"),
    // Home and the page of a number say which sends the network refused.
    tableAccess(requests, "PutItem", "UpdateItem", "DeleteItem", "Query"),
    { actions: ["kms:Decrypt"], resources: [deliveryKey.arn, settingsKey.arn] },
    ...both,
  ],
})

/**
 * In no VPC: it sends mail, posts to customers' addresses, and streams. A function's URL does not stream
 * inside a VPC (AWS's documentation, "VPC compatibility with response streaming"; read in November 2026). So
 * `Calls` calls session hosts for it.
 */
function aDashboard(
  name: string,
  more: Pick<sst.aws.FunctionArgs, "timeout" | "memory" | "concurrency" | "permissions"> & {
    environment?: Record<string, $util.Input<string>>
  },
) {
  return new sst.aws.Function(name, {
    ...commonArguments(name, { secrets: true }),
    ...more,
    handler: "dashboard/handler.handler",
    streaming: true,
    // Its style and its scripts, and the extension that it offers.
    copyFiles: [{ from: "dashboard/assets" }, { from: "packages/passkey-extension" }],
    url: { cors: false },
    environment: {
      ...settings,
      ...answeringSettings,
      ...more.environment,
      METRICS_SERVICE: "dashboard",
      ...(operator.mailFrom && { MAIL_FROM: operator.mailFrom }),
      ...(operator.supportEmail && { SUPPORT_EMAIL: operator.supportEmail }),
      ACCOUNTS_TABLE: accounts.name,
      LEASES_TABLE: leases.name,
      EVENTS_TABLE: events.name,
      REQUESTS_TABLE: requests.name,
      DOORBELL_URL: doorbell.url,
      LOG_GROUP: bridgeLogs.name,
      CALLS_FUNCTION: calls.name,
      SESSION_WRAPPING_KEY: sessionKey.arn,
      DELIVERY_WRAPPING_KEY: deliveryKey.arn,
    },
  })
}
