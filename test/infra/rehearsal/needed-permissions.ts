import { z } from "zod"
import { type Use, usesIn } from "../../support/aws-recorder.ts"
import { here } from "../evaluate.ts"
import type { Wish } from "./iam.ts"

/** The resources behind the names that requests use. */
export interface Names {
  /** By the name that the code is told. */
  tables: Map<string, string>
  functions: Map<string, string>
  cluster: string
  queue: string
  buckets: Map<string, string>
  /** The roles of the tasks that the sweep starts. */
  passedRoles: string[]
}

export interface Asked {
  method: string
  url: string
  target: string | undefined
  body: string
}

/** The questions to IAM that a request to one of AWS's services raises. */
export function neededPermissions(service: string, asked: Asked, names: Names): Wish[] {
  switch (service) {
    case "s3":
      return [ofObject(asked, names)]
    case "lambda":
      return [ofInvocation(asked, names)]
    case "ses":
      return [ofMail(asked)]
    default:
      return usesIn(asked.target ?? "", asked.body).flatMap((use) => ofUse(use, asked.body, names))
  }
}

const Words = z.object({
  SourceKeyId: z.string().default(""),
  DestinationKeyId: z.string().default(""),
  logGroupName: z.string().default(""),
  logStreamName: z.string().default(""),
  taskDefinition: z.string().default(""),
  propagateTags: z.string().optional(),
  task: z.string().default(""),
  tasks: z.array(z.string()).default([]),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
})

function ofUse(use: Use, body: string, names: Names): Wish[] {
  const { action, resource } = use
  const words = Words.parse(JSON.parse(body))
  const [service = "", operation = ""] = action.split(":")
  switch (service) {
    case "dynamodb": {
      const [table = "", ...index] = resource.split("/")
      const context = { "dynamodb:LeadingKeys": leadingKeys(use, body) }
      return [{ action, resource: [names.tables.get(table) ?? table, ...index].join("/"), context }]
    }
    case "kms":
      return operation === "ReEncrypt"
        ? rewrapping(words)
        : [{ action, resource, context: encryptionContext(words.EncryptionContext) }]
    case "sqs":
      // A batch needs the right to each of what it holds.
      return [{ action: action.replace(/Batch$/, ""), resource: names.queue }]
    case "logs": {
      const { logGroupName: group, logStreamName: stream } = words
      return [{ action, resource: here("logs", `log-group:${group}:log-stream:${stream}`) }]
    }
    case "ecs":
      return ofTasks(action, words, names)
    default:
      throw new Error(`nobody knows what ${action} needs`)
  }
}

const Row = z.looseObject({ pk: z.object({ S: z.string() }) })
const Several = z.object({
  RequestItems: z.record(z.string(), z.union([z.object({ Keys: z.array(Row) }), z.unknown()])).default({}),
  KeyConditionExpression: z.string().default(""),
  ExpressionAttributeValues: z.record(z.string(), z.looseObject({ S: z.string().optional() })).default({}),
})

/**
 * The partition keys that a use of a table names. @throws where it names none: IAM would take that for all of
 * them
 */
function leadingKeys({ action, resource, Key, Item }: Use, body: string): string[] {
  const one = Key ?? Item
  if (one) return [Row.parse(one).pk.S]
  // An index has its own, by which nothing is limited.
  if (resource.includes("/index/")) return []
  // It is about all of them, and IAM is told of none.
  if (action === "dynamodb:Scan") return []
  const { RequestItems, KeyConditionExpression, ExpressionAttributeValues } = Several.parse(JSON.parse(body))
  const batch = z.object({ Keys: z.array(Row) }).safeParse(RequestItems[resource]).data
  if (batch) return batch.Keys.map(({ pk }) => pk.S)
  const named = /^#?pk = (:\w+)/.exec(KeyConditionExpression)?.[1] ?? ""
  const asked = ExpressionAttributeValues[named]?.S
  if (asked === undefined) throw new Error(`${action} on ${resource} names no partition: ${body}`)
  return [asked]
}

function encryptionContext(given: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`kms:EncryptionContext:${name}`, value]),
  )
}

function rewrapping({ SourceKeyId, DestinationKeyId }: z.infer<typeof Words>): Wish[] {
  const context = { "kms:ReEncryptOnSameKey": String(SourceKeyId === DestinationKeyId) }
  return [
    { action: "kms:ReEncryptFrom", resource: SourceKeyId, context },
    { action: "kms:ReEncryptTo", resource: DestinationKeyId, context },
  ]
}

function ofTasks(action: string, words: z.infer<typeof Words>, names: Names): Wish[] {
  if (action === "ecs:RunTask")
    return [
      { action, resource: words.taskDefinition },
      ...(words.propagateTags ? [tagging(names)] : []),
      ...names.passedRoles.map((resource) => ({
        action: "iam:PassRole",
        resource,
        context: { "iam:PassedToService": "ecs-tasks.amazonaws.com" },
      })),
    ]
  const tasks = words.task === "" ? words.tasks : [words.task]
  // The orchestrator here has no account: only the last part of its ARNs is as AWS's.
  return tasks.map((task) => ({
    action,
    resource: `${names.cluster.replace(":cluster/", ":task/")}/${task.split("/").at(-1)}`,
  }))
}

/** IAM asks for the task that is about to be. */
function tagging({ cluster }: Names): Wish {
  const resource = `${cluster.replace(":cluster/", ":task/")}/new`
  return { action: "ecs:TagResource", resource, context: { "ecs:CreateAction": "RunTask" } }
}

function ofInvocation({ url }: Asked, names: Names): Wish {
  const name = decodeURIComponent(/^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(url)?.[1] ?? "")
  return { action: "lambda:InvokeFunction", resource: names.functions.get(name) ?? name }
}

/** SES asks for the right to the address that the mail is from, where that is proved to it. */
function ofMail({ body }: Asked): Wish {
  const { FromEmailAddress } = z.object({ FromEmailAddress: z.string() }).parse(JSON.parse(body))
  return { action: "ses:SendEmail", resource: here("ses", `identity/${FromEmailAddress}`) }
}

/** What S3 asks for before it says that an object is missing. */
export function listing({ url }: Asked, names: Names): Wish {
  const [bucket = ""] = decodeURIComponent(new URL(url, "http://s3").pathname.slice(1)).split("/")
  return { action: "s3:ListBucket", resource: names.buckets.get(bucket) ?? bucket }
}

/**
 * Reads S3's own protocol, in which a part of an upload is put like an object, and a form names its object
 * itself.
 */
function ofObject({ method, url, body }: Asked, names: Names): Wish {
  const { pathname, searchParams } = new URL(url, "http://s3")
  const [bucket = "", ...key] = decodeURIComponent(pathname.slice(1)).split("/")
  const [, formKey] = /name="key"\r\n\r\n([^\r]*)/.exec(body) ?? []
  const resource = [names.buckets.get(bucket) ?? bucket, ...key, ...(formKey ? [formKey] : [])].join("/")
  if (method === "DELETE" && searchParams.has("uploadId"))
    return { action: "s3:AbortMultipartUpload", resource }
  const actions: Record<string, string> = {
    GET: "s3:GetObject",
    HEAD: "s3:GetObject",
    DELETE: "s3:DeleteObject",
  }
  return { action: actions[method] ?? "s3:PutObject", resource }
}
