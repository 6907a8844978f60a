import { access, accessToIndex, logsTo, policy } from "../access.ts"
import { bridgeStreams } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey, sessionKey, settingsKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { hostTokens } from "../data/secrets.ts"
import { events, leases, requests, sessions } from "../data/tables.ts"
import { accountId, region } from "../stage/stage.ts"

const changes = ["GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "BatchWriteItem"] as const

/** The rights of the processes of a host: alone they read Sessions and unwrap session keys. */
export const hostPolicy = policy("session-host", [
  access(leases, "GetItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query"),
  accessToIndex(leases, "byHost"),
  access(sessions, ...changes, "BatchGetItem"),
  access(events, ...changes),
  access(requests, "GetItem", "UpdateItem", "DeleteItem"),
  { actions: ["sqs:SendMessage"], resources: [doorbell.arn] },
  {
    actions: ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"],
    resources: [$interpolate`${media.arn}/*`],
  },
  // Without it S3 calls a missing object forbidden, not missing.
  { actions: ["s3:ListBucket"], resources: [media.arn] },
  { actions: ["kms:Decrypt"], resources: [sessionKey.arn, deliveryKey.arn] },
  // The log of a deleted bridge goes with its rows.
  {
    actions: ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DeleteLogStream"],
    resources: [bridgeStreams],
  },
])

/** The rights that ECS has while it starts one that logs there. */
export const startPolicy = (logs: string) =>
  policy("start", [
    {
      actions: ["ssm:GetParameters"],
      // Every version: a host of the revision before may still be started while a deploy or a replacement is under way.
      resources: [$interpolate`arn:aws:ssm:${region}:${accountId}:parameter${hostTokens}/*`],
    },
    { actions: ["kms:Decrypt"], resources: [settingsKey.arn] },
    // The one action that knows no resource.
    { actions: ["ecr:GetAuthorizationToken"], resources: ["*"] },
    {
      actions: ["ecr:BatchCheckLayerAvailability", "ecr:GetDownloadUrlForLayer", "ecr:BatchGetImage"],
      // Where SST keeps the images of an account.
      resources: [$interpolate`arn:aws:ecr:${region}:${accountId}:repository/sst-asset`],
    },
    logsTo($interpolate`arn:aws:logs:${region}:${accountId}:log-group:${logs}`),
  ])
