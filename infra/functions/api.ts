import { pageFiles } from "../../contract/reference/repository-pages.ts"
import { bridgeLogs, bridgeStreams } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey, sessionKey, settingsKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { accounts, events, leases, requests } from "../data/tables.ts"
import { rowActions, tableAccess } from "../iam-statement.ts"
import { calls } from "./calls.ts"
import { answeringSettings, commonArguments, settings } from "./common.ts"

/**
 * In no VPC: there it would need an endpoint for each AWS service that it asks. `Calls` calls session hosts
 * for it.
 */
export const api = new sst.aws.Function("Api", {
  ...commonArguments("Api", { secrets: true }),
  handler: "functions/api/handler.handler",
  // Every call is answered within 50 s (Contract, "Time to answer"); the router waits for 60.
  timeout: "55 seconds",
  // More than it needs: CPU comes with memory, and a customer waits for each cold start.
  memory: "1024 MB",
  url: { cors: false },
  // The pages that the API serves beside the reference.
  copyFiles: pageFiles($cli.paths.root).map((from) => ({ from })),
  environment: {
    ...settings,
    ...answeringSettings,
    METRICS_SERVICE: "api",
    ACCOUNTS_TABLE: accounts.name,
    LEASES_TABLE: leases.name,
    EVENTS_TABLE: events.name,
    REQUESTS_TABLE: requests.name,
    DOORBELL_URL: doorbell.url,
    LOG_GROUP: bridgeLogs.name,
    MEDIA_BUCKET: media.name,
    CALLS_FUNCTION: calls.name,
    SESSION_WRAPPING_KEY: sessionKey.arn,
    DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  },
  permissions: [
    // An account's sandbox is made if the account exists.
    tableAccess(accounts, ...rowActions, "Query", "ConditionCheckItem"),
    tableAccess(leases, ...rowActions, "BatchGetItem"),
    tableAccess(requests, ...rowActions, "Query"),
    // A bridge is made, changed and deleted together with the row of its delivery, which says where its
    // events go. Lists of events are read in batches, and entries that no longer belong there are removed.
    tableAccess(events, ...rowActions, "Query", "BatchGetItem", "BatchWriteItem"),
    // A customer who ends an event's wait wakes the doorbell that rests until then.
    { actions: ["sqs:SendMessage", "sqs:ChangeMessageVisibility"], resources: [doorbell.arn] },
    // A new bridge's session key is made here, and never seen here.
    { actions: ["kms:GenerateDataKeyWithoutPlaintext"], resources: [sessionKey.arn] },
    { actions: ["kms:GenerateDataKey", "kms:Decrypt"], resources: [deliveryKey.arn] },
    // Each change by a customer is a line in the bridge's log.
    { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [bridgeStreams] },
    { actions: ["lambda:InvokeFunction"], resources: [calls.arn] },
    // A presigned form for an upload has the rights of the role that signed it.
    { actions: ["s3:PutObject"], resources: [$interpolate`${media.arn}/*/upload-*`] },
    // An agent is shown the file of a message within an answer of MCP.
    { actions: ["s3:GetObject"], resources: [$interpolate`${media.arn}/*`] },
    // Its own environment.
    { actions: ["kms:Decrypt"], resources: [settingsKey.arn] },
  ],
})
