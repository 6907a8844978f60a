import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { z } from "zod"
import { listen } from "#one-machine/listen.ts"

const Item = z.record(z.string(), z.unknown())
const Part = z.object({
  TableName: z.string(),
  Key: Item.optional(),
  Item: Item.optional(),
  UpdateExpression: z.string().optional(),
})

const Asked = Part.extend({
  TableName: z.string().optional(),
  KeyId: z.string().optional(),
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
  RequestItems: z
    .record(
      z.string(),
      z.lazy(() => Batch),
    )
    .optional(),
})

const Batch = z.union([
  // A BatchWriteItem.
  z.array(
    z.object({
      PutRequest: z.object({ Item }).optional(),
      DeleteRequest: z.object({ Key: Item }).optional(),
    }),
  ),
  // A BatchGetItem.
  z.object({ Keys: z.array(Item), ConsistentRead: z.boolean().default(false) }),
])

const Answered = z.object({
  Responses: z.record(z.string(), z.array(Item)).optional(),
  Item: Item.optional(),
  Items: z.array(Item).optional(),
  Attributes: Item.optional(),
})

/** The services that answer to the targets of AWS's JSON protocols, in IAM's words. */
const services = new Map([
  ["DynamoDB_20120810", "dynamodb"],
  ["AmazonSQS", "sqs"],
  ["TrentService", "kms"],
  ["Logs_20140328", "logs"],
  ["AmazonEC2ContainerServiceV20141113", "ecs"],
])

/**
 * One thing that was asked of AWS, as IAM and the bill see it: a transaction or batch is each of its parts.
 */
export interface Use extends Partial<z.infer<typeof Part>> {
  /** `dynamodb:PutItem`, `sqs:SendMessage`, ... */
  action: string
  /** `Events`, `Leases/index/byHost`, the id of a key; of the others nothing. */
  resource: string
  transacted: boolean
  consistent: boolean
  answer: z.infer<typeof Answered>
}

/**
 * Stands before an embedded service of AWS and tells what is asked of it: each use, and which uses each
 * request had.
 */
export async function startAwsRecorder(
  endpoint: string,
  onUse: (use: Use) => void,
  onRequest: (uses: Use[]) => void = () => {},
) {
  async function passOn(request: IncomingMessage, response: ServerResponse) {
    const body = await text(request)
    const target = String(request.headers["x-amz-target"])
    const kept = ["content-type", "x-amz-target", "x-amz-date", "authorization"]
    const headers = Object.fromEntries(kept.map((name) => [name, String(request.headers[name])]))
    const answer = await fetch(new URL(request.url ?? "/", endpoint), { method: "POST", headers, body })
    const answered = await answer.text()
    const told = answer.ok ? Answered.parse(JSON.parse(answered)) : {}
    const uses = usesOf(target, Asked.parse(JSON.parse(body)), told)
    for (const use of uses) onUse(use)
    onRequest(uses)
    response.writeHead(answer.status, { "content-type": headers["content-type"] }).end(answered)
  }

  const server = createServer((request, response) => {
    // As where a connection breaks: the client asks again.
    passOn(request, response).catch(() => response.destroy())
  })
  const port = await listen(server)

  function close() {
    server.close()
    server.closeAllConnections()
  }
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

/** The uses that a request of AWS's JSON protocols asks for, without their answers. */
export function usesIn(target: string, body: string): Use[] {
  return usesOf(target, Asked.parse(JSON.parse(body)), {})
}

function usesOf(target: string, asked: z.infer<typeof Asked>, answer: z.infer<typeof Answered>): Use[] {
  const [protocol = "", operation = ""] = target.split(".")
  const service = services.get(protocol)
  if (!service) throw new Error(`nobody answers ${target}`)
  const { TransactItems: parts, IndexName: index, ConsistentRead: consistent, ...rest } = asked
  if (asked.RequestItems)
    return Object.entries(asked.RequestItems).flatMap(([resource, batch]) => {
      const use = {
        action: `${service}:${operation}`,
        resource,
        transacted: false,
        consistent: false,
        answer: {},
      }
      if (Array.isArray(batch))
        return batch.map(({ PutRequest, DeleteRequest }) => ({ ...use, ...PutRequest, ...DeleteRequest }))
      const found = answer.Responses?.[resource] ?? []
      const consistent = batch.ConsistentRead
      if (found.length === 0) return [{ ...use, consistent }]
      return found.map((item) => ({ ...use, consistent, answer: { Item: item } }))
    })
  if (!parts) {
    const resource = `${asked.TableName ?? asked.KeyId ?? ""}${index ? `/index/${index}` : ""}`
    return [{ ...rest, action: `${service}:${operation}`, resource, transacted: false, consistent, answer }]
  }
  return parts.flatMap((part) =>
    Object.entries(part).flatMap(([kind, one]) =>
      one
        ? [
            {
              ...one,
              action: `${service}:${kind}Item`,
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
