import { AsyncLocalStorage } from "node:async_hooks"
import type { IncomingMessage } from "node:http"
import { DynamoDBClient } from "@aws-sdk/client-dynamodb"
import { isOnThisMachine, localAgent, requestTimeouts, serviceAt } from "../platform/aws-client-options.ts"
import { nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { retryKindOf, StoreError } from "./error.ts"

/** A request or an answer in DynamoDB's JSON. */
export type Wire = Record<string, unknown>

/** One request and its answer. Rejects when there is no answer. */
type Exchange = (
  operation: string,
  request: Wire,
  options: Options,
) => Promise<{ status: number; body: Wire }>

/** One request to a store that is asked without HTTP, and its answer. The caller limits the wait. */
export type StoreWithoutHttp = (
  operation: string,
  request: Wire,
  options: Pick<Options, "mayLinger">,
) => Promise<{ status: number; body: Wire }>

export interface Options {
  /** Do not retry: the caller does that. */
  once?: boolean
  /**
   * Whether the write may wait a moment for others to share its sync of the disk, asked when it is about to
   * be written. Only a store in this process does that.
   */
  mayLinger?: (() => boolean) | undefined
  /** Once it is aborted no caller waits for the answer: requests that have not been sent yet are not sent. */
  signal?: AbortSignal | undefined
}

/** @throws StoreError when the store refuses; otherwise the error of the connection */
export type Ask = (operation: string, request: Wire, options: Options) => Promise<Wire>

/** A client with its own connections. `most` requests may be under way at once; others wait. */
export function askByHttp(most: number): Ask {
  // As many sockets as requests: a request that waited inside the agent would use up its connection time
  // there.
  const connections = { keepAlive: true, maxSockets: most }
  const client = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: {
      ...requestTimeouts.requestHandler,
      httpAgent: localAgent(connections),
      httpsAgent: connections,
    },
    ...serviceAt(config.AWS_ENDPOINT_URL_DYNAMODB),
  })
  return patient(client, atMost(most, noted(exchangeOf(client))))
}

/** Asks a store without HTTP, with the same retries, time-out and limit of requests under way. */
export function askWithoutHttp(most: number, exchange: StoreWithoutHttp): Ask {
  return patient(new DynamoDBClient({ maxAttempts: 4 }), atMost(most, noted(inTime(exchange))))
}

function inTime(exchange: StoreWithoutHttp): Exchange {
  const withinMs = requestTimeouts.requestHandler.requestTimeout
  return async (operation, request, { signal, mayLinger }) => {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<StoreWithoutHttp>>>()
    const noAnswer = () =>
      reject(Object.assign(new Error("the store did not answer"), { name: "TimeoutError" }))
    const timer = setTimeout(noAnswer, withinMs)
    signal?.addEventListener("abort", noAnswer)
    exchange(operation, request, { mayLinger }).then(resolve, reject)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener("abort", noAnswer)
    }
  }
}

/** Retries as often as the SDK does, with the same waits. */
function patient(client: DynamoDBClient, exchange: Exchange): Ask {
  async function ask(operation: string, request: Wire, options: Options): Promise<Wire> {
    const { status, body } = await exchange(operation, request, options)
    if (status >= 300) throw new StoreError(status, body)
    return body
  }

  return async (operation, request, options) => {
    const patience = await client.config.retryStrategy()
    if (options.once || !("recordSuccess" in patience)) return await ask(operation, request, options)
    let token = await patience.acquireInitialRetryToken("")
    for (;;) {
      try {
        const answer = await ask(operation, request, options)
        patience.recordSuccess(token)
        return answer
      } catch (error) {
        token = await patience
          .refreshRetryTokenForRetry(token, { errorType: retryKindOf(error) })
          // The retries are used up, or the error is not worth one.
          .catch(() => Promise.reject(error))
      }
    }
  }
}

/** The requests of a task that are under way: when each was sent, on the monotonic clock. */
export type UnderWay = Set<{ sinceMs: number }>

const tasks = new AsyncLocalStorage<UnderWay>()

/** Runs a task, and keeps its own requests to the store in `underWay` while they wait for their answers. */
export async function runWatched<Result>(underWay: UnderWay, work: () => Promise<Result>): Promise<Result> {
  return await tasks.run(underWay, work)
}

/** Waits for the store on behalf of the present task, also where one request is made for several tasks. */
export async function waitForStore<Result>(answer: () => Promise<Result>): Promise<Result> {
  const task = tasks.getStore()
  if (!task) return await answer()
  const sent = { sinceMs: performance.now() }
  task.add(sent)
  try {
    return await answer()
  } finally {
    task.delete(sent)
  }
}

let answeredMs = -Infinity

/** How long ago the store answered anybody in this process, in ms. */
export function sinceStoreAnswerMs(): number {
  return performance.now() - answeredMs
}

function noted(exchange: Exchange): Exchange {
  return async (...asked) => {
    const answer = await waitForStore(() => exchange(...asked))
    answeredMs = performance.now()
    return answer
  }
}

function atMost(most: number, exchange: Exchange): Exchange {
  let underWay = 0
  const waiting: (() => void)[] = []
  return async (operation, request, options) => {
    // A request that ends hands on its place.
    if (underWay === most) await new Promise<void>((resolve) => waiting.push(resolve))
    else underWay++
    try {
      options.signal?.throwIfAborted()
      return await exchange(operation, request, options)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay--
    }
  }
}

/**
 * Sends the SDK's requests without its middleware, which repeats for each request what never changes:
 * endpoint rules, the middleware stack itself, the schemas of requests and answers. Credentials, signatures
 * and connections are still the SDK's.
 */
function exchangeOf(client: DynamoDBClient): Exchange {
  let known: { url: URL; sign: Sign } | undefined

  return async (operation, request, { signal }) => {
    const { url, sign } = (known ??= await targetOf(client))
    const { response } = await client.config.requestHandler.handle(
      await sign({
        method: "POST",
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port && { port: Number(url.port) }),
        path: "/",
        query: {},
        headers: {
          host: url.host,
          "content-type": "application/x-amz-json-1.0",
          "x-amz-target": `DynamoDB_20120810.${operation}`,
        },
        body: JSON.stringify(request),
      }),
      { abortSignal: signal },
    )
    const { statusCode: status, headers } = response
    if (status >= 400) noteTime(headers)
    return readable(status, await textOf(response.body))
  }
}

type Request = Parameters<DynamoDBClient["config"]["requestHandler"]["handle"]>[0]
type Sign = (request: Request) => Promise<Request>

/** Where the store is, and how requests to it are signed. */
async function targetOf({ config: found }: DynamoDBClient): Promise<{ url: URL; sign: Sign }> {
  const { url } = found.endpointProvider({
    Endpoint: config.AWS_ENDPOINT_URL_DYNAMODB,
    Region: await found.region(),
    UseFIPS: await found.useFipsEndpoint(),
    UseDualStack: await found.useDualstackEndpoint(),
    AccountIdEndpointMode: "disabled",
  })
  if (isOnThisMachine(url)) return { url, sign: unsigned }
  const signer = await found.signer()
  return { url, sign: (request) => signer.sign(request, { signingDate: new Date(nowMs() + behindMs) }) }
}

/** How far this machine's clock is behind the store's. A signature is valid for five minutes. */
let behindMs = 0

/** Learns the clock difference from a refusal. If the request was refused for its time, it is retried. */
function noteTime(headers: Record<string, string>): void {
  const difference = Date.parse(headers.date ?? "") - nowMs()
  if (Math.abs(difference) > 240_000) behindMs = difference
}

/** A store on this machine, Amazon's own for developers included, checks only a signature's form. */
async function unsigned(request: Request): Promise<Request> {
  request.headers["x-amz-date"] = "20000101T000000Z"
  request.headers.authorization =
    "AWS4-HMAC-SHA256 Credential=one-machine/20000101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0"
  return request
}

/** An answer that is not JSON comes from something between us and the store. */
function readable(status: number, text: string): { status: number; body: Wire } {
  try {
    return { status, body: JSON.parse(text) as Wire } // as DynamoDB documents it
  } catch {
    return { status: 502, body: {} }
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const chunks: Buffer[] = []
  answer.on("data", (chunk: Buffer) => chunks.push(chunk))
  answer.on("end", () => resolve(Buffer.concat(chunks).toString()))
  answer.on("error", reject)
  // The handler's own limit covers only the head of the answer.
  const tooLong = () =>
    answer.destroy(Object.assign(new Error("the store did not end its answer"), { name: "TimeoutError" }))
  const timer = setTimeout(tooLong, requestTimeouts.requestHandler.requestTimeout)
  return await promise.finally(() => clearTimeout(timer))
}
