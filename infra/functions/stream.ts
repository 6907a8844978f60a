import { bridgeLogs, bridgeStreams } from "../data/bridge-logs.ts"
import { deliveryKey, settingsKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { accounts, events, requests } from "../data/tables.ts"
import { type Statement, tableAccess } from "../iam-statement.ts"
import { stage } from "../stage/stage.ts"
import { api } from "./api.ts"
import { answeringSettings, commonArguments, settings } from "./common.ts"

/** Log and event streams. Each open one occupies an invocation, and is paid for by the second. */
export const stream = aStream("Stream", {
  places: stage.streams,
  environment: { EVENTS_TABLE: events.name, LOG_GROUP: bridgeLogs.name },
  permissions: [
    tableAccess(events, "GetItem", "Query"),
    { actions: ["logs:GetLogEvents"], resources: [bridgeStreams] },
  ],
})

/**
 * Downloads, contacts and webhook tests: they stream as well, or need the internet, but end by themselves.
 * They have places of their own, so that open streams do not take them.
 */
export const transfer = aStream("Transfer", {
  places: stage.transfers,
  environment: { EVENTS_TABLE: events.name, MEDIA_BUCKET: media.name },
  permissions: [
    // The row of the webhook that is tested.
    tableAccess(events, "GetItem"),
    { actions: ["s3:GetObject"], resources: [$interpolate`${media.arn}/*`] },
  ],
})

/**
 * In no VPC: it posts to customers' addresses. Of hosts and leases it knows nothing: calls that are not its
 * own it passes on to the API.
 */
function aStream(
  name: string,
  more: { places: number; environment: Record<string, $util.Input<string>>; permissions: Statement[] },
) {
  return new sst.aws.Function(name, {
    ...commonArguments(name, { secrets: true }),
    handler: "functions/stream/handler.handler",
    streaming: true,
    // A log stream ends by itself after ten minutes (Contract, "Streams"); media of 100 MB take one at 2
    // MB/s.
    timeout: "660 seconds",
    // It waits for nearly all of the time that is paid for, so it has only as much memory as Node needs.
    memory: "256 MB",
    // Streams must not use up the places that the API and the deliveries need.
    concurrency: { reserved: more.places },
    url: { cors: false },
    environment: {
      ...settings,
      ...answeringSettings,
      ...more.environment,
      METRICS_SERVICE: "api",
      ACCOUNTS_TABLE: accounts.name,
      REQUESTS_TABLE: requests.name,
      API_FUNCTION: api.name,
      DELIVERY_WRAPPING_KEY: deliveryKey.arn,
    },
    permissions: [
      tableAccess(accounts, "GetItem", "Query"),
      tableAccess(requests, "PutItem", "UpdateItem", "DeleteItem"),
      { actions: ["lambda:InvokeFunction"], resources: [api.arn] },
      { actions: ["kms:Decrypt"], resources: [deliveryKey.arn, settingsKey.arn] },
      ...more.permissions,
    ],
  })
}
