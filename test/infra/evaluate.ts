import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { listen } from "#local/listen.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const platform = join(root, ".sst/platform")

/** A resource as the engine would get it. A secret input is `{ [secretMark]: ..., value }`. */
export interface Resource {
  type: string
  name: string
  inputs: Record<string, unknown>
}

/** What the random provider makes up here, as long as the real one. */
export function madeUp(name: string): string {
  return `random-${name}`.padEnd(48, "-")
}

/** Pulumi's mark of a secret on the wire. */
export const secretMark = "4dabf18193072939515e22adb298388d"

/**
 * What `sst deploy` would ask for in a stage: our `sst.config.ts` and `infra/` through the real components of SST, whose
 * calls to AWS, to Pulumi's engine and to the `sst` program are answered here. Once in a process: the components
 * remember.
 */
export async function evaluate(stage: string): Promise<Resource[]> {
  const work = join(root, ".sst/graph", stage)
  const sst = await startSst(work)
  process.env.SST_SERVER = sst.url
  try {
    return await evaluated(stage, work)
  } finally {
    sst.close()
  }
}

async function evaluated(stage: string, work: string): Promise<Resource[]> {
  const resources: Resource[] = []
  const pulumi = await imported("node_modules/@pulumi/pulumi/index.js")
  await pulumi.runtime.setMocks(
    {
      newResource: (asked: Resource & { id?: string }) => {
        if (!/^(sst|pulumi):/.test(asked.type)) resources.push(onTheWire(asked))
        // Without an id whole branches are taken for not yet known, and vanish.
        return { id: asked.id || asked.name, state: { ...computed(asked), ...asked.inputs } }
      },
      call: (asked: { token: string; inputs: object }) => looked(asked.token, asked.inputs),
    },
    "messaging-bridge",
    stage,
    false,
  )
  Object.assign(globalThis, {
    $config: (config: object) => config,
    $dev: false,
    $cli: { command: "deploy", rpc: "", paths: { home: root, root, work, platform }, state: { version: {} } },
  })
  const { default: config } = await import(join(root, "sst.config.ts"))
  const app = config.app({ stage })
  Object.assign(globalThis, { $app: { ...app, stage, providers: app.providers ?? {} } })
  Object.assign(globalThis, await imported("src/shim/run.js"))
  for (const provider of Object.keys(app.providers))
    Object.assign(globalThis, { [provider]: await imported(`node_modules/@pulumi/${provider}/index.js`) })
  Object.assign(globalThis, { sst: await imported("src/components/index.ts") })

  const { run } = await imported("src/auto/run.ts")
  await pulumi.runtime.runInPulumiStack(() => run(config.run))
  await settled(resources)
  return resources
}

/** Resolves when no output waits for anything: what is made in an `apply` comes late. */
async function settled(resources: Resource[]): Promise<void> {
  const { getStore } = await imported("node_modules/@pulumi/pulumi/runtime/state.js")
  for (let seen = -1; getStore().leakCandidates.size > 0 || resources.length > seen;) {
    seen = resources.length
    await sleep(50)
  }
}

function onTheWire({ type, name, inputs }: Resource): Resource {
  return { type, name, inputs: JSON.parse(JSON.stringify(inputs)) }
}

async function imported(path: string) {
  return await import(join(platform, path))
}

/** What AWS would fill in. */
function computed({ type, name }: Resource): object {
  const about = { arn: `arn:aws:${type}:${name}`, name, url: `https://queue/${name}` }
  switch (type) {
    case "random:index/randomPassword:RandomPassword":
      return { result: madeUp(name) }
    case "random:index/randomBytes:RandomBytes":
      return { base64: madeUp(name) }
    case "aws:lambda/functionUrl:FunctionUrl":
      return { functionUrl: `https://${name}.lambda-url.test/` }
    case "aws:ecs/cluster:Cluster":
      return { ...about, arn: `arn:aws:ecs:eu-central-1:111122223333:cluster/${name}` }
    case "docker-build:index:Image":
      return { digest: "sha256:0" }
    case "aws:ec2/vpcEndpoint:VpcEndpoint":
      return { ...about, prefixListId: `pl-${name}` }
    default:
      return about
  }
}

/** What Pulumi looks up at AWS. */
function looked(token: string, inputs: object): object {
  switch (token) {
    case "aws:index/getPartition:getPartition":
      return { partition: "aws" }
    case "aws:index/getRegion:getRegion":
      return { region: "eu-central-1" }
    case "aws:index/getCallerIdentity:getCallerIdentity":
      return { accountId: "111122223333" }
    case "aws:index/getAvailabilityZones:getAvailabilityZones":
      return { names: ["eu-central-1a", "eu-central-1b", "eu-central-1c"] }
    case "aws:iam/getPolicyDocument:getPolicyDocument":
      return { ...inputs, json: JSON.stringify(inputs) }
    case "aws:ecr/getAuthorizationToken:getAuthorizationToken":
      return { proxyEndpoint: "https://registry.test", userName: "AWS", password: "a password" }
    default:
      throw new Error(`nothing answers ${token}`)
  }
}

const Call = z.object({
  method: z.string(),
  params: z.tuple([z.looseObject({ functionID: z.string().default(""), handler: z.string().default("") })]),
})

/** The program `sst` as its components see it: it knows the account, and bundles functions. */
async function startSst(work: string) {
  const server = createServer((request, response) => {
    void json(request).then((body) => response.end(JSON.stringify({ result: answer(Call.parse(body)) })))
  })
  const port = await listen(server)

  function answer({ method, params: [input] }: z.infer<typeof Call>) {
    if (method === "Provider.Aws.Bootstrap")
      return { asset: "assets", assetEcrRegistryId: "111122223333", assetEcrUrl: "registry.test/sst-asset" }
    if (method !== "Runtime.Build") throw new Error(`nothing answers ${method}`)
    const out = join(work, "bundles", input.functionID)
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, "bundle.mjs"), "")
    return { handler: input.handler, out, errors: [], sourcemaps: [] }
  }

  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
