import { createHash } from "node:crypto"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { listen } from "#one-machine/listen.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const platform = join(root, ".sst/platform")

/** A resource as the engine would get it. A secret input is `{ [secretMark]: ..., value }`. */
export interface Resource {
  type: string
  name: string
  inputs: Record<string, unknown>
  /** The options that Pulumi gets with it. */
  options: Options
}

interface Options {
  protect?: boolean
  retainOnDelete?: boolean
  ignoreChanges?: string[]
}

/** The differences between deploys. */
export interface World {
  /** The resources of the last deploy: inputs whose changes are to be ignored stay as they were there. */
  before?: Resource[]
  region?: string
  /** The ids of the zones that the account has. */
  zones?: string[]
  /** The settings that the last deploy left. */
  deployed?: Record<string, string>
  /** The names of roles and tables that the account has. */
  roles?: string[]
  tables?: string[]
  /** Whether it is `sst dev` that runs. */
  isDev?: boolean
  /** Where the sources are, if not here. */
  root?: string
  /** Whether the registry lacks the images of the session hosts. */
  lacksImages?: boolean
}

/** The value that the random provider makes up here, as long as the real one. */
export function madeUp(name: string): string {
  return `random-${name}`.padEnd(48, "-")
}

/** Pulumi's mark of a secret on the wire. */
export const secretMark = "4dabf18193072939515e22adb298388d"

/**
 * Everything that `sst deploy` would ask for in a stage: our `sst.config.ts` and `infra/` through the real
 * components of SST, whose calls to AWS, to Pulumi's engine and to the `sst` program are answered here. Again
 * in the same process only after `vi.resetModules()`: the components remember.
 */
export async function evaluate(stage: string, world: World = {}): Promise<Resource[]> {
  const work = join(root, ".sst/graph", stage)
  const sst = await startSst(work)
  process.env.SST_SERVER = sst.url
  const project = process.cwd()
  enterEmptyProject(work)
  try {
    const { withLocalStorage } = await imported("node_modules/@pulumi/pulumi/runtime/state.js")
    // As Pulumi keeps programs apart that run in one process.
    return await withLocalStorage(() => evaluated(stage, work, world))
  } finally {
    process.chdir(project)
    sst.close()
  }
}

/**
 * The settings of a stage are looked for in the project of the working directory: the operator's own are none
 * of a check's.
 */
function enterEmptyProject(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "sst.config.ts"), "")
  process.chdir(folder)
}

async function evaluated(stage: string, work: string, world: World): Promise<Resource[]> {
  const resources: Resource[] = []
  const options = new Map<string, Options>()
  const before = new Map((world.before ?? []).map((one) => [`${one.type} ${one.name}`, one.inputs]))
  const ignored = ({ type, name }: Resource) => {
    const inputs = before.get(`${type} ${name}`)
    const names = options.get(`${type} ${name}`)?.ignoreChanges ?? []
    return inputs ? Object.fromEntries(names.map((one) => [one, inputs[one]])) : {}
  }
  const pulumi = await imported("node_modules/@pulumi/pulumi/index.js")
  await pulumi.runtime.setMocks(
    {
      newResource: (wanted: Resource & { id?: string }) => {
        const asked = { ...wanted, inputs: { ...wanted.inputs, ...ignored(wanted) } }
        if (!/^(sst|pulumi):/.test(asked.type)) resources.push(onTheWire(asked))
        // Without an id whole branches are taken for not yet known, and vanish.
        return { id: asked.id || asked.name, state: { ...computed(asked), ...asked.inputs } }
      },
      call: (asked: { token: string; inputs: object }) => looked(asked.token, asked.inputs, world),
    },
    "messaging-bridge",
    stage,
    false,
  )
  Object.assign(globalThis, {
    $config: (config: object) => config,
    $dev: world.isDev ?? false,
    $cli: {
      command: "deploy",
      rpc: "",
      paths: { home: root, root: world.root ?? root, work, platform },
      state: { version: {} },
    },
  })
  const { default: config } = await import(join(root, "sst.config.ts"))
  const app = await config.app({ stage })
  Object.assign(globalThis, { $app: { ...app, stage, providers: app.providers ?? {} } })
  Object.assign(globalThis, await imported("src/shim/run.js"))
  for (const provider of Object.keys(app.providers))
    Object.assign(globalThis, { [provider]: await imported(`node_modules/@pulumi/${provider}/index.js`) })
  Object.assign(globalThis, { sst: await imported("src/components/index.ts") })

  const { run } = await imported("src/auto/run.ts")
  const program = async () => {
    // After those of SST, which add options.
    pulumi.runtime.registerStackTransformation(({ type, name, opts }: Resource & { opts: Options }) => {
      const { protect, retainOnDelete, ignoreChanges } = opts
      options.set(`${type} ${name}`, { protect, retainOnDelete, ignoreChanges })
    })
    // SST has gone back to the project's folder.
    process.chdir(work)
    // Pulumi would tell it in several places at once.
    return await config.run().catch((error: unknown) => void (failure = error))
  }
  let failure: unknown
  await pulumi.runtime.runInPulumiStack(() => run(program))
  if (failure) throw failure
  await settled(resources)
  return resources.map((one) => ({ ...one, options: options.get(`${one.type} ${one.name}`) ?? {} }))
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
  return { type, name, inputs: JSON.parse(JSON.stringify(inputs)), options: {} }
}

async function imported(path: string) {
  return await import(join(platform, path))
}

/** The outputs that AWS would fill in. */
function computed({ type, name, inputs }: Resource): object {
  const about = { arn: arnOf(type, name, inputs), name, url: `https://queue/${name}` }
  switch (type) {
    case "random:index/randomPassword:RandomPassword":
      return { result: madeUp(name) }
    case "random:index/randomBytes:RandomBytes":
      return { base64: madeUp(name) }
    case "aws:lambda/functionUrl:FunctionUrl":
      return { functionUrl: `https://${name}.lambda-url.test/` }
    case "aws:acm/certificate:Certificate":
      return { ...about, domainValidationOptions: [validationOf(String(inputs.domainName))] }
    case "aws:ec2/vpcEndpoint:VpcEndpoint":
      return { ...about, prefixListId: `pl-${name}` }
    default:
      return about
  }
}

/** The record by which AWS sees that a domain is ours. */
function validationOf(domainName: string): object {
  return {
    domainName,
    resourceRecordName: `_proof.${domainName}`,
    resourceRecordType: "CNAME",
    resourceRecordValue: "_proof.acm-validations.aws",
  }
}

/** In the account and region that everything is evaluated for. */
export function here(service: string, resource: string): string {
  return `arn:aws:${service}:eu-central-1:111122223333:${resource}`
}

/** As AWS names what our policies name, by its name in the code. */
function arnOf(type: string, name: string, inputs: Record<string, unknown>): string {
  switch (type) {
    case "aws:dynamodb/table:Table":
      return here("dynamodb", `table/${name}`)
    case "aws:sqs/queue:Queue":
      return here("sqs", name)
    case "aws:kms/key:Key":
      return here("kms", `key/${name}`)
    case "aws:s3/bucket:Bucket":
    case "aws:s3/bucketV2:BucketV2":
      return `arn:aws:s3:::${name}`
    case "aws:lambda/function:Function":
      return here("lambda", `function:${name}`)
    case "aws:cloudwatch/logGroup:LogGroup":
      return here("logs", `log-group:${String(inputs.name)}`)
    case "aws:iam/role:Role":
      return `arn:aws:iam::111122223333:role/${name}`
    case "aws:sns/topic:Topic":
      return here("sns", name)
    case "aws:ssm/parameter:Parameter":
      return here("ssm", `parameter${String(inputs.name)}`)
    case "aws:ecs/cluster:Cluster":
      return here("ecs", `cluster/${name}`)
    case "aws:ecs/taskDefinition:TaskDefinition":
      return here("ecs", `task-definition/${name}:${revisionOf(inputs)}`)
    default:
      return `arn:aws:${type}:${name}`
  }
}

/** Another for each content. */
function revisionOf(inputs: object): number {
  return createHash("sha256").update(JSON.stringify(inputs)).digest().readUInt16BE()
}

/** The answers of AWS to what Pulumi looks up. */
function looked(token: string, inputs: object, world: World): object {
  switch (token) {
    case "aws:index/getPartition:getPartition":
      return { partition: "aws" }
    case "aws:index/getRegion:getRegion":
      return { region: world.region ?? "eu-central-1" }
    case "aws:index/getCallerIdentity:getCallerIdentity":
      return { accountId: "111122223333" }
    case "aws:index/getAvailabilityZones:getAvailabilityZones":
      return {
        names: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
        zoneIds: world.zones ?? ["euc1-az2", "euc1-az3", "euc1-az1"],
      }
    case "aws:ssm/getParametersByPath:getParametersByPath":
      return parametersBelow(inputs, world.deployed ?? {})
    case "aws:iam/getRoles:getRoles": {
      const { nameRegex } = z.object({ nameRegex: z.string() }).parse(inputs)
      return { names: (world.roles ?? []).filter((name) => new RegExp(nameRegex).test(name)) }
    }
    case "aws:dynamodb/getTables:getTables":
      return { names: world.tables ?? [] }
    case "aws:iam/getPolicyDocument:getPolicyDocument":
      return { ...inputs, json: rendered(inputs) }
    case "aws:ecr/getImage:getImage":
      if (world.lacksImages) throw new Error("no images found")
      return {}
    case "aws:ecr/getAuthorizationToken:getAuthorizationToken":
      return { proxyEndpoint: "https://registry.test", userName: "AWS", password: "a password" }
    default:
      throw new Error(`nothing answers ${token}`)
  }
}

function parametersBelow(inputs: object, deployed: Record<string, string>): object {
  const { path } = z.object({ path: z.string() }).parse(inputs)
  return { names: Object.keys(deployed).map((name) => `${path}/${name}`), values: Object.values(deployed) }
}

const Statements = z.object({
  statements: z.array(
    z.object({
      effect: z.string().default("Allow"),
      actions: z.array(z.string()),
      resources: z.array(z.string()).default([]),
      principals: z.array(z.object({ type: z.string(), identifiers: z.array(z.string()) })).default([]),
      conditions: z
        .array(z.object({ test: z.string(), variable: z.string(), values: z.array(z.string()) }))
        .default([]),
    }),
  ),
})

/** The document as IAM gets it: as the provider renders it, a list of one is that one. */
function rendered(inputs: object): string {
  const { statements } = Statements.parse(inputs)
  const Statement = statements.map((one) => ({
    Effect: one.effect,
    ...(one.principals.length > 0 && {
      Principal: Object.fromEntries(one.principals.map((who) => [who.type, alone(who.identifiers)])),
    }),
    Action: alone(one.actions),
    Resource: alone(one.resources),
    ...(one.conditions.length > 0 && {
      Condition: Object.fromEntries(
        one.conditions.map(({ test, variable, values }) => [test, { [variable]: alone(values) }]),
      ),
    }),
  }))
  return JSON.stringify({ Version: "2012-10-17", Statement })
}

function alone(list: string[]): string[] | string | undefined {
  return list.length === 1 ? list[0] : list
}

const Call = z.object({
  method: z.string(),
  params: z.tuple([z.looseObject({ functionID: z.string().default(""), handler: z.string().default("") })]),
})

/** The program `sst` as its components see it: it knows the account, and bundles functions. */
async function startSst(work: string) {
  // An evaluation keeps this process busy for longer than a kept connection may usually rest.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
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
    // For `bundled.ts`, which bundles in place of SST's program.
    const { handler, runtime, properties } = input
    const beside = join(out, `build.${process.pid}`)
    writeFileSync(beside, JSON.stringify({ handler, runtime, properties }))
    renameSync(beside, join(out, "build.json"))
    return { handler: input.handler, out, errors: [], sourcemaps: [] }
  }

  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}
