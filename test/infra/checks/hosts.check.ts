import { readFileSync } from "node:fs"
import { expect, inject, test } from "vitest"
import { graphOf } from "../graph.ts"

const graph = graphOf(inject("production"))

test("a host is a Fargate task on ARM, with little CPU and room for fifty sessions", () => {
  expect(graph.one("ecs/taskDefinition:TaskDefinition", "SessionHostTask")).toMatchObject({
    requiresCompatibilities: ["FARGATE"],
    runtimePlatform: { cpuArchitecture: "ARM64", operatingSystemFamily: "LINUX" },
    cpu: "256",
    memory: "1024",
    networkMode: "awsvpc",
  })
})

test("a host is not root, writes to /tmp alone, and has two minutes to give back its leases", () => {
  expect(graph.one("ecs/taskDefinition:TaskDefinition", "SessionHostTask").volumes).toEqual([{ name: "tmp" }])
  expect(graph.container()).toMatchObject({
    user: "node",
    readonlyRootFilesystem: true,
    mountPoints: [{ sourceVolume: "tmp", containerPath: "/tmp", readOnly: false }],
    stopTimeout: 120,
    linuxParameters: { initProcessEnabled: true },
  })
})

test("the sweep finds the container by the name that the task definition gives it", () => {
  const { name } = graph.container()
  expect(readFileSync(new URL("../../../functions/sweep/tasks.ts", import.meta.url), "utf8")).toContain(
    `"${name}"`,
  )
})

test("a host listens where the API may call it", () => {
  const { environment, portMappings } = graph.container()
  expect(environment).toContainEqual({ name: "HOST_PORT", value: "8080" })
  // In full, as ECS tells it: a second deploy finds nothing to change.
  expect(portMappings).toEqual([{ containerPort: 8080, hostPort: 8080, protocol: "tcp" }])
})

test("the sweep counts with the capacity that hosts have", () => {
  const { HOST_CAPACITY } = graph.environment("SweepFunction")
  expect(graph.container().environment).toContainEqual({ name: "HOST_CAPACITY", value: HOST_CAPACITY })
})

test.for(["Dockerfile", "sandbox.Dockerfile"])("%s runs nothing on a processor that is not there", (file) => {
  const dockerfile = readFileSync(new URL(`../../../session-host/${file}`, import.meta.url), "utf8")
  const stages = dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.startsWith("FROM "))
  expect(stages).toHaveLength(3)
  const emulated = stages.filter(
    (stage) => /^RUN /m.test(stage) && !stage.startsWith("FROM --platform=$BUILDPLATFORM "),
  )
  expect(emulated).toEqual([])
  expect(stages.at(-1)).not.toMatch(/^(RUN |FROM --platform)/m)
})

test("logs are kept for 90 days, those of customers for 14, and where roles may write them", () => {
  const groups = graph.all("cloudwatch/logGroup:LogGroup").map(({ inputs }) => inputs)
  expect(groups.map(({ name }) => String(name)).toSorted()).toEqual([
    "/messaging-bridge/production/api",
    "/messaging-bridge/production/bridges",
    "/messaging-bridge/production/calls",
    "/messaging-bridge/production/dashboard",
    "/messaging-bridge/production/dashboardstream",
    "/messaging-bridge/production/delivery",
    "/messaging-bridge/production/session-host",
    "/messaging-bridge/production/stream",
    "/messaging-bridge/production/sweep",
    "/messaging-bridge/production/transfer",
    "/messaging-bridge/production/troubles",
  ])
  for (const { name, retentionInDays } of groups)
    expect(retentionInDays).toBe(String(name).endsWith("/bridges") ? 14 : 90)
  const [logs] = graph.permissions("SessionHostExecutionRole").slice(-1)
  expect(logs!.resources).toEqual([
    expect.stringContaining(":log-group:/messaging-bridge/production/session-host:*"),
  ])
})
