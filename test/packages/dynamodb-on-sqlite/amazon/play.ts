import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb"
import { cases } from "./cases.ts"
import { own, type Request, TableName } from "./words.ts"

const commands = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  CreateTable: CreateTableCommand,
  DeleteItem: DeleteItemCommand,
  DescribeTable: DescribeTableCommand,
  DescribeTimeToLive: DescribeTimeToLiveCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  Scan: ScanCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
  UpdateTimeToLive: UpdateTimeToLiveCommand,
}
export type Command = keyof typeof commands

/** One answer: what the client gave, or the error that it threw. */
export type Answer = Record<string, unknown>

const attribute = (AttributeName: string, AttributeType: string) => ({ AttributeName, AttributeType })
const keys = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: "HASH" },
  { AttributeName: range, KeyType: "RANGE" },
]
/** The table of nearly all cases, with indexes of both kinds that this service has. */
const things = {
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    ...["pk", "sk", "host"].map((name) => attribute(name, "S")),
    ...["shard", "since"].map((name) => attribute(name, "N")),
  ],
  KeySchema: keys("pk", "sk"),
  GlobalSecondaryIndexes: [
    { IndexName: "byHost", KeySchema: keys("host", "pk"), Projection: { ProjectionType: "ALL" } },
    { IndexName: "bySince", KeySchema: keys("shard", "since"), Projection: { ProjectionType: "KEYS_ONLY" } },
  ],
}

/** Makes the table that the cases share, and gives the answers to each case, by its name. */
export async function play(client: DynamoDBClient): Promise<Record<string, Answer[]>> {
  await send(client, { operation: "CreateTable", input: things })
  const answers: Record<string, Answer[]> = {}
  for (const [at, [name, requests]] of Object.entries(cases).entries()) {
    const alone = `case-${String(at).padStart(3, "0")}`
    answers[name] = []
    for (const request of requests) answers[name].push(await answerOf(client, request, alone))
  }
  return answers
}

async function answerOf(client: DynamoDBClient, request: Request, alone: string): Promise<Answer> {
  const asked = replaced(request, own, alone) as Request
  try {
    const { $metadata: _, ...answer } = await send(client, asked)
    return replaced(answer, alone, own) as Answer
  } catch (error) {
    const { name, message, Item, CancellationReasons } = error as Answer
    return replaced({ name, message, Item, CancellationReasons }, alone, own) as Answer
  }
}

async function send(client: DynamoDBClient, { operation, input }: Request): Promise<Answer> {
  // The operation has this form of input, or the case is about what is said of another.
  const Command = commands[operation] as new (input: object) => PutItemCommand
  return { ...(await client.send(new Command(input))) }
}

/** Attributes of a table, which come in any order. */
function inOrder(list: unknown[]): unknown[] {
  return list.every(isDefinition)
    ? list.toSorted((a, b) => (a.AttributeName < b.AttributeName ? -1 : 1))
    : list
}

function isDefinition(one: unknown): one is { AttributeName: string } {
  return typeof one === "object" && one !== null && "AttributeType" in one
}

/** What differs each time, and what AWS adds for features that are not asked for. */
const leftOut = new Set([
  "Backfilling",
  "BillingModeSummary",
  "ConsumedCapacity",
  "CreationDateTime",
  "DeletionProtectionEnabled",
  "IndexArn",
  "IndexSizeBytes",
  "IndexStatus",
  "ItemCount",
  "OnDemandThroughput",
  "ProvisionedThroughput",
  "TableArn",
  "TableId",
  "TableSizeBytes",
  "TableStatus",
  "WarmThroughput",
])

/** With one text for another where it is a whole value or name, bytes as base64, and long texts cut. */
function replaced(value: unknown, from: string, to: string): unknown {
  if (value === from) return to
  if (typeof value === "string")
    return value.length > 300 && to === own ? `${value.slice(0, 20)}… (${value.length} characters)` : value
  if (typeof value !== "object" || value === null) return value
  if (value instanceof Uint8Array) return to === own ? Buffer.from(value).toString("base64") : value
  if (Array.isArray(value)) return inOrder(value).map((one: unknown) => replaced(one, from, to))
  const members = Object.entries(value).filter(([name, one]) => one !== undefined && !leftOut.has(name))
  return Object.fromEntries(
    members.map(([name, one]) => [name === from ? to : name, replaced(one, from, to)]),
  )
}
