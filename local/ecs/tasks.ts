import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { AwsRefusal } from "../aws/json-server.ts"
import { type Definition, type End, nowInSeconds, Task } from "./task.ts"

export interface TasksOptions {
  /** By family. Their processes must end on `disconnect` of their IPC channel, or they survive our SIGKILL. */
  taskDefinitions: Record<string, Definition>
  /** Takes the tasks' output; without it they write to this process's own. */
  log?: (line: string) => void
  /** The time from StopTask's SIGTERM to SIGKILL. */
  stopTimeoutMs?: number
  closeTimeoutMs?: number
  /** The account's quota: how many tasks may run at once. */
  maxTasks?: number
}

/** "Recently stopped tasks might appear in the returned results": ECS keeps them for at least an hour. */
const rememberedSeconds = 60 * 60

/** The tasks of an account, running or recently stopped, and ECS's operations on them. */
export class Tasks {
  readonly #options: TasksOptions
  readonly #tasks = new Map<string, Task>()
  /** By client token: the request, and the tasks it started. */
  readonly #runs = new Map<string, { request: string; arns: string[] }>()
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
    const earlier = request.clientToken ? this.#runs.get(request.clientToken) : undefined
    if (earlier) return { tasks: this.#again(earlier, request).map(withTags), failures: [] }

    const alive = [...this.#tasks.values()].filter((task) => task.stoppedAt === undefined).length
    if (alive + request.count > (this.#options.maxTasks ?? Infinity))
      throw new AwsRefusal(
        "ClientException",
        "You've reached the limit on the number of vCPUs you can run concurrently",
      )

    const started = Array.from({ length: request.count }, () => {
      const propagated = request.propagateTags ? (definition.tags ?? []) : []
      const tags = [...propagated, ...request.tags]
      const task = new Task({ ...request, family, tags }, definition, this.#options.log)
      this.#tasks.set(task.arn, task)
      return task
    })
    if (request.clientToken)
      this.#runs.set(request.clientToken, {
        request: JSON.stringify(request),
        arns: started.map((task) => task.arn),
      })
    return { tasks: started.map(withTags), failures: [] }
  }

  /** StopTask. @throws Refusal */
  stop(call: unknown) {
    const request = StopTask.parse(call)
    const task = this.#find(request.task)
    if (!task) throw new AwsRefusal("InvalidParameterException", "The referenced task was not found.")
    const stoppedReason = request.reason ?? "Task stopped by user"
    task.stop({ stopCode: "UserInitiated", stoppedReason }, this.#stopTimeoutMs)
    return { task: task.toWire() }
  }

  /** DescribeTasks. */
  describe(call: unknown) {
    this.#forgetOld()
    const request = DescribeTasks.parse(call)
    const asked = request.tasks.map((name) => ({ name, task: this.#find(name) }))
    const shown = request.include.includes("TAGS") ? withTags : (task: Task) => task.toWire()
    return {
      tasks: asked.flatMap(({ task }) => (task ? [shown(task)] : [])),
      failures: asked.filter(({ task }) => !task).map(({ name }) => ({ arn: name, reason: "MISSING" })),
    }
  }

  /** ListTasks. */
  list(call: unknown) {
    this.#forgetOld()
    const request = ListTasks.parse(call)
    const all = [...this.#tasks.values()]
    const page = all
      .slice(request.nextToken ? all.findIndex((task) => task.arn === request.nextToken) + 1 : 0)
      .filter((task) => task.desiredStatus === request.desiredStatus)
      .filter((task) => request.family === undefined || task.run.family === request.family)
      .filter((task) => request.startedBy === undefined || task.run.startedBy === request.startedBy)
      .map((task) => task.arn)
    const taskArns = page.slice(0, request.maxResults)
    return { taskArns, nextToken: page.length > taskArns.length ? taskArns.at(-1) : undefined }
  }

  /** The living processes, by the ARN of their task. */
  pids(): Map<string, number> {
    return new Map([...this.#tasks].flatMap(([arn, { pid }]) => (pid ? [[arn, pid] as const] : [])))
  }

  /** Ends a task as the provider does of its own accord. */
  interrupt(name: string, end: End) {
    this.#find(name)?.stop(end, this.#stopTimeoutMs)
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
    // Includes tasks that somebody else has stopped with a longer time-out.
    for (const task of tasks) task.kill()
    await allEnded
  }

  get #stopTimeoutMs() {
    return this.#options.stopTimeoutMs ?? 120_000
  }

  /** Finds a task by its ARN or the last part of it. */
  #find(name: string) {
    return this.#tasks.get(name) ?? [...this.#tasks.values()].find((task) => task.arn.endsWith(`/${name}`))
  }

  /** The tasks that an earlier request under the same client token started. */
  #again(earlier: { request: string; arns: string[] }, request: object) {
    if (earlier.request !== JSON.stringify(request))
      throw new AwsRefusal("ConflictException", "The client token was used for another request.", {
        resourceIds: earlier.arns,
      })
    return earlier.arns.flatMap((arn) => this.#tasks.get(arn) ?? [])
  }

  #forgetOld() {
    const oldest = nowInSeconds() - rememberedSeconds
    for (const [arn, { stoppedAt }] of this.#tasks)
      if (stoppedAt !== undefined && stoppedAt < oldest) this.#tasks.delete(arn)
    for (const [token, { arns }] of this.#runs)
      if (!arns.some((arn) => this.#tasks.has(arn))) this.#runs.delete(token)
  }
}

const Tags = z.array(z.object({ key: z.string(), value: z.string() }))

const RunTask = z.object({
  taskDefinition: z.string(),
  cluster: z.string().default("default"),
  count: z.int().min(1).max(10).default(1),
  clientToken: z.string().max(64).optional(),
  startedBy: z.string().max(128).optional(),
  tags: Tags.default([]),
  propagateTags: z.literal("TASK_DEFINITION").optional(),
  overrides: z
    .object({
      containerOverrides: z
        .array(
          z.object({
            name: z.string().optional(),
            environment: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
          }),
        )
        .optional(),
    })
    .default({}),
})

const StopTask = z.object({ task: z.string(), reason: z.string().max(1024).optional() })

const DescribeTasks = z.object({
  tasks: z.array(z.string()).max(100),
  include: z.array(z.string()).default([]),
})

const ListTasks = z.object({
  desiredStatus: z.enum(["RUNNING", "PENDING", "STOPPED"]).default("RUNNING"),
  family: z.string().optional(),
  startedBy: z.string().optional(),
  maxResults: z.int().min(1).max(100).default(100),
  nextToken: z.string().optional(),
})

/** The family in `family`, `family:revision` or an ARN. */
function familyOf(taskDefinition: string) {
  return taskDefinition.split("/").at(-1)!.split(":")[0]!
}

function withTags(task: Task) {
  return { ...task.toWire(), tags: task.run.tags }
}

async function waited(ms: number, signal: AbortSignal) {
  await sleep(ms, undefined, { signal }).catch(() => {
    // The awaited event came earlier.
  })
}
