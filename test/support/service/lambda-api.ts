import { createServer } from "node:http"
import { json } from "node:stream/consumers"
import { listen } from "#one-machine/listen.ts"

type Handler = (event: never, context: never) => Promise<unknown>

/**
 * Lambda's own API, as far as Invoke: functions by name, run here. A function that throws gives a function
 * error; one that is `full` has no place left.
 */
export async function startLambdaApi(functions: Record<string, Handler | "full">) {
  const server = createServer((request, response) => {
    void (async () => {
      const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? "")?.[1] ?? ""
      const handler = functions[decodeURIComponent(name)]
      const event = await json(request)
      if (!handler) {
        response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" }).end("{}")
        return
      }
      if (handler === "full") {
        response.writeHead(429, { "x-amzn-errortype": "TooManyRequestsException" }).end("{}")
        return
      }
      try {
        const answer = await handler(event as never, {} as never) // whatever the function takes
        response.writeHead(200).end(JSON.stringify(answer))
      } catch (error) {
        response.writeHead(200, { "x-amz-function-error": "Unhandled" })
        response.end(JSON.stringify({ errorMessage: String(error) }))
      }
    })()
  })
  const port = await listen(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
