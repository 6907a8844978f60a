import { bridgeLogs } from "../data/bridge-logs.ts"
import { doorbell } from "../data/doorbell.ts"
import { deliveryKey, sessionKey, settingsKey } from "../data/keys.ts"
import { media } from "../data/media.ts"
import { hostSecretsFolder } from "../data/secrets.ts"
import { events, leases, requests, sessions } from "../data/tables.ts"
import { tableAccess, indexAccess, logAccess, onlyRows, policy, type Statement } from "../iam-statement.ts"
import { accountId, region } from "../stage/stage.ts"

/** The prefix with which the ids of sandbox bridges begin, as `core/bridge/bridge.ts` makes them. */
const sandboxIdPrefix = "5a4db0c5-"

const changes = ["GetItem", "PutItem", "Query", "BatchWriteItem"] as const

/** The rights of every host, whichever bridges it holds. */
const common = [
  indexAccess(leases, "byHost"),
  tableAccess(requests, "UpdateItem"),
  { actions: ["sqs:SendMessage"], resources: [doorbell.arn] },
  // Without this right S3 calls a missing object forbidden.
  { actions: ["s3:ListBucket"], resources: [media.arn] },
]

const inLeases = tableAccess(leases, "GetItem", "UpdateItem", "DeleteItem", "ConditionCheckItem")
const inSessions = tableAccess(sessions, ...changes, "DeleteItem", "BatchGetItem")
const inEvents = tableAccess(events, ...changes, "UpdateItem")
const unwrapping = { actions: ["kms:Decrypt"], resources: [sessionKey.arn, deliveryKey.arn] }

/** The rights of a host's processes. Only they may read Sessions and unwrap session keys. */
export const hostPolicy = policy("session-host", [
  ...common,
  inLeases,
  inSessions,
  inEvents,
  unwrapping,
  files(""),
  logs(""),
])

/**
 * The rights of the sandbox's host: those of any host, but for sandbox bridges alone. It opens and changes
 * nothing that a real bridge keeps. Like every host it may change what all share: the rows of hosts
 * (`HOSTS*`), those that say which number is where (`PHONE#*`), and those of idempotency keys (Requests).
 */
export const sandboxPolicy = policy("sandbox-host", [
  ...common,
  onlyRows(inLeases, `BRIDGE#${sandboxIdPrefix}*`, "HOSTS*", "PHONE#*"),
  onlyRows(inSessions, `BRIDGE#${sandboxIdPrefix}*`),
  onlyRows(inEvents, `BRIDGE#${sandboxIdPrefix}*`),
  {
    ...unwrapping,
    conditions: [
      { test: "StringLike", variable: "kms:EncryptionContext:bridge", values: [`${sandboxIdPrefix}*`] },
    ],
  },
  files(sandboxIdPrefix),
  logs(sandboxIdPrefix),
])

/** Media of the bridges whose ids begin with `ids`. */
function files(ids: string): Statement {
  return {
    actions: ["s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"],
    resources: [$interpolate`${media.arn}/${ids}*`],
  }
}

/** Logs of the bridges whose ids begin with `ids`. The log of a deleted bridge goes with its rows. */
function logs(ids: string): Statement {
  return {
    actions: ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DeleteLogStream"],
    resources: [$interpolate`${bridgeLogs.arn}:log-stream:${ids}*`],
  }
}

/** The rights of ECS while it starts a host that logs to this group. */
export const executionPolicy = (logs: string) =>
  policy("start", [
    {
      actions: ["ssm:GetParameters"],
      // Every version of the token: while a deploy or a replacement is under way, hosts of the former
      // revision may still be started.
      resources: [$interpolate`arn:aws:ssm:${region}:${accountId}:parameter${hostSecretsFolder}/*`],
    },
    { actions: ["kms:Decrypt"], resources: [settingsKey.arn] },
    // The one action that cannot be limited to a resource.
    { actions: ["ecr:GetAuthorizationToken"], resources: ["*"] },
    {
      actions: ["ecr:BatchCheckLayerAvailability", "ecr:GetDownloadUrlForLayer", "ecr:BatchGetImage"],
      // Where SST keeps the images of an account.
      resources: [$interpolate`arn:aws:ecr:${region}:${accountId}:repository/sst-asset`],
    },
    logAccess($interpolate`arn:aws:logs:${region}:${accountId}:log-group:${logs}`),
  ])
