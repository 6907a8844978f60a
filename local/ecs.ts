import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"
import { seconds, Task, type Definition } from "./ecs-task.ts"

export interface Ecs {
  /** For `AWS_ENDPOINT_URL_ECS`. Any region, cluster and credentials will do. */
  endpoint: string
  /** The processes that are alive, by the ARN of their task: for who wants to kill one. */
  pids: () => Map<string, number>
  /** The next requests for this action are refused so, in ECS's words; further ones are answered again. */
  refuse: (action: "RunTask" | "StopTask" | "DescribeTasks", refusal: Refusal, times?: number) => void
  /** What the provider does by itself (a Spot interruption, a retirement): SIGTERM, SIGKILL after the stop timeout. */
  interrupt: (task: string, end: { stopCode: string; stoppedReason: string }) => void
  /** Ends all tasks and waits for it: SIGTERM, SIGKILL when `closeTimeoutMs` have passed. */
  close: () => Promise<void>
}

/** An error with its code, or a request that is answered with a failure in place of a task. */
type Refusal = { code: string; message: string } | { failure: string }

export interface Options {
  /** Any free one if absent. */
  port?: number
  /** By family. Their processes must end on `disconnect` of their IPC channel, else they outlive a SIGKILL. */
  taskDefinitions: Record<string, Definition>
  /** Takes the tasks' output; without it they write where this process does. */
  log?: (line: string) => void
  /** From StopTask's SIGTERM to SIGKILL. */
  stopTimeoutMs?: number
  closeTimeoutMs?: number
  /** Of tasks at once: the account's quota. */
  maxTasks?: number
}

/** "Recently stopped tasks might appear in the returned results": ECS keeps them for an hour at least. */
const rememberedSeconds = 60 * 60

/**
 * An ECS on 127.0.0.1 whose tasks are child processes: RunTask, StopTask, DescribeTasks, ListTasks. Rejects
 * if the port is taken.
 */
export async function startEcs(options: Options): Promise<Ecs> {
  const stopTimeoutMs = options.stopTimeoutMs ?? 120_000
  const tasks = new Map<string, Task>()
  /** By client token: the request, and what it started. */
  const runs = new Map<string, { request: string; arns: string[] }>()
  const refusals = new Map<string, Refusal[]>()
  let closing = false

  function runTask(body: unknown) {
    const request = valid(RunTask, body)
    const family = familyOf(request.taskDefinition)
    const definition = options.taskDefinitions[family]
    if (!definition) throw new EcsError("ClientException", "TaskDefinition not found.")
    if (closing) throw new EcsError("ServerException", "Going down.")
    const earlier = request.clientToken ? runs.get(request.clientToken) : undefined
    if (earlier) return { tasks: again(earlier, request).map(withTags), failures: [] }

    const alive = [...tasks.values()].filter((task) => task.stoppedAt === undefined).length
    if (alive + request.count > (options.maxTasks ?? Infinity))
      throw new EcsError(
        "ClientException",
        "You've reached the limit on the number of vCPUs you can run concurrently",
      )

    const started = Array.from({ length: request.count }, () => {
      const task = new Task({ ...request, family }, definition, options.log)
      tasks.set(task.arn, task)
      return task
    })
    if (request.clientToken)
      runs.set(request.clientToken, {
        request: JSON.stringify(request),
        arns: started.map((task) => task.arn),
      })
    return { tasks: started.map(withTags), failures: [] }
  }

  function again(earlier: { request: string; arns: string[] }, request: object) {
    if (earlier.request !== JSON.stringify(request))
      throw new EcsError("ConflictException", "The client token was used for another request.", {
        resourceIds: earlier.arns,
      })
    return earlier.arns.flatMap((arn) => tasks.get(arn) ?? [])
  }

  function stopTask(body: unknown) {
    const request = valid(StopTask, body)
    const task = find(request.task)
    if (!task) throw new EcsError("InvalidParameterException", "The referenced task was not found.")
    const end = { stopCode: "UserInitiated", stoppedReason: request.reason ?? "Task stopped by user" }
    task.stop(end, stopTimeoutMs)
    return { task: task.toWire() }
  }

  function describeTasks(body: unknown) {
    const request = valid(DescribeTasks, body)
    const asked = request.tasks.map((name) => ({ name, task: find(name) }))
    return {
      tasks: asked.flatMap(({ task }) =>
        task ? (request.include.includes("TAGS") ? [withTags(task)] : [task.toWire()]) : [],
      ),
      failures: asked.filter(({ task }) => !task).map(({ name }) => ({ arn: name, reason: "MISSING" })),
    }
  }

  function listTasks(body: unknown) {
    const request = valid(ListTasks, body)
    const all = [...tasks.values()]
    const page = all
      .slice(request.nextToken ? all.findIndex((task) => task.arn === request.nextToken) + 1 : 0)
      .filter((task) => task.desiredStatus === request.desiredStatus)
      .filter((task) => request.family === undefined || task.run.family === request.family)
      .filter((task) => request.startedBy === undefined || task.run.startedBy === request.startedBy)
      .map((task) => task.arn)
    const taskArns = page.slice(0, request.maxResults)
    return { taskArns, nextToken: page.length > taskArns.length ? taskArns.at(-1) : undefined }
  }

  /** By ARN or by its last part. */
  function find(name: string) {
    return tasks.get(name) ?? [...tasks.values()].find((task) => task.arn.endsWith(`/${name}`))
  }

  function forgetOld() {
    for (const [arn, task] of tasks)
      if (task.stoppedAt !== undefined && task.stoppedAt < seconds() - rememberedSeconds) tasks.delete(arn)
    for (const [token, run] of runs) if (!run.arns.some((arn) => tasks.has(arn))) runs.delete(token)
  }

  const actions = new Map<string, (body: unknown) => object>([
    ["RunTask", runTask],
    ["StopTask", stopTask],
    ["DescribeTasks", describeTasks],
    ["ListTasks", listTasks],
  ])

  async function answer(request: IncomingMessage, response: ServerResponse) {
    forgetOld()
    try {
      const name = String(request.headers["x-amz-target"]).split(".").at(-1)!
      const action = actions.get(name)
      if (!action) throw new EcsError("UnsupportedFeatureException", `no action ${name}`)
      const refusal = refusals.get(name)?.shift()
      if (refusal && "code" in refusal) throw new EcsError(refusal.code, refusal.message)
      if (refusal) return send(response, 200, { tasks: [], failures: [{ reason: refusal.failure }] })
      send(response, 200, action(await json(request)))
    } catch (error) {
      const refused = error instanceof EcsError ? error : new EcsError("ClientException", String(error))
      send(response, 400, { __type: refused.code, message: refused.message, ...refused.about })
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(options.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // listening on TCP

  async function close() {
    closing = true
    const timeoutMs = options.closeTimeoutMs ?? 15_000
    const end = { stopCode: "UserInitiated", stoppedReason: "The machine goes down" }
    for (const task of tasks.values()) task.stop(end, timeoutMs)
    const allEnded = Promise.all([...tasks.values()].map((task) => task.ended))
    const patience = new AbortController()
    await Promise.race([allEnded, waited(timeoutMs, patience.signal)])
    patience.abort()
    // Also those that somebody else has told to stop, and that have longer.
    for (const task of tasks.values()) task.kill()
    await allEnded
    server.close()
    server.closeAllConnections()
  }

  function refuse(action: string, refusal: Refusal, times = 1) {
    refusals.set(action, [...(refusals.get(action) ?? []), ...Array.from({ length: times }, () => refusal)])
  }

  const interrupt: Ecs["interrupt"] = (name, end) => find(name)?.stop(end, stopTimeoutMs)

  const pids = () =>
    new Map([...tasks].flatMap(([arn, task]) => (task.pid ? [[arn, task.pid] as const] : [])))
  return { endpoint: `http://127.0.0.1:${port}`, pids, refuse, interrupt, close }
}

/** A refusal in ECS's words. */
class EcsError extends Error {
  readonly code: string
  readonly about: object

  constructor(code: string, message: string, about: object = {}) {
    super(message)
    this.code = code
    this.about = about
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

function valid<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new EcsError("InvalidParameterException", z.prettifyError(parsed.error))
}

/** Of `family`, `family:revision` or an ARN. */
function familyOf(taskDefinition: string) {
  return taskDefinition.split("/").at(-1)!.split(":")[0]!
}

function withTags(task: Task) {
  return { ...task.toWire(), tags: task.run.tags }
}

async function waited(ms: number, signal: AbortSignal) {
  await sleep(ms, undefined, { signal }).catch(() => {
    // What was waited for came earlier.
  })
}

function send(response: ServerResponse, status: number, body: object) {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.1",
    "content-length": bytes.length,
  })
  response.end(bytes)
}
