import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { AwsRefusal } from "#dynamodb-on-sqlite/aws-json-server.ts"
import { type TaskDefinition, type End, Task } from "./task.ts"

export interface TasksOptions {
  /**
   * The task definitions, by family. Their processes must end on `disconnect` of their IPC channel, or they
   * survive our SIGKILL.
   */
  taskDefinitions: Record<string, TaskDefinition>
  /** Takes the tasks' output; without it they write to this process's own. */
  log?: (line: string) => void
  /** The time from StopTask's SIGTERM to SIGKILL. */
  stopTimeoutMs?: number
  closeTimeoutMs?: number
  /** The account's quota: how many tasks may run at once. */
  maxTasks?: number
  /** Whether Fargate Spot has room; it has if absent. */
  hasSpot?: () => boolean
}

/** "Recently stopped tasks might appear in the returned results": ECS keeps them for at least an hour. */
const rememberedMs = 60 * 60_000

/** What `functions/sweep/tasks.ts` tells a session host that it starts. */
const ofSessionHosts = ["HOST_ID", "HOST_NETWORK"]

/** The tasks of an account, running or recently stopped, and ECS's operations on them. */
export class Tasks {
  readonly #options: TasksOptions
  readonly #tasks = new Map<string, Task>()
  /** By client token: the request, and the task it started. */
  readonly #runs = new Map<string, { request: string; arn: string }>()
  #closing = false

  constructor(options: TasksOptions) {
    this.#options = options
  }

  /** RunTask. @throws Refusal */
  run(call: unknown) {
    this.#forgetOld()
    const request = RunTask.parse(call)
    const family = familyOf(request.taskDefinition)
    const definition = this.#options.taskDefinitions[family]
    if (!definition) throw new AwsRefusal("ClientException", "TaskDefinition not found.")
    if (this.#closing) throw new AwsRefusal("ServerException", "Going down.")
    const earlier = this.#runs.get(request.clientToken)
    if (earlier) return started(again(earlier, request))

    if (request.capacityProviderStrategy && this.#options.hasSpot?.() === false)
      return { tasks: [], failures: [{ reason: "Capacity is unavailable at this time" }] }
    const alive = [...this.#tasks.values()].filter((task) => task.stoppedAtMs === undefined).length
    if (alive >= (this.#options.maxTasks ?? Infinity))
      throw new AwsRefusal(
        "ClientException",
        "You've reached the limit on the number of vCPUs you can run concurrently",
      )

    const { cluster, propagateTags, overrides } = request
    const { environment } = overrides.containerOverrides[0]
    const { takes = ofSessionHosts } = definition
    const unknown = environment.find(({ name }) => !takes.includes(name))
    if (unknown)
      throw new AwsRefusal("InvalidParameterException", `${family} takes no variable ${unknown.name}.`)
    const run = {
      cluster,
      overrides: Object.fromEntries(environment.map(({ name, value }) => [name, value])),
      tags: propagateTags && definition.tags,
    }
    const task = new Task(run, definition, this.#options.log)
    this.#tasks.set(task.arn, task)
    this.#runs.set(request.clientToken, { request: JSON.stringify(request), arn: task.arn })
    return started(task.arn)
  }

  /** StopTask. @throws Refusal */
  stop(call: unknown) {
    const request = StopTask.parse(call)
    const task = this.#tasks.get(request.task)
    if (!task) throw new AwsRefusal("InvalidParameterException", "The referenced task was not found.")
    task.stop({ stopCode: "UserInitiated", stoppedReason: request.reason }, this.#stopTimeoutMs)
    return {}
  }

  /** DescribeTasks. */
  describe(call: unknown) {
    this.#forgetOld()
    const request = DescribeTasks.parse(call)
    const asked = request.tasks.map((arn) => ({ arn, task: this.#tasks.get(arn) }))
    return {
      tasks: asked.flatMap(({ task }) =>
        task ? [{ ...task.toWire(), tags: request.include && task.tags }] : [],
      ),
      failures: asked.filter(({ task }) => !task).map(({ arn }) => ({ arn, reason: "MISSING" })),
    }
  }

  /** ListTasks. */
  list(call: unknown) {
    const { desiredStatus } = ListTasks.parse(call)
    const listed = [...this.#tasks.values()].filter((task) => task.desiredStatus === desiredStatus)
    return { taskArns: listed.map((task) => task.arn) }
  }

  /** The living processes, by the ARN of their task. */
  pids(): Map<string, number> {
    return new Map([...this.#tasks].flatMap(([arn, { pid }]) => (pid ? [[arn, pid] as const] : [])))
  }

  /** Ends a task as AWS does of its own accord. */
  interrupt(arn: string, end: End) {
    this.#tasks.get(arn)?.stop(end, this.#stopTimeoutMs)
  }

  /** Starts no more tasks, stops all and waits for their end: SIGTERM, then SIGKILL when the time is over. */
  async close() {
    this.#closing = true
    const tasks = [...this.#tasks.values()]
    const timeoutMs = this.#options.closeTimeoutMs ?? 15_000
    const end = { stopCode: "UserInitiated", stoppedReason: "The machine goes down" }
    for (const task of tasks) task.stop(end, timeoutMs)
    const allEnded = Promise.all(tasks.map((task) => task.ended))
    const patience = new AbortController()
    await Promise.race([allEnded, waited(timeoutMs, patience.signal)])
    patience.abort()
    // Includes tasks that another caller has stopped with a longer time-out.
    for (const task of tasks) task.kill()
    await allEnded
  }

  get #stopTimeoutMs() {
    return this.#options.stopTimeoutMs ?? 120_000
  }

  #forgetOld() {
    const oldest = Date.now() - rememberedMs
    for (const [arn, { stoppedAtMs }] of this.#tasks)
      if (stoppedAtMs !== undefined && stoppedAtMs < oldest) this.#tasks.delete(arn)
    for (const [token, { arn }] of this.#runs) if (!this.#tasks.has(arn)) this.#runs.delete(token)
  }
}

// The shapes of requests. A member that is not named here is refused, not ignored: a caller would rely on
// what it does.

const RunTask = z.strictObject({
  cluster: z.string().default("default"),
  taskDefinition: z.string(),
  count: z.literal(1),
  clientToken: z.string().max(64),
  propagateTags: z.literal("TASK_DEFINITION").optional(),
  // Where AWS would run the task, and in which network: here every task is a child process.
  launchType: z.literal("FARGATE").optional(),
  capacityProviderStrategy: z
    .tuple([z.strictObject({ capacityProvider: z.literal("FARGATE_SPOT"), weight: z.literal(1) })])
    .optional(),
  networkConfiguration: z.unknown().optional(),
  overrides: z.strictObject({
    containerOverrides: z.tuple([
      z.strictObject({
        name: z.string(),
        environment: z.array(z.strictObject({ name: z.string(), value: z.string() })),
      }),
    ]),
  }),
})

/** Tasks are found by their ARN, which names the cluster. */
const Found = z.strictObject({ cluster: z.string().optional() })
const StopTask = Found.extend({ task: z.string(), reason: z.string().max(1024) })
const DescribeTasks = Found.extend({
  tasks: z.array(z.string()).max(100),
  include: z.tuple([z.literal("TAGS")]).optional(),
})

const ListTasks = z.strictObject({ desiredStatus: z.literal("RUNNING") })

/** The family in `family`, `family:revision` or an ARN. */
function familyOf(taskDefinition: string) {
  return taskDefinition.split("/").at(-1)!.split(":")[0]!
}

/** RunTask's answer. */
function started(taskArn: string) {
  return { tasks: [{ taskArn }] }
}

/** The task that an earlier request under the same client token started. */
function again(earlier: { request: string; arn: string }, request: object): string {
  if (earlier.request === JSON.stringify(request)) return earlier.arn
  throw new AwsRefusal("ConflictException", "The client token was used for another request.", {
    resourceIds: [earlier.arn],
  })
}

async function waited(ms: number, signal: AbortSignal) {
  await sleep(ms, undefined, { signal }).catch(() => {
    // The awaited event came earlier.
  })
}
