import {
  DescribeTasksCommand,
  ECSClient,
  RunTaskCommand,
  type RunTaskCommandInput,
} from "@aws-sdk/client-ecs"
import { requestTimes } from "#core/aws-client.ts"
import { config } from "#core/config.ts"
import { Host } from "#core/host.ts"
import { log } from "#core/log.ts"
import type { Report } from "./death.ts"

const ecs = new ECSClient({ maxAttempts: 2, ...requestTimes })

/** As many as DescribeTasks takes. */
const describedAtOnce = 100

/** What the orchestrator says of these tasks; nothing of those that run, nor where it cannot be asked. */
export async function reportsOf(tasks: string[]): Promise<Map<string, Report>> {
  const found = new Map<string, Report>()
  for (let from = 0; from < tasks.length; from += describedAtOnce) {
    const asked = tasks.slice(from, from + describedAtOnce)
    try {
      const answer = await ecs.send(new DescribeTasksCommand({ cluster: config.ECS_CLUSTER, tasks: asked }))
      for (const task of answer.tasks ?? [])
        if (task.taskArn && task.lastStatus === "STOPPED") found.set(task.taskArn, "stopped")
      for (const failure of answer.failures ?? [])
        if (failure.arn && failure.reason === "MISSING") found.set(failure.arn, "missing")
    } catch (error) {
      log.warn({ error }, "the orchestrator cannot be asked for its tasks")
    }
  }
  return found
}

/**
 * Starts the task of an announced host. Asked twice it starts one: the client token is the host's id. Where it fails,
 * the next look asks again.
 */
export async function run(hostId: string): Promise<void> {
  try {
    const answer = await ecs.send(
      new RunTaskCommand({
        cluster: config.ECS_CLUSTER,
        taskDefinition: config.ECS_TASK_DEFINITION,
        count: 1,
        clientToken: hostId,
        ...placement(),
        overrides: {
          containerOverrides: [{ name: "session-host", environment: [{ name: "HOST_ID", value: hostId }] }],
        },
      }),
    )
    const task = answer.tasks?.[0]?.taskArn
    if (task) await Host.setTask(hostId, task)
    log.info({ hostId, task, failures: answer.failures }, task ? "host started" : "host could not be started")
  } catch (error) {
    log.error({ error, hostId }, "host could not be started")
  }
}

/** On AWS hosts have public addresses in place of a NAT; their security group lets in the API alone. */
function placement(): Pick<RunTaskCommandInput, "launchType" | "networkConfiguration"> {
  const { ECS_SUBNETS: subnets, ECS_SECURITY_GROUPS: securityGroups } = config
  if (subnets.length === 0) return {}
  return {
    launchType: "FARGATE",
    networkConfiguration: { awsvpcConfiguration: { subnets, securityGroups, assignPublicIp: "ENABLED" } },
  }
}
