import { readdirSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { isIPv6 } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { Billing } from "#core/account/billing.ts"
import { ApiError } from "#core/error.ts"
import { useDoorbellQueue } from "#core/event/doorbell.ts"
import { hangUpOnHosts } from "#core/lease/call-host.ts"
import { Host } from "#core/lease/host.ts"
import { now } from "#core/platform/clock.ts"
import { config, configure, type Environment } from "#core/platform/config.ts"
import { DiskRoom } from "#core/platform/disk-room.ts"
import { hostSocket, namesSocket, socketPath } from "#core/platform/local-socket.ts"
import { log } from "#core/platform/log.ts"
import { tables } from "#core/store/tables.ts"
import type { BillingPages } from "#dashboard/billing-pages.ts"
import { MayPass } from "#dynamodb-on-sqlite/cannot-start.ts"
import type { At } from "#dynamodb-on-sqlite/listen.ts"
import { answerChild } from "#dynamodb-on-sqlite/over-ipc.ts"
import { isHeldByAnother, lockFolder } from "#dynamodb-on-sqlite/rows/folder-lock.ts"
import { startDynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { ringAll } from "#functions/sweep/bells.ts"
import { type Simulator, spawnSimulator } from "#simulator/spawn.ts"
import { refuseAlone, refuseAsApp } from "../api/refuse-without-app.ts"
import { startKms } from "../aws/kms.ts"
import { serveDoorbells } from "../aws/serve-doorbells.ts"
import { DoorbellsInMemory, startPoller } from "../delivery/doorbells.ts"
import { staysMs } from "../delivery/new-events.ts"
import { startEcs } from "../ecs/ecs.ts"
import { atSocket, stopListening, listen } from "../listen.ts"
import { Measurements } from "../serve/measurements.ts"
import { watch } from "../serve/watch.ts"
import { createTables } from "../store/create-tables.ts"
import { keyFiles, makeFolder, networkFile, refuseFolder, wrappingKeys } from "./data-folder.ts"
import { holdCalls } from "./early-calls.ts"
import { startRemovingFiles } from "./old-files.ts"
import { isOwnName } from "./own-names.ts"
import { writePrivate } from "./private-file.ts"
import { announceRunning, findRunning, withdrawRunning } from "./running.ts"
import { readOrCreateSecrets } from "./secrets.ts"
import type { Serving, Settings } from "./settings.ts"
import { Sweep } from "./sweep.ts"
import { useStoreInProcess } from "./use-store-in-process.ts"

/** How many deliveries run at once: as many as Lambda runs for an account. */
const deliveriesAtOnce = 1000
/** How often the sweep looks if the store cannot tell it of changes, in ms. */
const unwatchedMs = 1000

export interface Service {
  baseUrl: string
  /** The control API of the simulated phones; `""` without any. */
  phonesUrl: string
  stop: () => Promise<void>
}

/** Billing's part of a service on one machine (`one-machine/billing.ts`). */
export interface BillingHere {
  accountHooks: Billing.Hooks
  billingPages: BillingPages
  /**
   * Starts what it needs: `apiUrl` is where the API will answer.
   * @throws CannotStart
   */
  startBilling: (
    settings: Settings,
    apiUrl: string,
    stops: (() => unknown)[],
  ) => Promise<{
    /** Settings for every process. */
    forAll: Record<string, string>
    /** Settings for the processes that speak to Stripe. */
    forService: Record<string, string>
    /** Once the store is there. */
    start: () => Promise<() => Promise<void>>
  }>
}

/** The input of a service, which its program reads when it starts. */
export interface Given {
  /** The variables that the program was started with. */
  environment: Environment
  /** The settings of one machine among them. */
  settings: Settings
  /** Loads billing; absent where it is left out. */
  billing?: (() => Promise<BillingHere>) | undefined
}

/** Parts that already run in processes of their own and outlive the service. */
export interface PartsElsewhere {
  /** A simulated network. */
  network?: Pick<Simulator, "url" | "controlUrl" | "rootKey" | "caFile"> | undefined
  /** A store that holds only what this service wrote. */
  store?: { endpoint: string; answer?: undefined } | undefined
}

/**
 * Starts the whole service on this machine, except the parts that run already. If a part fails to start,
 * those before it are stopped again.
 * @throws CannotStart
 */
export async function startService(given: Given, elsewhere: PartsElsewhere = {}): Promise<Service> {
  const stops: (() => unknown)[] = []
  const stop = async () => {
    for (const one of stops.splice(0).toReversed()) await one()
  }
  try {
    const started = await start(given, elsewhere, stops)
    // V8 would let the heap grow to several times what is in use, and keep it. With this flag it takes no
    // more processor time. Set before the modules are loaded, it would make V8 refuse all compiled code that
    // was kept under other flags, and Node keep it anew.
    setFlagsFromString("--heap-growing-percent=50")
    return { ...started, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  given: Given,
  elsewhere: PartsElsewhere,
  stops: (() => unknown)[],
): Promise<Omit<Service, "stop">> {
  const { environment, settings } = given
  const parts = await startParts(given, elsewhere, stops)
  const ofAll = environmentOf(parts, environment)
  const sweep = new Sweep()
  const orchestrator = await startTasks(parts, { ...settable(environment), ...ofAll }, sweep)
  stops.push(orchestrator.close, () => sweep.stop())
  const { dataDir, api, billing, simulator } = parts
  const own = {
    ...ofAll,
    AWS_ENDPOINT_URL_ECS: orchestrator.endpoint,
    ...(simulator && { SIMULATOR_CONTROL_URL: simulator.controlUrl }),
    ...billing?.forService,
    ...(settings.serving
      ? publicly(settings.serving)
      : // Here mail is kept.
        { MAIL_FROM: "", ...rateLimits(settings) }),
  }
  configure({
    ...environment,
    ...own,
    ...(settings.serving
      ? { METRICS_SERVICE: "service" }
      : { LOG_FILE: join(dataDir, "logs", "service.log") }),
  })
  await startHosts(parts, sweep, stops)
  await answerCalls(parts, stops)
  await startDeliveries(parts, stops)

  const service = { baseUrl: api.url, phonesUrl: simulator?.controlUrl ?? "" }
  writePrivate(networkFile(dataDir), { network: settings.HOST_NETWORK })
  announceRunning(dataDir, { ...service, environment: own })
  stops.push(() => withdrawRunning(dataDir))
  // A proxy lets further calls wait for the next start.
  stops.push(() => void api.server.close())
  return service
}

type ServiceParts = Awaited<ReturnType<typeof startParts>>

/** Starts what session hosts and the API need: keys, the store, doorbells and the simulated network. */
async function startParts(given: Given, elsewhere: PartsElsewhere, stops: (() => unknown)[]) {
  const { settings } = given
  const { DATA_DIR: dataDir } = settings
  // Of several first starts at once, one makes the keys.
  stops.push(await lockOf(dataDir))
  refuseFolder(settings)
  makeFolder(join(dataDir, "logs"))
  const socket = (name: string) => atSocket(socketPath(name, dataDir))
  removeSockets(dataDir)

  const { serving } = settings
  const measurements = serving && new Measurements()
  const api = await listenForCalls(settings)
  stops.push(() => stopListening(api.server))
  // The simulated network takes seconds to start, in a process of its own. What does not need it starts
  // meanwhile, and the largest part of our modules is loaded.
  const starting = simulatedNetwork(settings, elsewhere)
  const { listener, plugged } = await loadApp(given)
  const itsStop = starting.then(
    (simulator) => simulator?.stop,
    () => undefined,
  )
  stops.push(async () => await (await itsStop)?.())
  const billing = await plugged?.startBilling(settings, api.url, stops)
  // The keys are on the disk before anything is stored under them.
  const keyring = { file: join(dataDir, keyFiles.wrapping), keyIds: Object.values(wrappingKeys) }
  const keys = await startKms({ ...keyring, at: socket("kms.sock") })
  stops.push(keys.close)
  const kept = await readOrCreateSecrets(join(dataDir, keyFiles.secrets))
  const store = elsewhere.store ?? (await ownStore(dataDir, socket("store.sock"), stops))
  const doorbells = new DoorbellsInMemory()
  const queue = await serveDoorbells(doorbells, socket("doorbells.sock"))
  stops.push(queue.close)

  const simulator = await starting
  return {
    settings,
    dataDir,
    socket,
    measurements,
    api,
    billing,
    keys,
    kept,
    store,
    doorbells,
    queue,
    simulator,
    listener,
  }
}

/** The API and the dashboard, with billing if it is given. */
async function loadApp({ billing }: Given) {
  const plugged = await billing?.()
  if (plugged) Billing.plugIn(plugged.accountHooks)
  const { listenerOf, wholeApp } = await import("../api/whole-app.ts")
  return { listener: listenerOf(wholeApp(plugged?.billingPages)), plugged }
}

/** The settings of every process of the service. */
function environmentOf(
  { settings, dataDir, billing, keys, kept, store, queue, simulator }: ServiceParts,
  environment: Environment,
) {
  return {
    LOG_DIR: join(dataDir, "logs", "bridges"),
    STORAGE_DIR: dataDir,
    SOCKET_DIR: dataDir,
    ...wrappingKeys,
    AWS_ENDPOINT_URL_KMS: keys.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
    AWS_ENDPOINT_URL_SQS: queue.endpoint,
    DOORBELL_URL: queue.doorbellUrl,
    HOST_NETWORK: settings.HOST_NETWORK,
    SANDBOX: settings.SANDBOX,
    URL_ALLOW: settings.URL_ALLOW,
    ...(settings.serving && { STAGE: environment.STAGE ?? "production" }),
    HOST_CAPACITY: String(settings.HOST_CAPACITY),
    HOST_SPARE: String(settings.HOST_SPARE),
    // Here the store tells deliveries of events, and a delivery waits for longer than this: an event that
    // soon follows another needs no doorbell.
    ...(store.answer && { BELL_TRUSTS_MS: String(staysMs - 50) }),
    ...(simulator && { SIMULATOR_URL: simulator.url, SIMULATOR_ROOT_KEY: simulator.rootKey }),
    ...kept,
    ...billing?.forAll,
  }
}

/** Starts what starts session hosts, each in a process of its own. */
function startTasks(
  { settings: { serving }, dataDir, socket, measurements, store, simulator }: ServiceParts,
  environment: Record<string, string>,
  sweep: Sweep,
) {
  return startEcs({
    at: socket("ecs.sock"),
    ...(measurements && {
      log: (line: string) => measurements.addLine(line) || process.stdout.write(`${line}\n`),
    }),
    taskDefinitions: {
      "session-host": {
        command: [
          process.execPath,
          ...(store.answer ? ["--import", pathOf("../store/use-parents-store.ts")] : []),
          pathOf("../../session-host/main.ts"),
        ],
        onStart: (child) => {
          child.once("exit", () => {
            rmSync(join(dataDir, hostSocket(child.pid!)), { force: true })
            sweep.hurry()
          })
          if (store.answer) answerChild(child, store)
        },
        env: ({ HOST_NETWORK: network }) => ({
          NODE_COMPILE_CACHE: join(dataDir, "compiled"),
          ...environment,
          // Hosts ask the store over IPC alone. With a real address, a request over HTTP would go unnoticed.
          ...(store.answer && { AWS_ENDPOINT_URL_DYNAMODB: "http://asked-over-ipc.invalid" }),
          // Hosts of the live network do not trust the simulated network's certificates, even if it runs
          // beside them.
          ...(simulator && network === "simulated" && { NODE_EXTRA_CA_CERTS: simulator.caFile }),
          LOCAL_PARENT: "1",
          ...(serving
            ? { METRICS_SERVICE: "session-host" }
            : { LOG_FILE: join(dataDir, "logs", "session-host.log") }),
        }),
      },
    },
  })
}

async function startHosts({ store, doorbells }: ServiceParts, sweep: Sweep, stops: (() => unknown)[]) {
  await createTables(store.endpoint)
  stops.push(useDoorbellQueue(doorbells))
  if (store.answer) {
    stops.push(useStoreInProcess(store))
    store.watch(tables.leases, () => sweep.hurry())
  }
  await forgetHosts()
  // Session hosts take seconds to start; the rest goes on meanwhile.
  sweep.start(store.answer ? config.LEASE_BEAT_MS : unwatchedMs)
  stops.push(startCheckingRoom())
}

/** From here on the API and the dashboard answer. */
async function answerCalls(
  { settings, dataDir, measurements, api, billing, listener }: ServiceParts,
  stops: (() => unknown)[],
) {
  const { serving } = settings
  stops.push(startRemovingFiles())
  stops.push(hangUpOnHosts)
  const watching = serving && measurements && watch(serving, measurements, dataDir)
  if (watching) stops.push(watching.stop)
  const names = [...settings.OTHER_NAMES, ...(serving ? [new URL(serving.PUBLIC_URL).hostname] : [])]
  api.answerWith((request, response) => {
    if (!isOwnName(request.headers.host, names)) return misdirected(request, response)
    if (!watching?.answer(request, response)) listener(request, response)
  })
  if (billing) stops.push(await billing.start())
}

/** Delivers what is left of an earlier process, and then what happens. */
async function startDeliveries({ doorbells }: ServiceParts, stops: (() => unknown)[]) {
  await ringAll()
  stops.push(startPoller({ doorbells, concurrency: deliveriesAtOnce }).stop)
}

/** The environment of a service that is reached from elsewhere, through a proxy. */
function publicly({ PUBLIC_URL, TRUST_PROXY, MAIL_FROM, DASHBOARD_URL }: Serving): Record<string, string> {
  return { PUBLIC_URL, TRUST_PROXY, MAIL_FROM, DASHBOARD_URL: DASHBOARD_URL || PUBLIC_URL }
}

/** The rate limits of a service that is its caller's own. */
function rateLimits(settings: Extract<Settings, { serving: undefined }>): Record<string, string> {
  const { RATE_LIMIT_PROVISION, RATE_LIMIT_PROXY, RATE_LIMIT_OTHER, RATE_LIMIT_ADDRESS } = settings
  const limits = { RATE_LIMIT_PROVISION, RATE_LIMIT_PROXY, RATE_LIMIT_OTHER, RATE_LIMIT_ADDRESS }
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, String(limit)]))
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}

/** @throws CannotStart, which says where the service runs that has the folder */
async function lockOf(dataDir: string): Promise<() => void> {
  try {
    return lockFolder(dataDir)
  } catch (error) {
    const other = isHeldByAnother(error) ? await findRunning(dataDir) : undefined
    if (!other) throw error
    throw new MayPass(`${dataDir} is in use: the service already runs there, at ${other.baseUrl}`, {
      cause: error,
    })
  }
}

/** Those of an earlier service that was killed. */
function removeSockets(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter(namesSocket)) rmSync(join(dataDir, name))
}

async function ownStore(dataDir: string, at: At, stops: (() => unknown)[]) {
  const store = await startDynamoDb({
    path: dataDir,
    isLocked: true,
    at,
    isTrusting: true,
    now,
    warn: (about, sentence) => log.warn(about, sentence),
  })
  stops.push(store.close)
  return store
}

const fasterCrypto = import.meta.resolve("#core/platform/faster-node-crypto.ts")

/** The simulated network; undefined on the live network without sandboxes. @throws CannotStart */
async function simulatedNetwork(
  settings: Settings,
  elsewhere: PartsElsewhere,
): Promise<(NonNullable<PartsElsewhere["network"]> & Partial<Pick<Simulator, "stop">>) | undefined> {
  if (settings.HOST_NETWORK !== "simulated" && settings.SANDBOX === "0") return undefined
  if (elsewhere.network) return elsewhere.network
  const { DATA_DIR: dataDir, SIMULATOR_CONTROL_PORT: controlPort } = settings
  const simulator = await spawnSimulator({ dataDir, controlPort, imports: [fasterCrypto] })
  if (simulator) return simulator
  throw new MayPass(
    `the simulated network did not start: is port ${controlPort} taken ` +
      `(SIMULATOR_CONTROL_PORT)? ${dataDir}/logs/simulator.log says more`,
  )
}

/**
 * The settings that a person may make for session hosts, too. A task gets only the environment that it is
 * given.
 */
function settable(environment: Environment): Record<string, string> {
  const names = [
    "LOG_LEVEL",
    "LEASE_BEAT_MS",
    "STORAGE_RESERVE_MB",
    "STORAGE_ACCOUNT_MB",
    "WHATSAPP_WEB_VERSION",
    "NODE_OPTIONS",
    "RECORD",
    "DNS_SERVERS",
    // Tests set one folder for all their services.
    "NODE_COMPILE_CACHE",
  ]
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])))
}

/**
 * How long a caller's connection may be idle, in ms. Clients and balancers keep theirs for less (most a
 * minute, the longest ten). If we closed first, a call could already be on its way.
 */
const idleConnectionMs = 620_000

/** Calls wait until the service has started. @throws CannotStart */
async function listenForCalls({ listen: { host, port }, serving }: Settings) {
  const server = refuseAsApp(createServer({ requireHostHeader: false }))
  server.keepAliveTimeout = idleConnectionMs
  const answerWith = holdCalls(server)
  try {
    const reached = isIPv6(host) ? `[${host}]` : host
    return { server, answerWith, url: `http://${reached}:${await listen(server, port, host)}` }
  } catch (error) {
    const other = serving ? "LISTEN" : "PORT"
    const why =
      (error as NodeJS.ErrnoException).code === "EADDRINUSE" ? "is taken" : `cannot be listened on at ${host}`
    throw new MayPass(`port ${port} ${why}: choose another with ${other}=...`, { cause: error })
  }
}

/**
 * How often room on the disk is looked at, in ms, so that the log tells of its end before a caller hears of
 * it.
 */
const roomMs = 10_000

/** RFC 9110, 15.5.20. */
function misdirected({ headers: { host } }: IncomingMessage, response: ServerResponse): void {
  const sentence = `this service has another name than ${host}: its operator can add it to OTHER_NAMES`
  const noHost = new ApiError("invalid_request", "the request has no Host header, which says what is called")
  refuseAlone(response, host === undefined ? noHost : new ApiError("misdirected", sentence))
}

function startCheckingRoom(): () => void {
  const looking = setInterval(() => DiskRoom.hasRoom(), roomMs).unref()
  return () => clearInterval(looking)
}

/**
 * Marks the hosts of an earlier process dead. They were its children, so they are dead, however it ended: no
 * bridge is to blame.
 */
async function forgetHosts(): Promise<void> {
  for (const host of await Host.list()) await Host.markDead(host.id, host.version, true)
}
