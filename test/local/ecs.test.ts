import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
  type ListTasksCommandInput,
  type RunTaskCommandInput,
} from "@aws-sdk/client-ecs"
import { expect, onTestFinished, test, vi } from "vitest"
import { startEcs } from "#local/ecs/ecs.ts"
import type { TasksOptions } from "#local/ecs/tasks.ts"

const child = new URL("ecs/child.ts", import.meta.url).pathname
const host = { command: [process.execPath, child], env: { NAME: "a host", GREETING: "hello" } }

/** A stand-in that knows the families `host` and `broken`, and shortcuts for these tests' requests. */
async function anEcs(options: Partial<TasksOptions> = {}) {
  const said: string[] = []
  const ecs = await startEcs({
    taskDefinitions: { host, broken: { command: ["/no/such/program"], env: {} } },
    log: (line) => said.push(line),
    ...options,
  })
  const credentials = { accessKeyId: "local", secretAccessKey: "local" }
  const client = new ECSClient({ endpoint: ecs.endpoint, region: "local", credentials, maxAttempts: 1 })
  onTestFinished(async () => {
    client.destroy()
    await ecs.close()
  })

  async function run(input: Partial<RunTaskCommandInput> = {}) {
    const { tasks } = await client.send(new RunTaskCommand({ taskDefinition: "host", ...input }))
    return tasks!.map((task) => task.taskArn!)
  }
  async function describe(...tasks: string[]) {
    return (await client.send(new DescribeTasksCommand({ tasks, include: ["TAGS"] }))).tasks!
  }
  const list = (input: ListTasksCommandInput = {}) => client.send(new ListTasksCommand(input))
  const stop = (task: string, reason?: string) => client.send(new StopTaskCommand({ task, reason }))
  const reached = (arn: string, lastStatus: string) =>
    expect.poll(async () => (await describe(arn))[0]!.lastStatus).toBe(lastStatus)
  const heard = (line: string) => expect.poll(() => said).toContain(line)
  return { ...ecs, client, said, run, describe, list, stop, reached, heard }
}

const environment = (variables: Record<string, string>): Partial<RunTaskCommandInput> => ({
  overrides: {
    containerOverrides: [
      { name: "host", environment: Object.entries(variables).map(([name, value]) => ({ name, value })) },
    ],
  },
})

/** Signal 0 reaches only living processes. */
function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // ESRCH: there is no such process.
  }
}

test("a task runs the definition's command in its environment with the overrides of the request", async () => {
  const { run, describe, heard, reached } = await anEcs()
  const tags = [{ key: "version", value: "7" }]
  const [arn] = await run({
    ...environment({ GREETING: "hi", OTHER: "thing" }),
    taskDefinition: "arn:aws:ecs:local:000000000000:task-definition/host:3",
    startedBy: "sweep",
    tags,
  })
  await heard("a host says hi")
  await reached(arn!, "RUNNING")
  const [task] = await describe(arn!)
  expect(task).toMatchObject({
    taskArn: arn,
    desiredStatus: "RUNNING",
    startedBy: "sweep",
    tags,
    containers: [{ lastStatus: "RUNNING", networkInterfaces: [{ privateIpv4Address: "127.0.0.1" }] }],
  })
  expect(task!.startedAt!.getTime()).toBeGreaterThanOrEqual(task!.createdAt!.getTime())
  expect(task!.attachments![0]!.details).toContainEqual({ name: "privateIPv4Address", value: "127.0.0.1" })
})

test("a client token starts its tasks once, and is refused for another request", async () => {
  const { run, list, pids } = await anEcs()
  const request = { clientToken: "token", count: 2 }
  const [first, second] = [await run(request), await run(request)]
  expect(second).toEqual(first)
  expect((await list()).taskArns).toEqual(first)
  expect(pids().size).toBe(2)
  await expect(run({ ...request, count: 1 })).rejects.toMatchObject({
    name: "ConflictException",
    resourceIds: first,
  })
  expect(await run({ count: 1 })).toHaveLength(1)
})

test("a stopped task is told, and is listed as stopped", async () => {
  const { run, stop, describe, list, reached, heard } = await anEcs()
  const [arn] = await run()
  const [other] = await run(environment({ GREETING: "good day" }))
  await heard("a host says hello")
  await stop(arn!.split("/").at(-1)!, "scaled in")
  expect((await list()).taskArns).toEqual([other])
  expect((await list({ desiredStatus: "STOPPED" })).taskArns).toEqual([arn])

  await reached(arn!, "STOPPED")
  expect((await describe(arn!))[0]).toMatchObject({
    stopCode: "UserInitiated",
    stoppedReason: "scaled in",
    stoppedAt: expect.any(Date),
    containers: [{ lastStatus: "STOPPED", exitCode: 143 }],
  })
})

test("a task that does not listen is killed after the stop timeout", async () => {
  const { run, stop, describe, reached, heard } = await anEcs({ stopTimeoutMs: 50 })
  const [arn] = await run(environment({ STUBBORN: "1" }))
  await heard("a host says hello")
  await stop(arn!)
  await heard("a host stays")
  await reached(arn!, "STOPPED")
  expect((await describe(arn!))[0]!.containers).toMatchObject([{ exitCode: 137 }])
})

test("a task that ends by itself tells its exit code", async () => {
  const { run, describe, reached } = await anEcs()
  const [arn] = await run(environment({ EXIT_CODE: "3" }))
  await reached(arn!, "STOPPED")
  expect((await describe(arn!))[0]).toMatchObject({
    desiredStatus: "STOPPED",
    stopCode: "EssentialContainerExited",
    stoppedReason: "Essential container in task exited",
    containers: [{ exitCode: 3 }],
  })
})

test("a task that is killed from outside is reported as stopped", async () => {
  const { run, describe, reached, heard, pids } = await anEcs()
  const [arn] = await run()
  await heard("a host says hello")
  process.kill(pids().get(arn!)!, "SIGKILL")
  await reached(arn!, "STOPPED")
  expect((await describe(arn!))[0]).toMatchObject({
    stopCode: "EssentialContainerExited",
    containers: [{ exitCode: 137 }],
  })
  expect(pids().size).toBe(0)
})

test("a program that cannot be started is a stopped task with the reason", async () => {
  const { run, describe, reached } = await anEcs()
  const [arn] = await run({ taskDefinition: "broken" })
  await reached(arn!, "STOPPED")
  expect((await describe(arn!))[0]).toMatchObject({
    stopCode: "TaskFailedToStart",
    stoppedReason: expect.stringContaining("CannotStartContainerError"),
  })
})

test("tasks are listed by family and by who started them, in pages", async () => {
  const { run, list } = await anEcs()
  const arns = await run({ startedBy: "sweep", count: 3 })
  const [other] = await run({ startedBy: "somebody" })
  expect((await list({ startedBy: "somebody" })).taskArns).toEqual([other])
  expect((await list({ family: "nothing" })).taskArns).toEqual([])

  const first = await list({ startedBy: "sweep", maxResults: 2 })
  const second = await list({ startedBy: "sweep", maxResults: 2, nextToken: first.nextToken })
  expect([...first.taskArns!, ...second.taskArns!]).toEqual(arns)
  expect(second.nextToken).toBeUndefined()
})

test("an unknown thing is refused in ECS's words", async () => {
  const { run, stop, client } = await anEcs()
  const nobody = "arn:aws:ecs:local:000000000000:task/default/nobody"
  const { failures } = await client.send(new DescribeTasksCommand({ tasks: [nobody] }))
  expect(failures).toEqual([{ arn: nobody, reason: "MISSING" }])
  await expect(stop(nobody)).rejects.toMatchObject({ name: "InvalidParameterException" })
  await expect(run({ taskDefinition: "nothing" })).rejects.toMatchObject({
    name: "ClientException",
    message: "TaskDefinition not found.",
  })
  await expect(run({ count: 11 })).rejects.toMatchObject({ name: "InvalidParameterException" })
})

test("a stopped task is forgotten after an hour", async () => {
  const { run, list, reached } = await anEcs()
  const [arn] = await run(environment({ EXIT_CODE: "0" }))
  await reached(arn!, "STOPPED")
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 59 * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect((await list({ desiredStatus: "STOPPED" })).taskArns).toEqual([arn])
  vi.setSystemTime(Date.now() + 2 * 60_000)
  expect((await list({ desiredStatus: "STOPPED" })).taskArns).toEqual([])
})

test("closing ends all tasks, also those that do not listen", async () => {
  const { run, heard, pids, close } = await anEcs({ closeTimeoutMs: 100 })
  await run({ count: 2 })
  await run(environment({ STUBBORN: "1", GREETING: "no" }))
  await heard("a host says no")
  const alive = [...pids().values()]
  expect(alive).toHaveLength(3)
  await close()
  expect(alive.filter(isAlive)).toEqual([])
})

test("no task survives the death of the stand-in", async () => {
  const parent = spawn(process.execPath, [new URL("ecs/parent.ts", import.meta.url).pathname], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [greeting] = (await once(parent.stdout, "data")) as [Buffer]
  expect(greeting.toString()).toBe("the task says hello\n")
  parent.kill("SIGKILL")
  // The output is closed only when the task has released it as well.
  await once(parent, "close")
})
