import { doorbell } from "../data/doorbell.ts"
import { events, leases } from "../data/tables.ts"
import { cluster } from "../hosts/cluster.ts"
import { host, hostCapacity, isSmall } from "../hosts/host.ts"
import { tableAccess, indexAccess } from "../iam-statement.ts"
import { hostGroup } from "../network/groups.ts"
import { hostSubnets } from "../network/subnets.ts"
import { operator } from "../stage/settings.ts"
import { stage } from "../stage/stage.ts"
import { commonArguments, settings } from "./common.ts"

/** Every revision of the task definition: a sweep that a deploy has overtaken still names the former one. */
const definitions = host.nodes.taskDefinition.arn.apply((arn) => arn.replace(/:\d+$/, ":*"))
const tasks = cluster.nodes.cluster.arn.apply((arn) => `${arn.replace(":cluster/", ":task/")}/*`)

const rights = [
  // This bounds what the tasks that it starts can do: they get these two roles or none.
  {
    actions: ["iam:PassRole"],
    resources: [host.nodes.taskRole.arn, host.nodes.executionRole.arn],
    conditions: [
      { test: "StringEquals", variable: "iam:PassedToService", values: ["ecs-tasks.amazonaws.com"] },
    ],
  },
  // Tasks get the stage's tags as they are started, and at no other time.
  {
    actions: ["ecs:TagResource"],
    resources: [tasks],
    conditions: [{ test: "StringEquals", variable: "ecs:CreateAction", values: ["RunTask"] }],
  },
]

/** In no VPC: it asks ECS. */
export const sweep = new sst.aws.Function("Sweep", {
  // The sweep's process remembers what it has observed: two at once would each see half of the time.
  ...commonArguments("Sweep", { rights, scheduled: true }),
  handler: "functions/sweep/handler.handler",
  // It stays 50 s; the last look may have hosts to start.
  timeout: "90 seconds",
  // Busy all day, so its memory is its price; Node with three AWS clients needs some 110 MB.
  memory: isSmall ? "160 MB" : "256 MB",
  environment: {
    ...settings,
    METRICS_SERVICE: "sweep",
    LEASES_TABLE: leases.name,
    EVENTS_TABLE: events.name,
    DOORBELL_URL: doorbell.url,
    HOST_CAPACITY: String(hostCapacity),
    HOST_SPARE: String(stage.spare),
    HOST_SPOT: operator.spot ? "1" : "",
    HOST_NETWORK: "live",
    ECS_CLUSTER: cluster.nodes.cluster.arn,
    ECS_TASK_DEFINITION: host.taskDefinition,
    ECS_SUBNETS: $util.all(hostSubnets.map(({ id }) => id)).apply((ids) => ids.join(",")),
    ECS_SECURITY_GROUPS: hostGroup.id,
  },
  permissions: [
    tableAccess(leases, "GetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query"),
    indexAccess(leases, "byHost"),
    indexAccess(events, "bySince"),
    // The index says which rows of deliveries may be overdue; the rows themselves say whether they are. The
    // sweep cannot open what is sealed in this table.
    tableAccess(events, "BatchGetItem", "GetItem", "UpdateItem"),
    { actions: ["sqs:SendMessage", "sqs:ChangeMessageVisibility"], resources: [doorbell.arn] },
    { actions: ["ecs:RunTask"], resources: [definitions] },
    { actions: ["ecs:DescribeTasks", "ecs:StopTask"], resources: [tasks] },
  ],
})

new sst.aws.CronV2("EachMinute", { schedule: "rate(1 minute)", function: sweep.arn })
