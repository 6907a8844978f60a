import {
  DescribeTasksCommand,
  ECSClient,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from "@aws-sdk/client-ecs"
import { requestTimes } from "#core/aws-client.ts"
import { config } from "#core/config.ts"
import { Host } from "#core/host.ts"
import { log } from "#core/log.ts"
import type { Shortage } from "#core/shortage.ts"
import { isPassing } from "#core/store.ts"
import type { Report } from "./death.ts"

const ecs = new ECSClient({ maxAttempts: 2, ...requestTimes })

/** As many as DescribeTasks takes. */
const describedAtOnce = 100

/** What the orchestrator says of a task, and why, in its own words. */
export interface Reported {
  report: Report
  why: string
}

/** What the orchestrator says of these tasks; nothing of those that run, nor where it cannot be asked. */
export async function reportsOf(tasks: string[]): Promise<Map<string, Reported>> {
  const found = new Map<string, Reported>()
  for (let from = 0; from < tasks.length; from += describedAtOnce) {
    const asked = tasks.slice(from, from + describedAtOnce)
    try {
      const answer = await ecs.send(new DescribeTasksCommand({ cluster: config.ECS_CLUSTER, tasks: asked }))
      for (const task of answer.tasks ?? []) {
        const report = reportOf(task)
        if (task.taskArn && report) found.set(task.taskArn, { report, why: whyOf(task) })
      }
      for (const failure of answer.failures ?? [])
        if (failure.arn && failure.reason === "MISSING")
          found.set(failure.arn, { report: "missing", why: "the orchestrator does not know its task" })
    } catch (error) {
      log.warn({ error }, "the orchestrator cannot be asked for its tasks")
    }
  }
  return found
}

function reportOf(task: Task): Report | undefined {
  if (task.lastStatus === "STOPPED") return "stopped"
  // A Spot interruption, a retirement, somebody's hand: it has two minutes.
  return task.desiredStatus === "STOPPED" ? "stopping" : undefined
}

function whyOf(task: Task): string {
  const [container] = task.containers ?? []
  const ended = container?.exitCode === undefined ? container?.reason : `exit code ${container.exitCode}`
  return [task.stopCode, task.stoppedReason, ended].filter((word) => word).join(": ")
}

/** `later`: it is not known, or not now, and asked again it starts one. */
export type Started = "started" | "later" | { kind: Shortage.Kind; why: string }

/** Starts the task of an announced host. Asked twice it starts one: the client token is the host's id. */
export async function run(host: Pick<Host.Info, "id" | "network">): Promise<Started> {
  const hostId = host.id
  try {
    const answer = await ecs.send(
      new RunTaskCommand({
        cluster: config.ECS_CLUSTER,
        taskDefinition: config.ECS_TASK_DEFINITION,
        count: 1,
        clientToken: hostId,
        ...placement(),
        overrides: {
          containerOverrides: [
            {
              name: "session-host",
              environment: [
                { name: "HOST_ID", value: hostId },
                { name: "HOST_NETWORK", value: host.network },
              ],
            },
          ],
        },
      }),
    )
    const task = answer.tasks?.[0]?.taskArn
    const [failure] = answer.failures ?? []
    if (!task) return refusedFor([failure?.reason, failure?.detail].filter((word) => word).join(": "))
    await Host.setTask(hostId, task)
    log.info({ hostId, task, network: host.network }, "host started")
    return "started"
  } catch (error) {
    if (!(error instanceof Error) || !isRefusal(error)) {
      log.warn({ error, hostId }, "whether a host was started is not known")
      return "later"
    }
    return refusedFor(`${error.name}: ${error.message}`)
  }
}

/** SIGTERM, and SIGKILL after the two minutes of its task definition. */
export async function stop(task: string, reason: string): Promise<void> {
  try {
    await ecs.send(new StopTaskCommand({ cluster: config.ECS_CLUSTER, task, reason }))
    log.info({ task, reason }, "task stopped")
  } catch (error) {
    // The next look asks again.
    log.warn({ error, task }, "a task was not stopped")
  }
}

/** An answer that says no, and not just not now. */
function isRefusal(error: Error): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } } // the SDK's errors
  return !isPassing(error) && $metadata?.httpStatusCode === 400
}

/** Fargate's words for what is short. */
function refusedFor(why: string): { kind: Shortage.Kind; why: string } {
  if (/limit on the number of|quota|LimitExceeded/i.test(why)) return { kind: "quota", why }
  if (/capacity is unavailable|RESOURCE:/i.test(why)) return { kind: "capacity", why }
  return { kind: "refused", why }
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
