import "#test/support/store.ts"
import { readFileSync } from "node:fs"
import { beforeAll, expect, inject, onTestFinished, test, vi } from "vitest"
import { Bridge } from "#core/bridge/bridge.ts"
import { evaluate } from "../evaluate.ts"
import { type Graph, graphOf, type Statement } from "../graph.ts"

const without = graphOf(inject("production"))
let graph: Graph

beforeAll(async () => {
  process.env.SANDBOX = "1"
  // A deploy is refused in a shell that has it.
  vi.stubEnv("ACCOUNTS_TABLE", undefined)
  graph = graphOf(await evaluate("staging"))
  vi.unstubAllEnvs()
})

test("a stage has a sandbox only where it is asked for", () => {
  expect(without.all("ecs/service:Service")).toEqual([])
  expect(without.all("efs/fileSystem:FileSystem")).toEqual([])
  for (const name of ["Api", "Stream", "Transfer", "Dashboard", "DashboardStream"].map(
    (one) => `${one}Function`,
  )) {
    expect(without.environment(name).SANDBOX).toBe("0")
    expect(graph.environment(name).SANDBOX).toBe("1")
  }
})

test("its network and its host are one task, of which there are never two, with files that outlive it", () => {
  expect(graph.one("ecs/service:Service", "SandboxHost")).toMatchObject({
    desiredCount: 1,
    propagateTags: "TASK_DEFINITION",
    deploymentMinimumHealthyPercent: 0,
    deploymentMaximumPercent: 100,
    networkConfiguration: { securityGroups: ["SandboxGroup"] },
  })
  expect(graph.one("efs/fileSystem:FileSystem", "SandboxFiles").encrypted).toBe(true)
  expect(graph.one("ecs/taskDefinition:TaskDefinition", "SandboxHostTask").volumes).toEqual([
    { name: "tmp" },
    {
      name: "data",
      efsVolumeConfiguration: expect.objectContaining({ transitEncryption: "ENABLED" }),
    },
  ])
  const container = graph.container("SandboxHostTask")
  expect(container).toMatchObject({
    user: "node",
    readonlyRootFilesystem: true,
    mountPoints: [
      { sourceVolume: "tmp", containerPath: "/tmp", readOnly: false },
      { sourceVolume: "data", containerPath: "/data", readOnly: false },
    ],
  })
  expect(container.environment).toContainEqual({ name: "HOST_NETWORK", value: "simulated" })
  expect(container.environment).toContainEqual({ name: "DATA_DIR", value: "/data" })
})

test("its image has every file that it runs, and Docker is given each", () => {
  const root = new URL("../../../", import.meta.url)
  const read = (path: string) => readFileSync(new URL(path, root), "utf8")
  const copied = [...read("session-host/sandbox.Dockerfile").matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(
    ([, files = ""]) => files.split(" ").slice(0, -1),
  )
  const ignored = read(".dockerignore").split("\n")
  expect(copied.filter((path) => !ignored.includes(`!${path.split("/")[0]}`))).toEqual([])
  for (const path of copied.filter((one) => one.startsWith("one-machine/")))
    for (const [, imported = ""] of read(path).matchAll(/from "\.\/(.+)"/g))
      expect(copied).toContain(`one-machine/${imported}`)
})

test("its files are reached by it alone, it by the function that calls hosts alone", () => {
  expect(graph.one("vpc/securityGroupIngressRule:SecurityGroupIngressRule", "SandboxToFiles")).toMatchObject({
    fromPort: 2049,
    toPort: 2049,
    referencedSecurityGroupId: "SandboxGroup",
  })
  expect(
    graph.one("vpc/securityGroupIngressRule:SecurityGroupIngressRule", "CallsToSandboxIn"),
  ).toMatchObject({
    fromPort: 8080,
    toPort: 8080,
    securityGroupId: "SandboxGroup",
    referencedSecurityGroupId: "CallsGroup",
  })
})

function actions(statements: Statement[]): string[] {
  return statements.map((one) => one.actions.toSorted().join()).toSorted()
}

/** The condition under which a statement allows something with rows of these keys alone. */
function rows(...keys: string[]) {
  return { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys } }
}

test("it may do what a host may, to sandbox bridges alone, which are known by their ids", () => {
  const [sandbox, host] = ["SandboxHostTaskRole", "SessionHostTaskRole"].map((role) =>
    graph.permissions(role),
  )
  expect(actions(sandbox!)).toEqual(actions(host!))
  const own = `${Bridge.sandboxIdPrefix}*`
  const about = (part: string) =>
    sandbox!.filter(({ resources }) => resources.some((arn) => arn.includes(part)))
  for (const table of ["SessionsTable", "EventsTable"])
    expect(about(table).map(({ conditions }) => conditions)).toEqual([rows(`BRIDGE#${own}`)])
  const leases = about("LeasesTable").filter(({ resources }) => !resources[0]!.endsWith("/index/byHost"))
  expect(leases.map(({ conditions }) => conditions)).toEqual([rows(`BRIDGE#${own}`, "HOSTS*", "PHONE#*")])
  for (const { conditions } of about("SessionKey"))
    expect(conditions).toEqual({ StringLike: { "kms:EncryptionContext:bridge": [own] } })
  expect(about("MediaBucket/").flatMap(({ resources }) => resources)).toEqual([
    `arn:aws:s3:::MediaBucket/${own}`,
  ])
  expect(about("log-stream").flatMap(({ resources }) => resources)).toEqual([
    expect.stringMatching(/\/bridges:log-stream:5a4db0c5-\*$/),
  ])
})

test("the sweep starts no host of the simulated network", () => {
  expect(graph.environment("SweepFunction")).not.toHaveProperty("SANDBOX")
  onTestFinished(() => void delete process.env.SANDBOX)
})
