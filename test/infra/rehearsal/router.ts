import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { z } from "zod"
import { hangUp, listen } from "#local/listen.ts"
import { urlEvent } from "#test/support/service/function-url.ts"
import { type Distribution, distributionOf, matches } from "../distribution.ts"
import type { Graph } from "../graph.ts"

const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
  isBase64Encoded: z.boolean().default(false),
})

/**
 * CloudFront with the distribution of a stage: by the path it chooses the function whose URL is called, and it adds its
 * headers. `invoke` gets the function's name as in the code: `Api`.
 */
export async function startRouter(invoke: (fn: string, event: object) => Promise<unknown>) {
  let distribution: Distribution | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request
    const { fn, secret } = routeOf(distribution!, url.split("?")[0]!)
    const body = await buffer(request)
    const event = urlEvent(method, url)
    const viewer = { "x-viewer-address": request.socket.remoteAddress ?? "" }
    const passed = {
      ...event,
      headers: { ...event.headers, ...plain(headers), ...viewer, "x-router-secret": secret },
      ...(body.length > 0 && { body: body.toString("base64"), isBase64Encoded: true }),
    }
    const said = Answer.parse(await invoke(fn, passed))
    response.writeHead(said.statusCode, said.headers)
    response.end(Buffer.from(said.body, said.isBase64Encoded ? "base64" : "utf8"))
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(502).end())
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    deploy(graph: Graph): void {
      distribution = distributionOf(graph)
    },
    close: () => hangUp(server),
  }
}

function routeOf(distribution: Distribution, path: string) {
  const { targetOriginId } =
    distribution.orderedCacheBehaviors.find(({ pathPattern }) => matches(pathPattern, path)) ??
    distribution.defaultCacheBehavior
  const origin = distribution.origins.value.find(({ originId }) => originId === targetOriginId)!
  const secret = origin.customHeaders.find(({ name }) => name === "x-router-secret")!.value
  return { fn: /^stream/i.test(origin.domainName) ? "Stream" : "Api", secret }
}

function plain(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
