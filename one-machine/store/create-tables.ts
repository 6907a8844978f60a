import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb"
import { localAgent } from "#core/platform/aws-client-options.ts"
import { tableShapes } from "#core/store/tables.ts"

const expiry = { AttributeName: "expires_at", Enabled: true }

/** Creates the service's tables, unless they are there. */
export async function createTables(endpoint: string): Promise<void> {
  // Signed, though the embedded store does not look: others want it so.
  const client = new DynamoDBClient({
    requestHandler: { httpAgent: localAgent({}) },
    endpoint,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  })
  for (const table of tableShapes) {
    try {
      await client.send(new CreateTableCommand(definition(table)))
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error
    }
    await letExpire(client, table.name)
  }
  client.destroy()
}

/** Enables expiry unless it is enabled: DynamoDB refuses to do so twice. */
async function letExpire(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }))
  if (TimeToLiveDescription?.TimeToLiveStatus === "ENABLED") return
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: expiry }))
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
