import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { z } from "zod"
import { stopListening, listen } from "#one-machine/listen.ts"
import { urlEvent } from "#test/support/service/function-url.ts"
import { type Distribution, distributionOf, matches } from "../distribution.ts"
import type { Graph } from "../graph.ts"
import type { LambdaProcess } from "./lambda-process.ts"

const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().default(""),
  isBase64Encoded: z.boolean().default(false),
})

/**
 * CloudFront with the distribution of a stage: by the path it chooses the function whose URL is called, and
 * it adds its headers. What a function streams it passes on as it comes.
 * @param named the function of this name, as in the code: `Api`
 */
export async function startRouter(named: (fn: string) => LambdaProcess) {
  let distribution: Distribution | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request
    const { fn, secret } = routeOf(distribution!, url.split("?")[0]!)
    const body = await buffer(request)
    const { cookie, host = "", ...others } = headers
    const event = urlEvent(method, url, { cookies: cookie?.split("; ") ?? [] })
    // The function gets its own host; SST's router names the one that was called.
    const viewer = { "x-viewer-address": request.socket.remoteAddress ?? "", "x-forwarded-host": host }
    const passed = {
      ...event,
      headers: { ...plain(others), ...event.headers, ...viewer, "x-router-secret": secret },
      ...(body.length > 0 && { body: body.toString("base64"), isBase64Encoded: true }),
    }
    const called = named(fn)
    if (called.streams) return await follow(called, passed, response)
    const said = Answer.parse(await called.invoke(passed))
    response.writeHead(said.statusCode, {
      ...said.headers,
      ...(said.cookies.length > 0 && { "set-cookie": said.cookies }),
    })
    response.end(Buffer.from(said.body, said.isBase64Encoded ? "base64" : "utf8"))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(502)
      response.end()
    })
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    deploy(graph: Graph): void {
      distribution = distributionOf(graph)
    },
    close: () => stopListening(server),
  }
}

async function follow(fn: LambdaProcess, event: object, response: ServerResponse): Promise<void> {
  const hungUp = new AbortController()
  response.once("close", () => hungUp.abort())
  const follower: Parameters<LambdaProcess["follow"]>[1] = {
    onHead: ({ statusCode, headers, cookies }) => {
      response.writeHead(statusCode, { ...headers, ...(cookies.length > 0 && { "set-cookie": cookies }) })
      response.flushHeaders()
    },
    onPart: (part) => void response.write(part),
  }
  await fn.follow(event, follower, hungUp.signal).finally(() => response.end())
}

/** The longer of two names comes first. */
const functionsWithUrl = ["DashboardStream", "Dashboard", "Stream", "Transfer", "Api"] as const

function routeOf(distribution: Distribution, path: string) {
  const { targetOriginId } =
    distribution.orderedCacheBehaviors.find(({ pathPattern }) => matches(pathPattern, path)) ??
    distribution.defaultCacheBehavior
  const origin = distribution.origins.value.find(({ originId }) => originId === targetOriginId)!
  const secret = origin.customHeaders.find(({ name }) => name === "x-router-secret")!.value
  const fn = functionsWithUrl.find((name) => origin.domainName.toLowerCase().startsWith(name.toLowerCase()))
  if (!fn) throw new Error(`nobody knows whose URL ${origin.domainName} is`)
  return { fn, secret }
}

function plain(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
