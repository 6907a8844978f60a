import { tableAccess } from "../iam-statements.ts"
import { bridgeLogs, bridgeStreams } from "../data/bridge-logs.ts"
import { deliveryKey, settingsKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { apiKeyPepper, routerSecret } from "../data/secrets.ts"
import { accounts, events, requests } from "../data/tables.ts"
import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"
import { api } from "./api.ts"
import { common, limits, settings } from "./common.ts"

const base = common("Stream")

/** In no VPC: it posts to customers' addresses, and reads logs, events and media; of hosts and leases it knows nothing. */
export const stream = new sst.aws.Function("Stream", {
  ...base,
  handler: "functions/stream/handler.handler",
  streaming: true,
  // A log stream ends by itself after ten minutes (Contract, "Log stream"); media of 100 MB take one at 2 MB/s.
  timeout: "660 seconds",
  // An open log stream is paid for by the second, and waits nearly all of it: as little as Node needs.
  memory: "256 MB",
  // Each open log stream occupies one invocation. Streams must not use up what the API and the deliveries need.
  concurrency: { reserved: stage.streams },
  url: { cors: false },
  environment: {
    ...settings,
    ...limits,
    METRICS_SERVICE: "api",
    SANDBOX: operator.sandbox ? "1" : "0",
    ACCOUNTS_TABLE: accounts.name,
    EVENTS_TABLE: events.name,
    REQUESTS_TABLE: requests.name,
    MEDIA_BUCKET: media.name,
    LOG_GROUP: bridgeLogs.name,
    API_FUNCTION: api.name,
    DELIVERY_WRAPPING_KEY: deliveryKey.arn,
    API_KEY_PEPPER: apiKeyPepper,
    ROUTER_SECRET: routerSecret.current,
    ...(routerSecret.before && { ROUTER_SECRET_BEFORE: routerSecret.before }),
  },
  permissions: [
    tableAccess(accounts, "GetItem", "Query"),
    tableAccess(events, "GetItem", "Query"),
    tableAccess(requests, "PutItem", "UpdateItem", "DeleteItem"),
    { actions: ["logs:GetLogEvents"], resources: [bridgeStreams] },
    { actions: ["s3:GetObject"], resources: [$interpolate`${media.arn}/*`] },
    { actions: ["lambda:InvokeFunction"], resources: [api.arn] },
    { actions: ["kms:Decrypt"], resources: [deliveryKey.arn, settingsKey.arn] },
  ],
  transform: {
    ...base.transform,
    function: (args) => {
      args.kmsKeyArn = settingsKey.arn
    },
  },
})
