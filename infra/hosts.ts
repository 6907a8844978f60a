import { doorbell } from "./delivery.ts"
import { settings } from "./function.ts"
import { deliveryKey, sessionKey, settingsKey } from "./keys.ts"
import { bridgeLogs, bridgeStreams } from "./logs.ts"
import { media } from "./media.ts"
import { hostGroup, hostPort, hostSubnets } from "./network.ts"
import { logsTo, policy } from "./policy.ts"
import { hostSecrets, hostTokens } from "./secrets.ts"
import { accountId, given, region, stage } from "./stage/stage.ts"
import { events, leases, requests, sessions } from "./tables.ts"

/** Sessions of a host. 1 gives each bridge a task of its own, at forty times the price. */
export const hostCapacity = 40

export const cluster = new sst.aws.Cluster("Hosts", {
  vpc: {
    id: hostSubnets[0].vpcId,
    containerSubnets: hostSubnets.map(({ id }) => id),
    loadBalancerSubnets: [],
    securityGroups: [hostGroup.id],
  },
})

/** What the processes of a host may do: alone they read Sessions and unwrap session keys. */
const hostPolicy = policy("session-host", [
  {
    actions: [
      "dynamodb:GetItem",
      "dynamodb:UpdateItem",
      "dynamodb:DeleteItem",
      "dynamodb:ConditionCheckItem",
      "dynamodb:Query",
    ],
    resources: [leases.arn],
  },
  { actions: ["dynamodb:Query"], resources: [$interpolate`${leases.arn}/index/byHost`] },
  {
    actions: [
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
      "dynamodb:DeleteItem",
      "dynamodb:Query",
    ],
    resources: [sessions.arn, events.arn],
  },
  { actions: ["dynamodb:BatchGetItem"], resources: [sessions.arn] },
  { actions: ["dynamodb:BatchWriteItem"], resources: [sessions.arn, events.arn] },
  {
    actions: ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"],
    resources: [requests.arn],
  },
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

/** What ECS does to start one that logs there. */
const startPolicy = (logs: string) =>
  policy("start", [
    {
      actions: ["ssm:GetParameters"],
      // Of every version: a host of the revision before may still be started while a deploy or a replacement is under way.
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

/** What every process that holds sessions reads. */
const hostSettings = {
  ...settings,
  ...given("WHATSAPP_WEB_VERSION"),
  METRICS_SERVICE: "session-host",
  LOG_GROUP: bridgeLogs.name,
  LEASES_TABLE: leases.name,
  SESSIONS_TABLE: sessions.name,
  EVENTS_TABLE: events.name,
  REQUESTS_TABLE: requests.name,
  DOORBELL_URL: doorbell.url,
  MEDIA_BUCKET: media.name,
  SESSION_WRAPPING_KEY: sessionKey.arn,
  DELIVERY_WRAPPING_KEY: deliveryKey.arn,
  HOST_PORT: String(hostPort),
}

/** Started and stopped by the sweep, one by one: an ECS service would choose itself whom to stop. */
export const host = hostTask("SessionHost", {
  // What the sweep names when it starts a task.
  container: "session-host",
  dockerfile: "session-host/Dockerfile",
  // Twenty sessions at rest need a twentieth of this; a burst of offline messages all of it.
  cpu: "0.25 vCPU",
  // 140 MB for the process, 5 MB a session in use, and a picture of 25 megapixels being decoded.
  memory: "1 GB",
  environment: { HOST_CAPACITY: String(hostCapacity), HOST_NETWORK: "live" },
})

interface HostTask {
  /** The only container; also where its log is. */
  container: string
  dockerfile: string
  cpu: sst.aws.TaskArgs["cpu"]
  memory: sst.aws.TaskArgs["memory"]
  /** Beside what every host reads. */
  environment: Record<string, string>
  /** Beside `/tmp`: where they are mounted, and what they are. */
  volumes?: { path: string; volume: aws.types.input.ecs.TaskDefinitionVolume }[]
}

/** A task that holds sessions, with the rights of hosts and no others. */
export function hostTask(name: string, about: HostTask) {
  const logGroup = `/${$app.name}/${$app.stage}/${about.container}`
  const volumes = [{ path: "/tmp", volume: { name: "tmp" } }, ...(about.volumes ?? [])]
  return new sst.aws.Task(name, {
    cluster,
    architecture: "arm64",
    cpu: about.cpu,
    memory: about.memory,
    containers: [
      {
        name: about.container,
        // A cache in the registry is more than Docker's default driver can write: a first deploy would end there.
        image: { context: ".", dockerfile: about.dockerfile, cache: false },
        logging: { name: logGroup },
        environment: { ...hostSettings, ...about.environment },
        ssm: hostSecrets,
      },
    ],
    transform: {
      taskDefinition: (args) => {
        args.volumes = volumes.map(({ volume }) => volume)
        args.containerDefinitions = $util.jsonParse(args.containerDefinitions).apply((definitions) =>
          hardened(
            definitions,
            volumes.map(({ path, volume }) => ({
              sourceVolume: volume.name,
              containerPath: path,
              readOnly: false,
            })),
          ),
        )
      },
      logGroup: (args) => {
        args.retentionInDays = stage.logDays
      },
      // SST's own roles may read every secret and open a shell.
      taskRole: (args) => {
        args.inlinePolicies = [hostPolicy]
      },
      executionRole: (args) => {
        args.managedPolicyArns = []
        args.inlinePolicies = [startPolicy(logGroup)]
      },
    },
  })
}

/** What ECS knows and SST has no word for. */
function hardened(definitions: object[], mountPoints: object[]) {
  return JSON.stringify(
    definitions.map((definition) => ({
      ...definition,
      user: "node",
      readonlyRootFilesystem: true,
      mountPoints,
      // From SIGTERM to SIGKILL; the most that Fargate gives. Sends end within 10 s, then leases are given back.
      stopTimeout: 120,
      // In full, as ECS gives it back: what differs from that is a new task definition at every deploy.
      portMappings: [{ containerPort: hostPort, hostPort, protocol: "tcp" }],
      pseudoTerminal: false,
    })),
  )
}
