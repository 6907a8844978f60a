import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { z } from "zod"

const Part = z.object({ TableName: z.string() })
const Body = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  TransactItems: z
    .array(
      z.object({
        Put: Part.optional(),
        Update: Part.optional(),
        Delete: Part.optional(),
        ConditionCheck: Part.optional(),
      }),
    )
    .optional(),
})

/**
 * Stands before an embedded DynamoDB and writes down what is asked of it, as IAM sees it: `dynamodb:PutItem Events`,
 * `dynamodb:Query Leases/index/byHost`. A transaction is each of its parts.
 */
export async function startRecorder(endpoint: string) {
  const uses = new Set<string>()

  async function passOn(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    const operation = String(request.headers["x-amz-target"]).split(".")[1]!
    for (const use of usesOf(operation, Body.parse(JSON.parse(body)))) uses.add(use)
    const headers = { "x-amz-target": `DynamoDB_20120810.${operation}`, ...authorization(request) }
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-amz-json-1.0" },
      body,
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" }).end(bytes)
  }

  const server = createServer((request, response) => {
    // As where a connection breaks: the client asks again.
    passOn(request, response).catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // listening on TCP

  function close() {
    server.close()
    server.closeAllConnections()
  }
  return { endpoint: `http://127.0.0.1:${port}`, uses, close }
}

function usesOf(operation: string, body: z.infer<typeof Body>): string[] {
  if (!body.TransactItems) {
    const index = body.IndexName ? `/index/${body.IndexName}` : ""
    return [`dynamodb:${operation} ${body.TableName}${index}`]
  }
  return body.TransactItems.flatMap((item) =>
    Object.entries(item).map(([kind, part]) => `dynamodb:${kind}Item ${part?.TableName}`),
  )
}

function authorization(request: IncomingMessage): Record<string, string> {
  return {
    authorization: request.headers.authorization ?? "",
    "x-amz-date": String(request.headers["x-amz-date"]),
  }
}
