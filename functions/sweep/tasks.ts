import {
  ConflictException,
  DescribeTasksCommand,
  ECSClient,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from "@aws-sdk/client-ecs"
import type { HostShortage } from "#core/lease/host-shortage.ts"
import { Host } from "#core/lease/host.ts"
import { requestTimeouts, serviceAt } from "#core/platform/aws-client-options.ts"
import { config } from "#core/platform/config.ts"
import { lazily } from "#core/platform/lazily.ts"
import { log } from "#core/platform/log.ts"
import { isPassing } from "#core/store/store.ts"
import type { Report } from "./is-host-dead.ts"

const ecs = lazily(
  () => new ECSClient({ maxAttempts: 2, ...requestTimeouts, ...serviceAt(config.AWS_ENDPOINT_URL_ECS) }),
)

/** As many as DescribeTasks takes. */
const describedAtOnce = 100

/**
 * A deploy reaches AWS's services one after the other. For this long, a refusal may come from a state in
 * between.
 */
const settlesWithinMs = 120_000

/**
 * Since when each RunTask has been refused for a reason that goes away when a deploy is complete (monotonic).
 */
let unsettledSince: number | undefined

/**
 * The orchestrator's report on a task, the reason in its own words, and whether no bridge on it can be the
 * reason.
 */
export interface TaskReport {
  report: Report
  why: string
  isBlameless: boolean
}

/** The orchestrator's reports on these tasks. Running tasks have none; nor do any, if it cannot be asked. */
export async function reportsOf(tasks: string[]): Promise<Map<string, TaskReport>> {
  const found = new Map<string, TaskReport>()
  for (let from = 0; from < tasks.length; from += describedAtOnce) {
    const asked = tasks.slice(from, from + describedAtOnce)
    try {
      const answer = await ecs.send(new DescribeTasksCommand({ cluster: config.ECS_CLUSTER, tasks: asked }))
      for (const task of answer.tasks ?? []) {
        const report = reportOf(task)
        if (task.taskArn && report)
          found.set(task.taskArn, { report, why: whyOf(task), isBlameless: isEndedFromOutside(task) })
      }
      for (const failure of answer.failures ?? [])
        if (failure.arn && failure.reason === "MISSING")
          found.set(failure.arn, {
            report: "missing",
            why: "the orchestrator does not know its task",
            isBlameless: false,
          })
    } catch (error) {
      log.warn({ error }, "the orchestrator cannot be asked for its tasks")
    }
  }
  return found
}

function reportOf(task: Task): Report | undefined {
  if (task.lastStatus === "STOPPED") return "stopped"
  // A Spot interruption, a retirement or an operator: the task has two minutes.
  return task.desiredStatus === "STOPPED" ? "stopping" : undefined
}

function whyOf(task: Task): string {
  const [container] = task.containers ?? []
  const ended = container?.exitCode === undefined ? container?.reason : `exit code ${container.exitCode}`
  return [task.stopCode, task.stoppedReason, ended].filter((word) => word).join(": ")
}

/** SIGHUP, SIGINT, SIGKILL and SIGTERM, as exit codes. A program that fails by itself gets none of them. */
const killed = [129, 130, 137, 143]

/**
 * Whether a task was ended by the provider, an operator or a kill, but not the kernel since memory was short.
 */
export function isEndedFromOutside(task: Task): boolean {
  const [container] = task.containers ?? []
  if (/OutOfMemory/.test(`${container?.reason} ${task.stoppedReason}`)) return false
  if (task.stopCode !== undefined && task.stopCode !== "EssentialContainerExited") return true
  return killed.includes(container?.exitCode ?? 0)
}

/** `later`: unknown, or not possible now; asking again starts exactly one. */
export type Started = "started" | "later" | { kind: HostShortage.Kind; why: string }

/**
 * Starts the task of an announced host. Asking twice starts one, since the client token is the host's id.
 * @param isSpotOut Spot had no room a moment ago, so it is asked for at the full price
 */
export async function runTask(host: Pick<Host.Info, "id" | "network">, isSpotOut: boolean): Promise<Started> {
  const hostId = host.id
  try {
    const answer = await ecs.send(
      new RunTaskCommand({
        cluster: config.ECS_CLUSTER,
        taskDefinition: config.ECS_TASK_DEFINITION,
        count: 1,
        clientToken: hostId,
        // The stage's tags, by which its budget counts.
        propagateTags: "TASK_DEFINITION",
        ...placement(isSpotOut),
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
    return await startedAs(host, task)
  } catch (error) {
    const before = taskOfBefore(error)
    if (before) return await startedAs(host, before)
    if (!(error instanceof Error) || !isRefusal(error)) {
      log.warn({ error, hostId }, "it is unknown whether a host was started")
      return "later"
    }
    if (isUnsettled(error)) {
      log.warn({ error, hostId }, "a host cannot be started yet")
      return "later"
    }
    return refusedFor(`${error.name}: ${error.message}`)
  }
}

async function startedAs(host: Pick<Host.Info, "id" | "network">, task: string): Promise<"started"> {
  unsettledSince = undefined
  await Host.setTask(host.id, task)
  log.info({ hostId: host.id, task, network: host.network }, "host started")
  return "started"
}

/**
 * The task of an earlier look. That look asked for this host with other parameters, which a deploy changes,
 * and did not hear the answer. ECS names what it started then. The host is replaced like any other old one.
 */
function taskOfBefore(error: unknown): string | undefined {
  return error instanceof ConflictException ? error.resourceIds?.[0] : undefined
}

/**
 * Whether a refusal comes from a deploy under way: a right or a role that IAM does not know yet, a revision
 * that is no longer active while its successor is unknown.
 */
function isUnsettled(error: Error): boolean {
  if (error.name !== "AccessDeniedException" && !/inactive|unable to assume the role/i.test(error.message)) {
    unsettledSince = undefined
    return false
  }
  unsettledSince ??= performance.now()
  return performance.now() - unsettledSince < settlesWithinMs
}

/** Sends SIGTERM, then SIGKILL after the two minutes in the task definition. */
export async function stopTask(task: string, reason: string): Promise<void> {
  try {
    await ecs.send(new StopTaskCommand({ cluster: config.ECS_CLUSTER, task, reason }))
    log.info({ task, reason }, "task stopped")
  } catch (error) {
    // The next look tries again.
    log.warn({ error, task }, "a task was not stopped")
  }
}

/** Whether the answer is a definite no, not merely a no for now. */
function isRefusal(error: Error): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } } // the SDK's errors
  return !isPassing(error) && $metadata?.httpStatusCode === 400
}

/** Recognises Fargate's words for each kind of shortage. */
function refusedFor(why: string): { kind: HostShortage.Kind; why: string } {
  if (/limit on the number of|quota|LimitExceeded/i.test(why)) return { kind: "quota", why }
  if (/capacity is unavailable|RESOURCE:/i.test(why)) return { kind: "capacity", why }
  return { kind: "refused", why }
}

/** On AWS hosts have public addresses, which saves a NAT. Their security group admits only the API. */
function placement(isSpotOut: boolean): Partial<RunTaskCommandInput> {
  const { ECS_SUBNETS: subnets, ECS_SECURITY_GROUPS: securityGroups } = config
  const isSpot = config.HOST_SPOT && !isSpotOut
  return {
    ...(isSpot
      ? { capacityProviderStrategy: [{ capacityProvider: "FARGATE_SPOT", weight: 1 }] }
      : { launchType: "FARGATE" }),
    ...(subnets.length > 0 && {
      networkConfiguration: { awsvpcConfiguration: { subnets, securityGroups, assignPublicIp: "ENABLED" } },
    }),
  }
}
