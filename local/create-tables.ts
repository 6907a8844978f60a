import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from "@aws-sdk/client-dynamodb"
import { tables } from "#core/tables.ts"

/** Creates the service's tables in an empty store; those that exist are left as they are. */
export async function createTables(endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint })
  for (const table of tables) {
    try {
      await client.send(new CreateTableCommand(definition(table)))
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error
    }
  }
  client.destroy()
}

function definition(table: (typeof tables)[number]): ConstructorParameters<typeof CreateTableCommand>[0] {
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
