import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb"
import { tableShapes } from "#core/store/tables.ts"

const expiry = { AttributeName: "expires_at", Enabled: true }

/** Creates the service's tables in an empty store. Existing tables get the indexes of this release. */
export async function createTables(endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint })
  for (const table of tableShapes) {
    try {
      await client.send(new CreateTableCommand(definition(table)))
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error
      await changeIndexes(client, definition(table))
    }
    await letExpire(client, table.name)
  }
  client.destroy()
}

/** DynamoDB refuses to enable what is enabled. */
async function letExpire(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
  if (TimeToLiveDescription?.TimeToLiveStatus === "ENABLED") return
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: expiry }))
}

/** Brings the indexes of a table that an earlier release created up to date. */
async function changeIndexes(client: DynamoDBClient, wanted: CreateTableCommandInput): Promise<void> {
  const { TableName, AttributeDefinitions, GlobalSecondaryIndexes = [] } = wanted
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const there = (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName)
  const names = GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
  const GlobalSecondaryIndexUpdates = [
    ...there.filter((name) => !names.includes(name)).map((IndexName) => ({ Delete: { IndexName } })),
    ...GlobalSecondaryIndexes.filter(({ IndexName }) => !there.includes(IndexName)).map((Create) => ({
      Create,
    })),
  ]
  if (GlobalSecondaryIndexUpdates.length === 0) return
  await client.send(new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates }))
}

function definition(table: (typeof tableShapes)[number]): CreateTableCommandInput {
  const attributes = new Map([
    ["pk", "S" as const],
    ["sk", "S" as const],
    ...table.indexes.flatMap(({ hash, range }) => [hash, range].map((key) => [key.name, key.type] as const)),
  ])
  return {
    TableName: table.name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [...attributes].map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    KeySchema: keySchema("pk", "sk"),
    ...(table.indexes.length > 0 && {
      GlobalSecondaryIndexes: table.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index.hash.name, index.range.name),
        Projection: { ProjectionType: index.holds },
      })),
    }),
  }
}

function keySchema(hash: string, range: string) {
  return [
    { AttributeName: hash, KeyType: "HASH" as const },
    { AttributeName: range, KeyType: "RANGE" as const },
  ]
}
