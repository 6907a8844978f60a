import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import {
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  RunTaskCommand,
  StopTaskCommand,
  type RunTaskCommandInput,
} from "@aws-sdk/client-ecs"
import { expect, onTestFinished, test, vi } from "vitest"
import { startEcs } from "#one-machine/ecs/ecs.ts"
import type { TasksOptions } from "#one-machine/ecs/tasks.ts"

const child = new URL("ecs/child.ts", import.meta.url).pathname
const host = {
  command: [process.execPath, child],
  env: { NAME: "a host", GREETING: "hello" },
  takes: ["NAME", "GREETING", "STUBBORN", "EXIT_CODE", "HELPER"],
}

/** A stand-in that knows the families `host` and `broken`, and shortcuts for these tests' requests. */
async function anEcs(options: Partial<TasksOptions> = {}) {
  const said: string[] = []
  const ecs = await startEcs({
    at: { port: 0 },
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
    const request = {
      taskDefinition: "host",
      count: 1,
      clientToken: randomUUID(),
      ...environment({}),
      ...input,
    }
    const { tasks } = await client.send(new RunTaskCommand(request))
    return tasks![0]!.taskArn!
  }
  const describe = (task: string) => client.send(new DescribeTasksCommand({ tasks: [task] }))
  const shown = async (arn: string) => (await describe(arn)).tasks![0]!
  const list = async () => (await client.send(new ListTasksCommand({ desiredStatus: "RUNNING" }))).taskArns!
  const stop = (task: string) => client.send(new StopTaskCommand({ task, reason: "scaled in" }))
  const reached = (arn: string, lastStatus: string) =>
    expect.poll(async () => (await shown(arn)).lastStatus).toBe(lastStatus)
  const heard = (line: string) => expect.poll(() => said).toContain(line)
  return { ...ecs, client, said, run, describe, shown, list, stop, reached, heard }
}

const environment = (variables: Record<string, string>) => ({
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
  const { run, shown, heard, reached, pids } = await anEcs()
  const arn = await run({
    ...environment({ GREETING: "hi" }),
    taskDefinition: "arn:aws:ecs:local:000000000000:task-definition/host:3",
  })
  await heard("a host says hi")
  await reached(arn, "RUNNING")
  expect(await shown(arn)).toMatchObject({
    taskArn: arn,
    desiredStatus: "RUNNING",
    containers: [{ runtimeId: String(pids().get(arn)) }],
  })
})

test("a request with a variable that its definition does not take runs nothing: such variables run code", async () => {
  const { run, list } = await anEcs()
  const refused = run(environment({ GREETING: "hi", NODE_OPTIONS: "--import=data:text/javascript,0" }))
  await expect(refused).rejects.toThrow("host takes no variable NODE_OPTIONS.")
  expect(await list()).toEqual([])
})

test("a task gets its definition's tags if the request says so, and they are shown if they are asked for", async () => {
  const tags = [{ key: "version", value: "7" }]
  const { run, client, shown } = await anEcs({ taskDefinitions: { host: { ...host, tags } } })
  const [tagged, plain] = [await run({ propagateTags: "TASK_DEFINITION" }), await run()]
  const { tasks } = await client.send(new DescribeTasksCommand({ tasks: [tagged, plain], include: ["TAGS"] }))
  expect(tasks!.map((task) => task.tags)).toEqual([tags, undefined])
  expect((await shown(tagged)).tags).toBeUndefined()
})

test("a client token starts its task once, and is refused for another request", async () => {
  const { run, list, pids } = await anEcs()
  const request = { clientToken: "token" }
  const [first, second] = [await run(request), await run(request)]
  expect(second).toBe(first)
  expect(await list()).toEqual([first])
  expect(pids().size).toBe(1)
  await expect(run({ ...request, ...environment({ OTHER: "thing" }) })).rejects.toMatchObject({
    name: "ConflictException",
    resourceIds: [first],
  })
  expect(await run()).not.toBe(first)
})

test("a stopped task is told, and is no longer listed", async () => {
  const { run, stop, shown, list, reached, heard } = await anEcs()
  const arn = await run()
  const other = await run(environment({ GREETING: "good day" }))
  await heard("a host says hello")
  await stop(arn)
  expect(await list()).toEqual([other])

  await reached(arn, "STOPPED")
  expect(await shown(arn)).toMatchObject({
    desiredStatus: "STOPPED",
    stopCode: "UserInitiated",
    stoppedReason: "scaled in",
    containers: [{ exitCode: 143 }],
  })
})

test("a task that does not listen is killed after the stop timeout", async () => {
  const { run, stop, shown, reached, heard } = await anEcs({ stopTimeoutMs: 50 })
  const arn = await run(environment({ STUBBORN: "1" }))
  await heard("a host says hello")
  await stop(arn)
  await heard("a host stays")
  await reached(arn, "STOPPED")
  expect((await shown(arn)).containers).toMatchObject([{ exitCode: 137 }])
})

test("a task that ends by itself tells its exit code", async () => {
  const { run, shown, reached } = await anEcs()
  const arn = await run(environment({ EXIT_CODE: "3" }))
  await reached(arn, "STOPPED")
  expect(await shown(arn)).toMatchObject({
    desiredStatus: "STOPPED",
    stopCode: "EssentialContainerExited",
    stoppedReason: "Essential container in task exited",
    containers: [{ exitCode: 3 }],
  })
})

test("a task that is killed from outside is reported as stopped", async () => {
  const { run, shown, reached, heard, pids } = await anEcs()
  const arn = await run()
  await heard("a host says hello")
  process.kill(pids().get(arn)!, "SIGKILL")
  await reached(arn, "STOPPED")
  expect(await shown(arn)).toMatchObject({
    stopCode: "EssentialContainerExited",
    containers: [{ exitCode: 137 }],
  })
  expect(pids().size).toBe(0)
})

test("what a task has started ends with it, also when it is killed", async () => {
  const { run, reached, pids, said } = await anEcs()
  const arn = await run(environment({ HELPER: "1" }))
  await expect.poll(() => said.find((line) => line.startsWith("helper "))).toBeDefined()
  const helper = Number(said.find((line) => line.startsWith("helper "))!.slice("helper ".length))
  process.kill(pids().get(arn)!, "SIGKILL")
  await reached(arn, "STOPPED")
  await expect.poll(() => isAlive(helper)).toBe(false)
})

const scoreOf = (pid: number) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8"))

test.runIf(process.platform === "linux")(
  "short of memory, the kernel ends a task before this process",
  async () => {
    const { run, heard, pids } = await anEcs()
    const arn = await run()
    await heard("a host says hello")
    expect(scoreOf(pids().get(arn)!)).toBeGreaterThan(scoreOf(process.pid))
  },
)

test("a program that cannot be started is a stopped task with the reason", async () => {
  const { run, shown, reached } = await anEcs()
  const arn = await run({ taskDefinition: "broken" })
  await reached(arn, "STOPPED")
  expect(await shown(arn)).toMatchObject({
    stopCode: "TaskFailedToStart",
    stoppedReason: expect.stringContaining("CannotStartContainerError"),
  })
})

test("an unknown thing is refused in ECS's words", async () => {
  const { run, stop, describe } = await anEcs()
  const nobody = "arn:aws:ecs:local:000000000000:task/default/nobody"
  expect((await describe(nobody)).failures).toEqual([{ arn: nobody, reason: "MISSING" }])
  await expect(stop(nobody)).rejects.toMatchObject({ name: "InvalidParameterException" })
  await expect(run({ taskDefinition: "nothing" })).rejects.toMatchObject({
    name: "ClientException",
    message: "TaskDefinition not found.",
  })
})

test.each([{ count: 2 }, { startedBy: "somebody" }])(
  "what no caller of ours sends is refused, not ignored: %j",
  async (more) => {
    const { run } = await anEcs()
    await expect(run(more)).rejects.toMatchObject({ name: "InvalidParameterException" })
  },
)

test("a stopped task is forgotten after an hour", async () => {
  const { run, describe, reached } = await anEcs()
  const arn = await run(environment({ EXIT_CODE: "0" }))
  await reached(arn, "STOPPED")
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 59 * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  expect((await describe(arn)).failures).toEqual([])
  vi.setSystemTime(Date.now() + 2 * 60_000)
  expect((await describe(arn)).failures).toEqual([{ arn, reason: "MISSING" }])
})

test("closing ends all tasks, also those that do not listen", async () => {
  const { run, heard, pids, close } = await anEcs({ closeTimeoutMs: 100 })
  await run()
  await run(environment({ STUBBORN: "1", GREETING: "no" }))
  await heard("a host says no")
  const alive = [...pids().values()]
  expect(alive).toHaveLength(2)
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
