import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { z } from "zod"

const Item = z.record(z.string(), z.unknown())
const Part = z.object({
  TableName: z.string(),
  Key: Item.optional(),
  Item: Item.optional(),
  UpdateExpression: z.string().optional(),
})

const Asked = Part.extend({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  ConsistentRead: z.boolean().default(false),
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

const Answered = z.object({
  Item: Item.optional(),
  Items: z.array(Item).optional(),
  Attributes: Item.optional(),
})

/** One thing that was asked of a table, as IAM and the bill see it: a transaction is each of its parts. */
export interface Use extends Partial<z.infer<typeof Part>> {
  /** `PutItem`, `ConditionCheckItem`, ... */
  action: string
  /** `Events`, `Leases/index/byHost`, ... */
  resource: string
  transacted: boolean
  consistent: boolean
  answer: z.infer<typeof Answered>
}

/** Stands before an embedded DynamoDB and tells what is asked of it. */
export async function startRecorder(endpoint: string, onUse: (use: Use) => void) {
  async function passOn(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    const target = String(request.headers["x-amz-target"])
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": target,
        "x-amz-date": String(request.headers["x-amz-date"]),
        authorization: String(request.headers.authorization),
      },
      body,
    })
    const answered = await answer.text()
    const told = answer.ok ? Answered.parse(JSON.parse(answered)) : {}
    for (const use of usesOf(target.split(".")[1]!, Asked.parse(JSON.parse(body)), told)) onUse(use)
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" }).end(answered)
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
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

function usesOf(operation: string, asked: z.infer<typeof Asked>, answer: z.infer<typeof Answered>): Use[] {
  const { TransactItems: parts, IndexName: index, ConsistentRead: consistent, ...rest } = asked
  if (!parts) {
    const resource = `${asked.TableName}${index ? `/index/${index}` : ""}`
    return [{ ...rest, action: operation, resource, transacted: false, consistent, answer }]
  }
  return parts.flatMap((part) =>
    Object.entries(part).flatMap(([kind, one]) =>
      one
        ? [
            {
              ...one,
              action: `${kind}Item`,
              resource: one.TableName,
              transacted: true,
              consistent,
              answer: {},
            },
          ]
        : [],
    ),
  )
}
