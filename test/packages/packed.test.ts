import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { CreateTableCommand, DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { z } from "zod"

// What is packed, in a folder of its own, where nothing of this repository is but the packages that it names.

const root = new URL("../../", import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), "packed-"))
const About = z.object({
  bin: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()),
})

beforeAll(() => () => rmSync(folder, { recursive: true }))

const packages = readdirSync(join(root, "packages"))
const toNpm = packages.filter((name) => existsSync(join(root, "packages", name, "package.json")))
const Listed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })])

test.for(toNpm)("what is packed of %s has the project's licence", (name) => {
  const options = ["pack", "--dry-run", "--json", "--ignore-scripts"]
  const said = execFileSync("npm", options, {
    cwd: join(root, "packages", name),
    encoding: "utf8",
    stdio: "pipe",
  })
  const [{ files }] = Listed.parse(JSON.parse(said))
  expect(files.map(({ path }) => path)).toContain("LICENSE")
})

test("each package that is published has the licence as it stands in the project", () => {
  const licence = readFileSync(join(root, "LICENSE"), "utf8")
  const differ = [...toNpm, "sdk-python"].filter(
    (name) => readFileSync(join(root, "packages", name, "LICENSE"), "utf8") !== licence,
  )
  expect(differ).toEqual([])
})

/** Packs it and installs it. @returns the folder in which it lies */
function installed(name: string): string {
  const said = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: join(root, "packages", name),
    encoding: "utf8",
  })
  const modules = join(folder, name, "node_modules")
  const at = join(modules, name)
  mkdirSync(at, { recursive: true })
  const packed = join(folder, said.trim().split("\n").at(-1)!)
  execFileSync("tar", ["-xzf", packed, "-C", at, "--strip-components=1"])
  const { dependencies } = About.parse(JSON.parse(readFileSync(join(at, "package.json"), "utf8")))
  for (const one of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, one)), { recursive: true })
    symlinkSync(join(root, "node_modules", one), join(modules, one))
  }
  return at
}

/** Runs its program. @returns it, with the first line that it prints */
async function firstLineOf(at: string, name: string, options: string[] = []) {
  const { bin = {} } = About.parse(JSON.parse(readFileSync(join(at, "package.json"), "utf8")))
  const child: ChildProcess = spawn(process.execPath, [join(at, bin[name]!), ...options], {
    cwd: folder,
    env: { PATH: process.env.PATH, SIMULATOR_CONTROL_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  })
  const [line] = (await once(createInterface({ input: child.stdout! }), "line")) as [string]
  return { child, line }
}

test("the packed store answers Amazon's client, and has what it answered after it was killed", async () => {
  const at = installed("dynamodb-on-sqlite")
  const path = join(folder, "data")
  mkdirSync(path)
  const options = ["--port", "0", "--path", path]
  const first = await firstLineOf(at, "dynamodb-on-sqlite", options)
  const client = clientOf(first.line)
  const keys = ["pk", "sk"] as const
  await client.send(
    new CreateTableCommand({
      TableName: "Things",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: keys.map((AttributeName, n) => ({ AttributeName, KeyType: n === 0 ? "HASH" : "RANGE" })),
    }),
  )
  const Item = { pk: { S: "a" }, sk: { S: "b" }, text: { S: "kept" } }
  await client.send(new PutItemCommand({ TableName: "Things", Item }))
  first.child.kill("SIGKILL")
  await once(first.child, "exit")
  const again = clientOf((await firstLineOf(at, "dynamodb-on-sqlite", options)).line)
  const Key = { pk: Item.pk, sk: Item.sk }
  expect((await again.send(new GetItemCommand({ TableName: "Things", Key }))).Item).toEqual(Item)
})

function clientOf(endpoint: string): DynamoDBClient {
  const credentials = { accessKeyId: "any", secretAccessKey: "any" }
  const client = new DynamoDBClient({ endpoint, region: "eu-central-1", credentials })
  onTestFinished(() => client.destroy())
  return client
}

test("the packed network runs alone, and its phones can be asked for", async () => {
  const { line } = await firstLineOf(installed("whatsapp-simulator"), "whatsapp-simulator")
  const { control_url } = z.object({ control_url: z.string() }).parse(JSON.parse(line))
  expect((await fetch(`${control_url}/openapi.json`)).status).toBe(200)
  expect(await (await fetch(control_url)).text()).toContain("<html")
})

test("the packed Stripe starts, and ends", async () => {
  const at = installed("pretend-stripe")
  const { startPretendStripe } = (await import(join(at, "dist/start.js"))) as {
    startPretendStripe: (input: object) => Promise<{ url: string; close: () => Promise<void> }>
  }
  const pretend = await startPretendStripe({ webhookUrl: "http://127.0.0.1:1/", webhookSecret: "whsec_x" })
  expect((await fetch(new URL("/v1/prices", pretend.url))).status).toBe(401)
  await pretend.close()
})
