import { setImmediate } from "node:timers/promises"
import { answerCall, awsJsonServer } from "./aws-json-server.ts"
import { wait } from "./draft-writer.ts"
import type { EngineParts } from "./engine-parts.ts"
import { Faults, type Call, type Rule } from "./faults.ts"
import type { Keeper } from "./keeper.ts"
import { type At, listenAt } from "./listen.ts"
import { operations } from "./operations.ts"
import { openPostgresKeeper } from "./postgres/postgres-keeper.ts"
import { ConnectionLost, Refusal } from "./refusal.ts"
import type { MayStayInMemory } from "./rows/rows.ts"
import { openFile, openInMemory } from "./rows/sqlite-file.ts"
import { openSqliteKeeper } from "./rows/sqlite-keeper.ts"
import { Tables } from "./tables.ts"
import { exceededMessage, type Limits, Throughput } from "./throughput.ts"
import type { Item } from "./values/value.ts"

export interface DynamoDb {
  /** For `AWS_ENDPOINT_URL_DYNAMODB`; `""` without one. Any region and credentials will do. */
  endpoint: string
  /** Answers a caller in this process as over HTTP. Rejects where a connection would have ended. */
  answer: (operation: string, request: object, options?: Pick<Call, "mayLinger">) => Promise<Answer>
  /**
   * Items of a table for which `isPassing` is true need not be on the disk when their write is answered. They
   * are there a moment later; until then the end of this process may lose them.
   */
  relax: (table: string, isPassing: MayStayInMemory) => void
  /**
   * Reports each item of a table that is put or changed, as a DynamoDB stream would, but not each change of
   * an item that may be lost. For callers in this process.
   */
  watch: (table: string, onWritten: (item: Item) => void) => void
  /** Controls what goes wrong, while the store runs. */
  faults: Faults
  /** How many requests were refused because a partition had no throughput left. */
  partitions: Throughput
  /** Removes what has expired, as happens each minute by itself. */
  expire: () => Promise<void>
  /** Whether the clock went far forward, and has not stayed there for an hour yet: nothing expires. */
  isClockDoubted: () => boolean
  /** Finishes the requests under way, then closes the store and its connections. */
  close: () => Promise<void>
}

interface Engine extends EngineParts {
  /** Ends all waits. */
  closing: AbortSignal
}

interface Answer {
  status: number
  body: Record<string, unknown>
}

export interface Options {
  /** A folder for the data; in memory if absent. */
  path?: string
  /**
   * A database of PostgreSQL in place of a folder, which other processes may share: its URL, and what tells
   * this service, on all its machines, from others.
   */
  postgres?: { url: string; service: string } | undefined
  /** The caller holds the lock of that folder, and keeps it until the store is closed. */
  isLocked?: boolean
  /** Called when the disk has failed, with a sentence for a person. This process ends if absent. */
  broken?: (why: string) => void
  /**
   * Callers in this process, and children that ask through it, are of this version: the shape of their
   * requests is not checked.
   */
  isTrusting?: boolean
  /** The time in Unix seconds; this machine's if absent. */
  now?: () => number
  /** Takes what an operator should know; it goes to the standard error output if absent. */
  warn?: (about: object, sentence: string) => void
  /** Where other processes reach it; absent: nowhere, and only callers in this process are answered. */
  at?: At
  /** The throughput of one partition key; without a limit if absent. */
  partitionLimits?: Limits
}

/**
 * An embedded DynamoDB on this machine, as far as this service uses it, over SQLite.
 * Rejects if the port is taken.
 * @throws CannotStart
 */
export async function startDynamoDb(options: Options = {}): Promise<DynamoDb> {
  const faults = new Faults()
  const keeper = await openKeeper(options, faults)
  try {
    return await serve(keeper, faults, options)
  } catch (error) {
    await keeper.close()
    throw error
  }
}

async function openKeeper(options: Options, faults: Faults): Promise<Keeper> {
  const { postgres } = options
  if (postgres) return await openPostgresKeeper(postgres.url, postgres.service)
  const file = options.path === undefined ? openInMemory() : openFile(options.path, options.isLocked)
  try {
    return await openSqliteKeeper(file, faults, { ...options, broken: options.broken ?? end })
  } catch (error) {
    await file.close()
    throw error
  }
}

/** How often expired items are removed, in ms. */
const expiryMs = 60_000

async function serve(keeper: Keeper, faults: Faults, options: Options): Promise<DynamoDb> {
  const tables = new Tables(keeper, await keeper.definitions())
  const closing = new AbortController()
  const partitions = new Throughput(options.partitionLimits)
  const engine: Engine = { tables, keeper, faults, partitions, closing: closing.signal }

  const underWay = new Set<Promise<unknown>>()
  function tracked<Result>(work: Promise<Result>): Promise<Result> {
    const ended: Promise<Result> = work.finally(() => underWay.delete(ended))
    underWay.add(ended)
    return ended
  }
  const overHttp = (operation: string, request: object) =>
    answer(engine, { operation, request }).catch(unanswered)
  const server = awsJsonServer((request, response) => void tracked(answerCall(request, response, overHttp)))
  server.on("connection", (socket) => {
    if (faults.hit("gone")) socket.resetAndDestroy()
  })

  const expiring = setInterval(() => {
    // What cannot be removed now is removed a minute later.
    tracked(keeper.expire()).catch(() => {})
  }, expiryMs).unref()

  async function close() {
    clearInterval(expiring)
    server.close()
    closing.abort()
    await Promise.allSettled(underWay)
    server.closeAllConnections()
    await Promise.allSettled(underWay)
    await keeper.close()
  }

  const { isTrusting: isTrusted } = options
  return {
    endpoint: options.at ? await listenAt(server, options.at) : "",
    answer: (operation, request, { mayLinger } = {}) =>
      tracked(answerHere(engine, { operation, request, mayLinger, isTrusted })),
    watch: keeper.watch,
    relax: keeper.relax,
    expire: () => tracked(keeper.expire()),
    isClockDoubted: keeper.isClockDoubted,
    faults,
    partitions,
    close,
  }
}

function end(why: string): never {
  console.error(why)
  process.exit(1)
}

/**
 * Answers a caller in this process, but lets other work run first: data in memory is found without waiting,
 * so a caller in a loop would starve all others.
 */
async function answerHere(engine: Engine, call: Call): Promise<Answer> {
  await setImmediate()
  return await answer(engine, call)
}

function unanswered(error: unknown): undefined {
  if (!(error instanceof ConnectionLost)) throw error
}

/** @throws ConnectionLost */
async function answer(engine: Engine, call: Call): Promise<Answer> {
  const { faults, closing } = engine
  if (faults.hit("gone")) throw new ConnectionLost()
  const slow = faults.hit("slow", call)
  if (slow) await wait(slow.ms, closing)
  await loseIf(faults.hit("lost-request", call), closing)
  const outcome = await outcomeOf(engine, call)
  await loseIf(faults.hit("lost-answer", call), closing)
  return outcome
}

async function loseIf(rule: Rule | undefined, closing: AbortSignal): Promise<void> {
  if (!rule) return
  await wait(rule.ms, closing)
  throw new ConnectionLost()
}

async function outcomeOf(engine: Engine, call: Call): Promise<Answer> {
  try {
    refuseIfFaulty(engine.faults, call)
    const operation = operations.get(call.operation)
    if (!operation) throw new Refusal("UnknownOperationException", `no operation ${call.operation}`)
    return { status: 200, body: { ...(await operation(engine, call.request, call)) } }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    if (error instanceof ConnectionLost) throw error
    console.error(error)
    return { status: 500, body: new Refusal("InternalServerError", String(error)).body }
  }
}

/**
 * Refuses a request that a fault hits. A transaction that exceeds the throughput is cancelled instead, with a
 * reason for each member.
 */
function refuseIfFaulty(faults: Faults, call: Call) {
  if (faults.hit("invalid", call)) throw new Refusal("ValidationException", "not valid")
  if (faults.hit("denied", call)) throw new Refusal("AccessDeniedException", "not authorized")
  if (faults.hit("throttling", call)) throw new Refusal("ThrottlingException", "Rate exceeded")
  if (call.operation.startsWith("Transact")) return
  if (faults.hit("throughput-exceeded", call))
    throw new Refusal("ProvisionedThroughputExceededException", exceededMessage)
}
