import "../slow-lease-beat.ts"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createInterface } from "node:readline"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest"
import { z } from "zod"
import { dynamoDb } from "#test/support/store.ts"
import { aBridge } from "#test/support/service/bridge.ts"
import { eventsOfType, held, sendText, statusOf } from "#test/support/session/host.ts"
import { aNetwork } from "#test/support/network/network.ts"
import { codeOf } from "#test/support/session/paired.ts"
import { until } from "#test/support/until.ts"
import { FREE, Lease } from "#core/lease/lease.ts"
import { graphOf } from "../graph.ts"
import { startCloudWatchLogs } from "#test/support/cloudwatch-logs.ts"
import { metricsIn } from "../lambda.ts"
import { startAwsRecorder } from "../../support/aws-recorder.ts"
import { buildImage, commandOfImage } from "../rehearsal/image.ts"

const image = mkdtempSync(join(tmpdir(), "session-host-image-"))
const children: ChildProcess[] = []

beforeAll(() => buildImage(image), 250_000)

afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  rmSync(image, { recursive: true })
})

test("node_modules of a production installation are below 150 MB, without the packages that bring Node", () => {
  const megabytes = bytesOf(join(image, "node_modules")) / 1e6
  console.log(`node_modules of the host image: ${megabytes.toFixed(1)} MB`)
  expect(megabytes).toBeLessThan(150)
  expect(readdirSync(join(image, "node_modules")).filter((name) => name.startsWith("node-linux"))).toEqual([])
})

test.for(["arm64", "amd64"])(
  "what is compiled comes for %s, whichever machine builds",
  { timeout: 250_000 },
  (architecture) => {
    const folder = mkdtempSync(join(tmpdir(), "session-host-image-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    buildImage(folder, architecture)
    const cpu = architecture === "amd64" ? "x64" : architecture
    expect(readdirSync(join(folder, "node_modules/@img")).filter((name) => /-linux/.test(name))).toEqual([
      `sharp-libvips-linux-${cpu}`,
      `sharp-linux-${cpu}`,
    ])
  },
)

test("a host runs from it, and asks the store for nothing that its role may not do", async () => {
  const network = await aNetwork()
  const uses = new Set<string>()
  const rows = new Set<string>()
  const recorder = await startAwsRecorder(dynamoDb.endpoint, ({ action, resource, Key, Item }) => {
    uses.add(`${action} ${resource}`)
    const { S: pk } = z.object({ S: z.string().optional() }).parse((Key ?? Item)?.pk ?? {})
    if (pk !== undefined)
      rows.add(`${resource} ${pk.replace(/^HOSTS.*/, "HOSTS").replace(/^PHONE#.*/, "PHONE")}`)
  })
  onTestFinished(() => recorder.close())
  const cloudWatch = await startCloudWatchLogs()
  onTestFinished(cloudWatch.close)
  const host = startHost({
    AWS_ENDPOINT_URL_DYNAMODB: recorder.endpoint,
    SIMULATOR_URL: network.url,
    SIMULATOR_ROOT_KEY: Buffer.from(network.rootKey).toString("hex"),
    METRICS_SERVICE: "session-host",
    LOG_GROUP: "/bridges",
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudWatch.endpoint,
  })
  const lines: string[] = []
  createInterface(host.stdout!).on("line", (line) => lines.push(line))

  const exited = once(host, "exit")

  const bridge = await aBridge()
  const early = exited.then(() => Promise.reject(new Error("the host ended by itself")))
  await Promise.race([held(bridge.id), early])
  const [phone, other] = [await network.phone("Ada"), await network.phone("Bob")]
  await phone.scan(await codeOf(bridge.id))
  await until(async () => (await statusOf(bridge.id)) === "connected")
  expect(await sendText(bridge.id, other.number, "out")).toMatchObject({ status: 200 })
  await other.read({ text: "out" })
  await other.send(phone.number, "in")
  await eventsOfType(bridge.id, "message")

  host.kill("SIGTERM")
  expect(await exited).toEqual([0, null])
  expect((await Lease.get(bridge.id))?.host).toBe(FREE)

  const log = cloudWatch.lines("/bridges", bridge.id)
  expect(log).toContainEqual(expect.stringMatching(/INFO session connected$/))
  const measured = ["SendAckMs", "UnkeptMs", "EventLoopLagMs", "RssMb"]
  expect(metricsIn(lines)).toEqual(expect.arrayContaining(measured.map((name) => `session-host ${name}`)))

  // The sandbox's host may touch no others.
  const touched = [...rows].filter((row) => !row.startsWith("Requests ")).toSorted()
  const own = ["Events", "Leases", "Sessions"].map((table) => `${table} BRIDGE#${bridge.id}`)
  expect(touched).toEqual([...own, "Leases HOSTS", "Leases PHONE"].toSorted())
  expect(uses.size).toBeGreaterThan(5)
  expect(graphOf(inject("production")).denied("SessionHostTaskRole", uses)).toEqual([])
})

/** The command of the image, with an environment of its own. */
function startHost(more: Record<string, string>): ChildProcess {
  const inherited =
    /^(AWS_|DOORBELL_URL|MEDIA_BUCKET|HOST_|PHONE_SECRET|[A-Z]+_WRAPPING_KEY|LEASE_BEAT_MS|LOG_LEVEL)/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => inherited.test(name)))
  const child = spawn(process.execPath, commandOfImage(), {
    cwd: image,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...env, ...more },
  })
  children.push(child)
  return child
}

/** The sum of the files' sizes. */
function bytesOf(path: string): number {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
}
